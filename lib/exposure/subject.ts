import { sessionIdOf } from '../access/session-cookie.ts';
import type { StoredEntry } from '../audit/scan.ts';
import { chunksOf } from '../core/chunks-of.ts';
import { ranges } from '../table/keys.ts';
import { at, find, list, queryItems } from '../table/read.ts';
import { sessionRecord, tokenRecord } from '../table/records/credentials.ts';
import { type IdentityEnvironment, identityRecord } from '../table/records/identity.ts';
import { memberRecord, type OrganizationRecord } from '../table/records/organization.ts';
import { userRecord } from '../table/records/user.ts';

/** The credential, person or identity whose exposure is asked for. */
export interface Subject {
  type: 'token' | 'identity' | 'user' | 'session';
  id: string;
}

/** Whether the subject sent the request of an entry. Pure. */
export function isMadeBy({ type, id }: Subject, { actor }: StoredEntry): boolean {
  switch (type) {
    case 'token':
      return actor.tokenId === id;
    case 'session':
      return actor.sessionId === id;
    case 'user':
      return actor.id === id && (actor.type === 'session' || actor.type === 'token');
    case 'identity':
      return actor.id === id && actor.type === 'identity';
  }
}

export interface StoredSubject {
  createdAt: string;
  /** Where a token may read. */
  projectId?: string | null;
  environmentId?: string | null;
  environments?: readonly IdentityEnvironment[] | undefined;
}

/**
 * Finds a user only if they are a member or have entries in this organization, and a token only if it works there.
 * @param owners the ids of the users and identities in its entries
 * @param endsAt when to stop, in epoch milliseconds
 */
export async function findSubject(
  { type, id }: Subject,
  organization: Pick<OrganizationRecord, 'id' | 'slug'>,
  owners: readonly string[],
  endsAt: number,
): Promise<StoredSubject | undefined> {
  const { slug } = organization;
  if (type === 'identity') return find(at(identityRecord, slug, id));
  if (type === 'user') {
    const isInvolved = owners.includes(id) || (await find(at(memberRecord, slug, id))) !== undefined;
    return isInvolved ? find(at(userRecord, id)) : undefined;
  }
  const lookUp = (owner: string) => (type === 'token' ? findToken(organization.id, owner, id) : findSession(owner, id));
  for (const chunk of chunksOf(25, owners.length > 0 ? owners : await everyone(slug))) {
    if (Date.now() > endsAt) return undefined;
    const subject = (await Promise.all(chunk.map(lookUp))).find(credential => credential !== undefined);
    if (subject !== undefined) return subject;
  }
  return undefined;
}

/** The members and identities, which may have tokens. */
async function everyone(orgSlug: string): Promise<string[]> {
  const [members, identities] = await Promise.all([
    list(memberRecord, ranges.members(orgSlug)),
    list(identityRecord, ranges.identities(orgSlug)),
  ]);
  return [...members.map(({ userId }) => userId), ...identities.map(({ id }) => id)];
}

async function findToken(organizationId: string, ownerId: string, id: string): Promise<StoredSubject | undefined> {
  const tokens = await list(tokenRecord, ranges.tokens(ownerId));
  return tokens.find(token => token.id === id && (token.organizationId ?? organizationId) === organizationId);
}

async function findSession(ownerId: string, id: string): Promise<StoredSubject | undefined> {
  const range = ranges.sessions(ownerId);
  return (await queryItems(range))
    .map(item => ({ hash: String(item.sk).slice(range.beginsWith.length), session: sessionRecord.parse(item) }))
    .find(stored => sessionIdOf(stored) === id)?.session;
}
