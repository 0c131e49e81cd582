import type { RequestContext } from '../access/request-context.ts';
import { type Counter, count } from '../limits/count.ts';
import { breakGlassMails, failedBreakGlass } from '../limits/rate-limits.ts';
import { breakGlassMail } from '../mail/account-mails.ts';
import {
  type AgedFactor,
  breaksGlass,
  canLogInWithFactor,
  listOwners,
  listUnsettled,
} from '../organizations/break-glass.ts';
import { ranges } from '../table/keys.ts';
import { at, list, readAll } from '../table/read.ts';
import {
  memberRecord,
  membershipRecord,
  type OrganizationRecord,
  organizationRecord,
} from '../table/records/organization.ts';
import type { UndoLinkRecord, UserRecord } from '../table/records/user.ts';
import { mailUnlessRefused } from './factors/mail-unless-refused.ts';

/*
 * If an organization's required provider fails, its owners log in with a second factor of their own. The session
 * records these organizations, and their owners are mailed. The factor must be older than the requirement, or settled:
 * otherwise a thief with only the password could add a factor and log in.
 */

interface Requiring {
  organizations: readonly OrganizationRecord[];
  /** Empty without such an organization. */
  unsettled: readonly UndoLinkRecord[];
}

/**
 * The organizations that the user owns and that require their provider. Never rejects: a failure is only logged,
 * because it must not prevent log-ins; such a log-in doesn't break glass.
 */
export async function findRequiring({ log }: RequestContext, id: string): Promise<Requiring> {
  const none = { organizations: [], unsettled: [] };
  try {
    const memberships = await list(membershipRecord, ranges.memberships(id));
    const organizations = await readAll(memberships.map(({ orgSlug }) => at(organizationRecord, orgSlug)));
    const requiring = organizations.flatMap((organization, index) => {
      const isSame = organization?.id === memberships[index]?.organizationId;
      return isSame && organization?.requireProvider === true ? [organization] : [];
    });
    if (requiring.length === 0) return none;
    const reads = requiring.map(({ slug }) => at(memberRecord, slug, id));
    const [members, unsettled] = await Promise.all([readAll(reads), listUnsettled(id)]);
    return { organizations: requiring.filter((_, index) => members[index]?.role === 'owner'), unsettled };
  } catch (error) {
    log.error('could not find the organizations that require their provider', error, { userId: id });
    return none;
  }
}

/** What a wrong password counts towards if the account's log-in may break glass; undefined for any other account. */
export async function breakGlassWindow(context: RequestContext, user: UserRecord): Promise<Counter | undefined> {
  if (!canLogInWithFactor(user)) return undefined;
  const { organizations } = await findRequiring(context, user.id);
  return organizations.length === 0 ? undefined : failedBreakGlass(user.id);
}

export function brokenBy(factor: AgedFactor, user: UserRecord, { organizations, unsettled }: Requiring) {
  return organizations.filter(({ providerRequiredAt: requiredAt }) =>
    breaksGlass(factor, user, { unsettled, requiredAt }),
  );
}

/** Mails the owners of the organizations. A failure is only logged: the log-in is complete. */
export async function mailBreakGlass(context: RequestContext, user: UserRecord, owned: readonly OrganizationRecord[]) {
  try {
    await Promise.all(owned.map(organization => mailOwners(context, user, organization)));
  } catch (error) {
    context.log.error('could not notify the owners of a log-in without their provider', error, { userId: user.id });
  }
}

async function mailOwners({ log }: RequestContext, user: UserRecord, organization: OrganizationRecord): Promise<void> {
  log.account('break_glass_used', { userId: user.id, organizationId: organization.id });
  const owners = await listOwners(organization);
  const mail = await breakGlassMail(organization, user.email);
  const counting = count(breakGlassMails(organization.id));
  const owning = owners.map(({ userId: id, email }) => ({ id, email }));
  await Promise.all(owning.map(owner => mailUnlessRefused(log, owner, counting, async () => mail)));
}
