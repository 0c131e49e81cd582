import type { RequestContext } from '../access/request-context.ts';
import { count } from '../limits/count.ts';
import { breakGlassMails } from '../limits/rate-limits.ts';
import { breakGlassMail } from '../mail/account-mails.ts';
import { listOwners } from '../organizations/break-glass.ts';
import { ranges } from '../table/keys.ts';
import { at, list, readAll } from '../table/read.ts';
import { membershipRecord } from '../table/records/member.ts';
import { type OrganizationRecord, organizationRecord } from '../table/records/organization.ts';
import type { UserRecord } from '../table/records/user.ts';
import { mailUnlessRefused } from './factors/mail-unless-refused.ts';

/**
 * Tells the owners of every organization that requires its provider, and that this user owns, about a log-in without it.
 * A failure is only logged: the log-in is complete.
 */
export async function tellOfBreakGlass(context: RequestContext, user: UserRecord): Promise<void> {
  try {
    const memberships = await list(membershipRecord, ranges.memberships(user.id));
    const organizations = await readAll(memberships.map(({ orgSlug }) => at(organizationRecord, orgSlug)));
    const requiring = organizations.flatMap((one, index) => {
      const isSame = one?.id === memberships[index]?.organizationId;
      return one !== undefined && isSame && one.requireProvider === true ? [one] : [];
    });
    await Promise.all(requiring.map(one => tellOwners(context, user, one)));
  } catch (error) {
    context.log.error('could not tell the owners about a log-in without their provider', error, { userId: user.id });
  }
}

async function tellOwners({ log }: RequestContext, user: UserRecord, organization: OrganizationRecord): Promise<void> {
  const owners = await listOwners(organization);
  if (!owners.some(({ userId }) => userId === user.id)) return;
  log.account('break_glass_used', { userId: user.id, organizationId: organization.id });
  const mail = await breakGlassMail(organization, user.email);
  const counting = count(breakGlassMails(organization.id));
  await Promise.all(
    owners.map(({ userId: id, email }) => mailUnlessRefused(log, { id, email }, counting, async () => mail)),
  );
}
