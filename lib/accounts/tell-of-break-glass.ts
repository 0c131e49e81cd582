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
 * The user's organizations that require their provider, read while the log-in is still being checked, which saves two
 * round trips. Never rejects: a failure is only logged, because it must not keep anybody from logging in.
 */
export async function findRequiring({ log }: RequestContext, { id }: UserRecord): Promise<OrganizationRecord[]> {
  try {
    const memberships = await list(membershipRecord, ranges.memberships(id));
    const organizations = await readAll(memberships.map(({ orgSlug }) => at(organizationRecord, orgSlug)));
    return organizations.flatMap((one, index) => {
      const isSame = one?.id === memberships[index]?.organizationId;
      return one !== undefined && isSame && one.requireProvider === true ? [one] : [];
    });
  } catch (error) {
    log.error('could not find the owners to tell about a log-in without their provider', error, { userId: id });
    return [];
  }
}

/**
 * Tells the owners of those of the organizations that this user owns about a log-in without their provider. A failure is
 * only logged: the log-in is complete.
 */
export async function tellOfBreakGlass(
  context: RequestContext,
  user: UserRecord,
  requiring: readonly OrganizationRecord[],
): Promise<void> {
  try {
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
