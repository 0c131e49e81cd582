import { confinementOf } from '../access/principal.ts';
import type { AccountContext } from '../access/request-context.ts';
import { endOfSession, sessionIdOf } from '../access/session-cookie.ts';
import type { Session } from '../contracts/auth/list-sessions.ts';
import { ApiError } from '../core/errors.ts';
import { ranges } from '../table/keys.ts';
import { at, queryItems } from '../table/read.ts';
import { sessionRecord } from '../table/records/session.ts';
import { remove, transact } from '../table/write.ts';

interface FoundSession {
  hash: string;
  session: Session;
}

/** The user's valid sessions, most recently used first. */
export async function listSessions(context: AccountContext): Promise<Session[]> {
  const found = await readSessions(context);
  return found
    .map(({ session }) => session)
    .sort((a, b) => b.lastUsedAt.localeCompare(a.lastUsedAt) || a.id.localeCompare(b.id));
}

/**
 * Ends one of the caller's own sessions immediately, even the current one.
 * @throws session_not_found
 */
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
async function readSessions({ principal }: AccountContext): Promise<FoundSession[]> {
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
    const shown = {
      id: sessionIdOf({ hash, session }),
      current,
      createdAt,
      lastUsedAt,
      ip,
      userAgent,
      expiresAt: new Date(endsAt).toISOString(),
    };
    return [{ hash, session: shown }];
  });
}
