import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { Log } from '../core/logger.ts';
import { sourceOf } from '../core/request-source.ts';
import { hourMs } from '../core/time.ts';
import { isThere } from '../table/expressions.ts';
import { at } from '../table/read.ts';
import { sessionRecord, tokenRecord } from '../table/records/credentials.ts';
import { transactIfHolds, update } from '../table/write.ts';
import type { Principal } from './principal.ts';
import { sessionCookie, sessionEndsAt, sessionSecretOf } from './session-cookie.ts';

/**
 * Records the use of a credential while the handler runs, at most once an hour. Resolves to the session cookie to send
 * again, if any. Never rejects: a failure here must not fail an authorized request, so it is only logged.
 */
export async function keepCredentialFresh(principal: Principal | undefined, event: APIGatewayProxyEventV2, log: Log) {
  // The exchange records the use of an identity.
  if (principal === undefined || principal.identity !== undefined) return undefined;
  const { credential, userId } = principal;
  const now = Date.now();
  const used = credential.method === 'token' ? credential.token : credential.session;
  if (used.lastUsedAt !== null && now - Date.parse(used.lastUsedAt) < hourMs) return undefined;
  const lastUsedAt = new Date(now).toISOString();
  try {
    if (credential.method === 'token') {
      const item = at(tokenRecord, userId, credential.token.hash);
      await transactIfHolds([update(item, { set: { lastUsedAt } }, { if: isThere })]);
      return undefined;
    }
    const { ip, userAgent } = sourceOf(event);
    const expiresAt = sessionEndsAt(credential.session, now);
    const set = { lastUsedAt, ip, userAgent, expiresAt };
    const write = update(at(sessionRecord, userId, credential.hash), { set }, { if: isThere });
    // If the condition fails, the credential was revoked concurrently and there is nothing left to record.
    const secret = (await transactIfHolds([write])) ? sessionSecretOf(event.cookies) : undefined;
    return secret === undefined ? undefined : sessionCookie(secret, expiresAt);
  } catch (error) {
    log.warn('could not record the use of a credential', { reason: String(error) });
    return undefined;
  }
}
