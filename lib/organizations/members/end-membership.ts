import type { Log } from '../../core/logger.ts';
import type { Key } from '../../table/entity.ts';
import { asRead } from '../../table/expressions.ts';
import { ranges } from '../../table/keys.ts';
import { at, type Item, queryItems, queryPage } from '../../table/read.ts';
import {
  type MemberRecord,
  memberRecord,
  membershipRecord,
  type OrganizationRecord,
  removedMemberRecord,
} from '../../table/records/organization.ts';
import { put, remove, removeAll, type Write } from '../../table/write.ts';

type Place = Pick<OrganizationRecord, 'id' | 'slug'>;

/**
 * The writes that end both sides of a membership and note that, if the member is as read. The caller lowers the counts
 * and records it.
 */
export function membershipEnd(
  { id: organizationId, slug }: Place,
  member: MemberRecord,
  asReadBefore: readonly (keyof MemberRecord)[],
  { byRules }: { byRules?: true } = {},
): Write[] {
  const { userId } = member;
  const note = { organizationId, removedAt: new Date().toISOString(), byRules };
  return [
    remove(at(memberRecord, slug, userId), { if: asRead(member, asReadBefore) }),
    remove(at(membershipRecord, userId, organizationId)),
    put(at(removedMemberRecord, slug, userId), note),
  ];
}

/**
 * The keys of the tokens that end with the membership or the provider's link, among the first megabyte of the user's
 * tokens: reading more must not delay a removal.
 */
export async function keysOfTokensOf(organizationId: string, { id, userId }: MemberRecord): Promise<Key[]> {
  const { items } = await queryPage({ ...ranges.tokens(userId), attributes: ['pk', 'sk', 'memberId', 'provider'] });
  return items.filter(item => item.memberId === id || cameThrough(organizationId, item)) as unknown as Key[];
}

/**
 * Ends the sessions and tokens that came through the organization's provider: once the user is invited again, they must
 * not count as if the link still held. The link has ended, so no session is added. A failure is only logged.
 */
export async function sweep(
  { organization, log }: { organization: Place; log: Log },
  userId: string,
  tokens: readonly Key[],
): Promise<void> {
  try {
    const [sessions] = await Promise.all([keysOfSessionsThrough(organization.id, userId), removeAll(tokens)]);
    await removeAll(sessions);
  } catch (error) {
    log.error('could not sweep the sessions and tokens of a former member', error);
  }
}

async function keysOfSessionsThrough(organizationId: string, userId: string): Promise<Key[]> {
  const items = await queryItems({ ...ranges.sessions(userId), attributes: ['pk', 'sk', 'provider'] });
  return items.filter(item => cameThrough(organizationId, item)) as unknown as Key[];
}

function cameThrough(organizationId: string, { provider }: Item): boolean {
  return (provider as { organizationId?: string } | undefined)?.organizationId === organizationId;
}
