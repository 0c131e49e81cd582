import { sessionCookie, sessionLifetimeSeconds } from '../access/session-cookie.ts';
import { createCredential } from '../crypto/credentials.ts';
import { isNew } from '../table/expressions.ts';
import { sessionRecord } from '../table/records/session.ts';
import type { UserRecord } from '../table/records/user.ts';
import { at, put, type Write } from '../table/store.ts';

/** A new session: its Set-Cookie line and the write that makes it valid. Only the secret's hash is stored. */
export function newSession(user: Pick<UserRecord, 'id' | 'sessionEpoch'>): { cookie: string; write: Write } {
  const { secret, hash } = createCredential(user.id);
  const now = Date.now();
  const session = {
    userId: user.id,
    epoch: user.sessionEpoch,
    createdAt: new Date(now).toISOString(),
    expiresAt: Math.floor(now / 1000) + sessionLifetimeSeconds,
  };
  return { cookie: sessionCookie(secret), write: put(at(sessionRecord, user.id, hash), session, { if: isNew }) };
}
