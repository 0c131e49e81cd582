import { issuingKey } from '../access/credential-key.ts';
import { confinementOf } from '../access/principal.ts';
import type { AccountContext } from '../access/request-context.ts';
import { endOfSession, sessionCookie, sessionEndsAt, sessionIdOf } from '../access/session-cookie.ts';
import { type AuditActor, auditWrite } from '../audit/write.ts';
import type { Session } from '../contracts/auth/sessions.ts';
import { chunksOf } from '../core/chunks-of.ts';
import { ApiError } from '../core/errors.ts';
import type { RequestSource } from '../core/request-source.ts';
import { settings } from '../core/settings.ts';
import { createCredential } from '../crypto/credentials.ts';
import { isNew, isThere } from '../table/expressions.ts';
import { ranges } from '../table/keys.ts';
import { at, find, list, queryItems, readAll } from '../table/read.ts';
import { type SessionRecord, sessionRecord, type TokenRecord, tokenRecord } from '../table/records/credentials.ts';
import { membershipRecord, type OrganizationRecord, organizationRecord } from '../table/records/organization.ts';
import { type Factors, factorsUnchanged, isUnchanged, type UserRecord, userRecord } from '../table/records/user.ts';
import { asRevocation } from '../table/revocations.ts';
import {
  maximumWritesPerTransaction,
  put,
  remove,
  retryWithFreshRead,
  transact,
  update,
  type Write,
} from '../table/write.ts';

/** The user's valid sessions, most recently used first. */
export async function listSessions(context: AccountContext): Promise<Session[]> {
  const sessions = (await readSessions(context)).map(({ session }) => session);
  return sessions.sort((a, b) => b.lastUsedAt.localeCompare(a.lastUsedAt) || a.id.localeCompare(b.id));
}

/** Ends one of the caller's own sessions immediately, even the current one. @throws session_not_found */
export async function endSession(context: AccountContext, sessionId: string): Promise<void> {
  const { userId } = context.principal;
  const ended = (await readSessions(context)).find(({ session }) => session.id === sessionId);
  if (ended === undefined) throw new ApiError('session_not_found', 'You have no session with this identifier.');
  await transact([remove(at(sessionRecord, userId, ended.hash))]);
  context.log.account('session_ended', { userId, sessionId });
}

export async function logOut({ principal: { userId, credential }, log }: AccountContext): Promise<void> {
  if (credential.method !== 'session') return;
  await transact([remove(at(sessionRecord, userId, credential.hash))]);
  log.account('logged_out', { userId });
}

/** A confined session reaches only itself: no session belongs to one organization alone. */
async function readSessions({ principal }: AccountContext): Promise<{ hash: string; session: Session }[]> {
  const { user, credential } = principal;
  const isConfined = confinementOf(principal) !== undefined;
  const range = ranges.sessions(user.id);
  const now = Date.now();
  return (await queryItems(range)).flatMap(item => {
    const hash = String(item.sk).slice(range.beginsWith.length);
    const session = sessionRecord.parse(item);
    const endsAt = endOfSession(session) * 1000;
    if (session.epoch !== user.sessionEpoch || endsAt <= now) return [];
    const current = credential.method === 'session' && credential.hash === hash;
    if (isConfined && !current) return [];
    const { createdAt, lastUsedAt, ip, userAgent } = session;
    const id = sessionIdOf({ hash, session });
    const expiresAt = new Date(endsAt).toISOString();
    return [{ hash, session: { id, current, createdAt, lastUsedAt, ip, userAgent, expiresAt } }];
  });
}

type GivenFact = 'id' | 'secondFactor' | 'createdAt' | 'provedAt' | 'brokeGlassIn' | 'provider';
type SessionFacts = Partial<Pick<SessionRecord, GivenFact>>;

export interface ReplacedSession {
  id?: string | undefined;
  hash: string;
  createdAt: string;
}

/** A new session, and the end of the session that it replaces, if any, whose `id` and maximum lifetime it keeps. */
export async function startSession(
  user: Pick<UserRecord, 'id' | 'sessionEpoch'>,
  source: RequestSource,
  { replaces, ...facts }: Omit<SessionFacts, 'id' | 'createdAt'> & { replaces: ReplacedSession | undefined },
): Promise<{ cookie: string; writes: Write[] }> {
  if (replaces === undefined) {
    const { cookie, write } = await newSession(user, source, facts);
    return { cookie, writes: [write] };
  }
  const { hash, id, createdAt } = replaces;
  const { cookie, write } = await newSession(user, source, { ...facts, createdAt, id });
  const ended = remove(at(sessionRecord, user.id, hash), { if: isThere, refused: sessionEnded });
  return { cookie, writes: [ended, write] };
}

/** A new session: its Set-Cookie line and the write that makes it valid. Only the secret's hash is stored. */
export async function newSession(
  user: Pick<UserRecord, 'id' | 'sessionEpoch'>,
  { ip, userAgent }: Pick<RequestSource, 'ip' | 'userAgent'>,
  { secondFactor = false, brokeGlassIn = [], ...facts }: SessionFacts = {},
): Promise<{ cookie: string; write: Write }> {
  const { secret, hash } = createCredential(user.id, '', await issuingKey());
  const now = Date.now();
  const startedAt = new Date(now).toISOString();
  const { createdAt = startedAt, provedAt = startedAt, id, provider } = facts;
  const expiresAt = sessionEndsAt({ createdAt, provider }, now);
  const session: SessionRecord = {
    id,
    userId: user.id,
    epoch: user.sessionEpoch,
    createdAt,
    provider,
    lastUsedAt: startedAt,
    ip,
    userAgent,
    provedAt,
    secondFactor,
    brokeGlassIn: brokeGlassIn.length === 0 ? undefined : brokeGlassIn,
    restoredTable: settings().RESTORED_TABLE,
    expiresAt,
  };
  const write = put(at(sessionRecord, user.id, hash), session, { if: isNew });
  return { cookie: sessionCookie(secret, expiresAt), write };
}

export const sessionEnded = () => new ApiError('unauthenticated', 'This session has ended. Sign in again.');

export interface HeldTokens {
  tokens: TokenRecord[];
  organizations: ReadonlyMap<string, OrganizationRecord>;
}

/** Takes two round trips. */
export async function readHeldTokens(userId: string): Promise<HeldTokens> {
  const listingMemberships = list(membershipRecord, ranges.memberships(userId));
  const [tokens, memberships] = await Promise.all([list(tokenRecord, ranges.tokens(userId)), listingMemberships]);
  const limits = new Set(tokens.map(({ organizationId }) => organizationId));
  const named = memberships.filter(({ organizationId }) => limits.has(organizationId));
  const organizations = await readAll(named.map(({ orgSlug }) => at(organizationRecord, orgSlug)));
  const active = organizations.flatMap(organization =>
    organization?.status === 'active' ? [[organization.id, organization] as const] : [],
  );
  return { tokens, organizations: new Map(active) };
}

export interface AccountChange {
  set: Factors &
    Partial<Pick<UserRecord, 'factorChange' | 'email' | 'emailChanges' | 'emailVerified' | 'passwordHash'>>;
  writes: Write[];
}

export interface EndedSessions {
  user: UserRecord;
  /** Tokens to revoke as well: all of the user's, or none. */
  held: HeldTokens | undefined;
  source: RequestSource;
  /** The other changes, given the account's current state. */
  decide: (user: UserRecord) => Promise<AccountChange>;
  /** Also ends every link to a provider: a recovery ends every way in that others may have created. */
  recovers?: true;
  gone: () => Error;
}

/**
 * Ends every session and reset link of the account by raising its epoch, and revokes the `held` tokens, those that do
 * not fit in the transaction just before it. If a token is created meanwhile, everything is read again, so none
 * remains.
 */
export async function endSessions({ user, held, source, decide, recovers, gone }: EndedSessions): Promise<void> {
  const { id } = user;
  // The account is read first: creating a token afterwards then fails the condition on it.
  const readUser = () => find(at(userRecord, id));
  const readAgain = async () => ({ user: await readUser(), held: held && (await readHeldTokens(id)) });
  const foreseen: Awaited<ReturnType<typeof readAgain>> = { user, held };
  await retryWithFreshRead(foreseen, readAgain, async current => {
    if (current.user === undefined) throw gone();
    const { set, writes } = await decide(current.user);
    const raised = { ...set, sessionEpoch: current.user.sessionEpoch + 1 };
    const add = recovers === true ? { linkEpoch: 1 } : {};
    const unchanged = { ...factorsUnchanged(current.user), ...isUnchanged(current.user) };
    const account = update(at(userRecord, id), { set: raised, add }, { if: unchanged });
    await transactAfter(await revocationsOf(current.user, current.held, source), [account, ...writes]);
  });
}

/** Makes the last writes, and with or before them each group of the earlier ones, which belong together. */
export async function transactAfter(groups: readonly Write[][], last: Write[]): Promise<void> {
  const earlier: Write[][] = [];
  for (const group of groups) {
    const withSpace = [last, ...earlier].find(writes => writes.length + group.length < maximumWritesPerTransaction);
    if (withSpace === undefined) earlier.push(group);
    else withSpace.push(...group);
  }
  for (const chunk of chunksOf(10, earlier)) await Promise.all(chunk.map(writes => transact(asRevocation(writes))));
  await transact(asRevocation(last));
}

/** The writes that revoke each token: its removal, and an audit entry if it is limited to an organization. */
export async function revocationsOf(user: UserRecord, held: HeldTokens | undefined, source: RequestSource) {
  const actor: AuditActor = { id: user.id, email: user.email, type: 'session' };
  return Promise.all(
    (held?.tokens ?? []).map(async ({ id, name, hash, organizationId }) => {
      const revocation = remove(at(tokenRecord, user.id, hash), { if: isThere });
      const organization = held?.organizations.get(organizationId ?? '');
      if (organization === undefined) return [revocation];
      const facts = { action: 'token.revoked', target: { type: 'token', id, name } } as const;
      return [revocation, await auditWrite(organization, actor, source, facts)];
    }),
  );
}
