import { issuingKey } from '../access/credential-key.ts';
import { sessionCookie, sessionEndsAt } from '../access/session-cookie.ts';
import { ApiError } from '../core/errors.ts';
import type { RequestSource } from '../core/request-source.ts';
import { settings } from '../core/settings.ts';
import { createCredential } from '../crypto/credentials.ts';
import { isNew, isThere } from '../table/expressions.ts';
import { at } from '../table/read.ts';
import { type SessionRecord, sessionRecord } from '../table/records/session.ts';
import type { UserRecord } from '../table/records/user.ts';
import { put, remove, type Write } from '../table/write.ts';

type SessionFacts = Partial<Pick<SessionRecord, 'id' | 'secondFactor' | 'createdAt' | 'provedAt'>> & {
  brokeGlassIn?: SessionRecord['brokeGlassIn'];
  provider?: SessionRecord['provider'];
};

/** A session that a step-up replaces. */
export interface ReplacedSession {
  id?: string | undefined;
  hash: string;
  createdAt: string;
}

/**
 * A new session, and the end of the one that it replaces, if any. It keeps that one's `createdAt`, so its maximum lifetime
 * does not start again, and its `id`.
 */
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
  const { cookie, write } = await newSession(user, source, {
    ...facts,
    createdAt,
    ...(id === undefined ? {} : { id }),
  });
  const ended = remove(at(sessionRecord, user.id, hash), { if: isThere, refused: sessionEnded });
  return { cookie, writes: [ended, write] };
}

/** A new session: its Set-Cookie line and the write that makes it valid. Only the secret's hash is stored. */
export async function newSession(
  user: Pick<UserRecord, 'id' | 'sessionEpoch'>,
  { ip, userAgent }: Pick<RequestSource, 'ip' | 'userAgent'>,
  { id, secondFactor = false, brokeGlassIn = [], createdAt, provedAt: given, provider }: SessionFacts = {},
): Promise<{ cookie: string; write: Write }> {
  const { secret, hash } = createCredential(user.id, '', await issuingKey());
  const now = Date.now();
  const startedAt = new Date(now).toISOString();
  const facts = { createdAt: createdAt ?? startedAt, ...(provider === undefined ? {} : { provider }) };
  const expiresAt = sessionEndsAt(facts, now);
  const session = {
    ...(id === undefined ? {} : { id }),
    userId: user.id,
    epoch: user.sessionEpoch,
    ...facts,
    lastUsedAt: startedAt,
    ip,
    userAgent,
    provedAt: given ?? startedAt,
    secondFactor,
    ...(brokeGlassIn.length === 0 ? {} : { brokeGlassIn }),
    restoredTable: settings().RESTORED_TABLE,
    expiresAt,
  };
  return {
    cookie: sessionCookie(secret, expiresAt),
    write: put(at(sessionRecord, user.id, hash), session, { if: isNew }),
  };
}

export const sessionEnded = () => new ApiError('unauthenticated', 'This session has ended. Sign in again.');
