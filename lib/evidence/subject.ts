import { sessionIdOf } from '../access/session-cookie.ts';
import { chunksOf } from '../core/chunks-of.ts';
import { ranges } from '../table/keys.ts';
import { at, find, list, queryItems } from '../table/read.ts';
import { identityRecord } from '../table/records/identity.ts';
import { memberRecord } from '../table/records/member.ts';
import type { OrganizationRecord } from '../table/records/organization.ts';
import { sessionRecord } from '../table/records/session.ts';
import { type TokenRecord, tokenRecord } from '../table/records/token.ts';
import { userRecord } from '../table/records/user.ts';
import type { RawEntry } from './scan-entries.ts';

/** The credential, person or identity that is asked about. */
export interface Subject {
  type: 'token' | 'identity' | 'user' | 'session';
  id: string;
}

interface RawActor {
  id: string | null;
  type: string;
  tokenId?: string;
  sessionId?: string;
}

/**
 * Whether the subject made the request of an entry; `maybe` for a session's in an entry of an earlier version of the
 * service, which did not record the session. Pure.
 */
export function madeBy({ type, id }: Subject, { actor: raw }: RawEntry): 'yes' | 'maybe' | 'no' {
  const actor = raw as RawActor;
  const isSession = actor.type === 'session';
  if (type === 'session' && isSession && actor.sessionId === undefined) return 'maybe';
  const isSame = {
    token: actor.tokenId === id,
    session: actor.sessionId === id,
    user: actor.id === id && (isSession || actor.type === 'token'),
    identity: actor.id === id && actor.type === 'identity',
  };
  return isSame[type] ? 'yes' : 'no';
}

/** What is still known of a subject. */
export interface KnownSubject {
  createdAt: string;
  /** The user of a session or token. */
  ownerId?: string;
  /** Where a token may read. */
  projectId?: string | null;
  environmentId?: string | null;
}

/**
 * Looks for the subject itself. Nobody is looked up who was never seen in this organization, and a token of another
 * organization is not found.
 * @param owners the ids of the users and identities in its entries
 * @param endsAt when to give up, in epoch milliseconds
 */
export async function findSubject(
  { type, id }: Subject,
  organization: Pick<OrganizationRecord, 'id' | 'slug'>,
  owners: readonly string[],
  endsAt: number,
): Promise<KnownSubject | undefined> {
  const { slug } = organization;
  if (type === 'identity') return find(at(identityRecord, slug, id));
  if (type === 'user') {
    const isKnown = owners.includes(id) || (await find(at(memberRecord, slug, id))) !== undefined;
    return isKnown ? find(at(userRecord, id)) : undefined;
  }
  const lookUp = (owner: string) => (type === 'token' ? findToken(organization.id, owner, id) : findSession(owner, id));
  const ids = owners.length > 0 ? owners : await everyone(slug);
  for (const some of chunksOf(25, ids)) {
    if (Date.now() > endsAt) return undefined;
    const found = await Promise.all(some.map(lookUp));
    const [first] = found.flatMap(one => one ?? []);
    if (first !== undefined) return first;
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

async function findToken(organizationId: string, ownerId: string, id: string): Promise<KnownSubject | undefined> {
  const tokens: TokenRecord[] = await list(tokenRecord, ranges.tokens(ownerId));
  const found = tokens.find(token => token.id === id);
  if (found === undefined || (found.organizationId ?? organizationId) !== organizationId) return undefined;
  const { createdAt, projectId, environmentId } = found;
  return { createdAt, ownerId, projectId, environmentId };
}

async function findSession(ownerId: string, id: string): Promise<KnownSubject | undefined> {
  const range = ranges.sessions(ownerId);
  const found = (await queryItems(range))
    .map(item => ({ hash: String(item.sk).slice(range.beginsWith.length), session: sessionRecord.parse(item) }))
    .find(one => sessionIdOf(one) === id);
  return found && { createdAt: found.session.createdAt, ownerId };
}
