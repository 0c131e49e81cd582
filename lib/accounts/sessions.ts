import { issuingKey } from '../access/credential-key.ts';
import { confinementOf } from '../access/principal.ts';
import type { AccountContext } from '../access/request-context.ts';
import { endOfSession, sessionCookie, sessionEndsAt, sessionIdOf } from '../access/session-cookie.ts';
import type { Session } from '../contracts/auth/sessions.ts';
import { ApiError } from '../core/errors.ts';
import type { RequestSource } from '../core/request-source.ts';
import { settings } from '../core/settings.ts';
import { createCredential } from '../crypto/credentials.ts';
import { isNew, isThere } from '../table/expressions.ts';
import { ranges } from '../table/keys.ts';
import { at, queryItems } from '../table/read.ts';
import { type SessionRecord, sessionRecord } from '../table/records/credentials.ts';
import type { UserRecord } from '../table/records/user.ts';
import { put, remove, transact, type Write } from '../table/write.ts';

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

/** Ends the session that the request was made with. */
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

type SessionFacts = Partial<
  Pick<SessionRecord, 'id' | 'secondFactor' | 'createdAt' | 'provedAt' | 'brokeGlassIn' | 'provider'>
>;

/** A session that a step-up replaces. */
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
