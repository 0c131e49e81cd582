import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { Log } from '../core/logger.ts';
import { sourceOf } from '../core/request-source.ts';
import { isThere } from '../table/expressions.ts';
import { at } from '../table/read.ts';
import { sessionRecord } from '../table/records/session.ts';
import { tokenRecord } from '../table/records/token.ts';
import { ConditionFailed, transact, update } from '../table/write.ts';
import type { Principal } from './principal.ts';
import { sessionCookie, sessionEndsAt, sessionSecretOf } from './session-cookie.ts';

/** The last use is noted once an hour, so that most requests write nothing. */
const lastUseStepMs = 60 * 60_000;

/**
 * Notes the use of a credential while the handler works. Resolves to the session cookie to send again, if any.
 * Never rejects: the request was authorized, and must not fail for a note; a failure goes to the log.
 */
export async function keepCredentialFresh(
  principal: Principal | undefined,
  event: APIGatewayProxyEventV2,
  log: Log,
): Promise<string | undefined> {
  // The use of an identity is noted by the exchange.
  if (principal === undefined || principal.identity !== undefined) return undefined;
  const { credential, userId } = principal;
  try {
    if (credential.method === 'token') {
      const { token } = credential;
      const lastUsedMs = token.lastUsedAt === null ? 0 : Date.parse(token.lastUsedAt);
      if (Date.now() - lastUsedMs < lastUseStepMs) return undefined;
      const lastUsedAt = new Date().toISOString();
      await transact([update(at(tokenRecord, userId, token.hash), { set: { lastUsedAt } }, { if: isThere })]);
      return undefined;
    }
    const { hash, session } = credential;
    const now = Date.now();
    if (now - Date.parse(session.lastUsedAt) < lastUseStepMs) return undefined;
    const expiresAt = sessionEndsAt(session.createdAt, now);
    const { ip, userAgent } = sourceOf(event);
    const use = { lastUsedAt: new Date(now).toISOString(), ip, userAgent, expiresAt };
    await transact([update(at(sessionRecord, userId, hash), { set: use }, { if: isThere })]);
    const secret = sessionSecretOf(event.cookies);
    return secret === undefined ? undefined : sessionCookie(secret, expiresAt);
  } catch (error) {
    // The credential was revoked or logged out at the same moment, so there is nothing left to note.
    if (!(error instanceof ConditionFailed))
      log.warn('could not note the use of a credential', { reason: String(error) });
    return undefined;
  }
}
