import { unauthenticated } from '../access/authenticate.ts';
import { isIdentityId } from '../access/principal.ts';
import type { CallerContext } from '../access/request-context.ts';
import { revokeTokenOfUser, tokenNotFound } from '../accounts/tokens.ts';
import { auditWrite, identityActor } from '../audit/write.ts';
import { maximumLiveTokens, maximumTokenMinutes } from '../contracts/fields/identity-limits.ts';
import { expiryAfter } from '../core/time.ts';
import { atMost, type Condition, equals, exists, isNew, isThere } from '../table/expressions.ts';
import { at, find, type Read, readTogether } from '../table/read.ts';
import { type TokenRecord, tokenRecord } from '../table/records/credentials.ts';
import { identityRightsRecord, type LiveTokensRecord, liveTokensRecord } from '../table/records/identity.ts';
import { membershipRecord, organizationRecord } from '../table/records/organization.ts';
import { put, remove, retryOnConditionFailed, transact, update, type Write } from '../table/write.ts';

/**
 * One item lists the tokens of an identity. The transaction that issues a token lists it and removes expired ones. Its
 * condition is the new count: below the limit, concurrent exchanges don't disturb each other. At the limit, it also
 * revokes the oldest token, and the count must be as read. If a condition doesn't hold, the list is read again.
 */

type Listed = [hash: string, token: readonly [issuedAtMs: number, expiresAtMs: number]];

export function liveTokensAt(identityId: string): Read<LiveTokensRecord> {
  return at(liveTokensRecord, identityId);
}

/** The writes that list a new token and, at the limit, revoke the oldest; and how many valid tokens they revoke. */
export function listToken(stored: LiveTokensRecord | undefined, { userId, hash, createdAt, expiryDate }: TokenRecord) {
  const nowMs = Date.now();
  const token: [number, number] = [Date.parse(createdAt), Date.parse(expiryDate ?? '')];
  const expiresAt = expiryAfter(maximumTokenMinutes * 60, nowMs);
  const item = liveTokensAt(userId);
  if (stored === undefined) {
    const first = put(item, { tokens: { [hash]: token }, count: 1, expiresAt }, { if: isNew });
    return { writes: [first], endedTokens: 0 };
  }
  const listed: Listed[] = Object.entries(stored.tokens);
  const { live = [], expired = [] } = Object.groupBy(listed, ([, [, endMs]]) => (endMs > nowMs ? 'live' : 'expired'));
  const revoked = hashesOf(live.toSorted(byAge).slice(0, Math.max(0, live.length + 1 - maximumLiveTokens)));
  const gone = [...hashesOf(expired), ...revoked];
  const count = revoked.length > 0 ? equals(stored.count) : atMost(maximumLiveTokens - 1 + gone.length);
  const listing = update(
    item,
    { set: { ...without(gone), [`tokens.${hash}`]: token, expiresAt }, add: { count: 1 - gone.length } },
    { if: { ...stillListed(gone), count } },
  );
  const revocations = revoked.map(listedHash => remove(at(tokenRecord, userId, listedHash)));
  return { writes: [listing, ...revocations], endedTokens: revoked.length };
}

/** The write that removes a revoked token from the list; none if it is not listed. */
export function unlistToken(stored: LiveTokensRecord | undefined, { userId, hash }: TokenRecord): Write[] {
  if (stored?.tokens[hash] === undefined) return [];
  return [update(liveTokensAt(userId), { set: without([hash]), add: { count: -1 } }, { if: stillListed([hash]) })];
}

const hashesOf = (listed: readonly Listed[]) => listed.map(([hash]) => hash);

function byAge([hash, [issuedAtMs]]: Listed, [otherHash, [otherIssuedAtMs]]: Listed): number {
  return issuedAtMs - otherIssuedAtMs || hash.localeCompare(otherHash);
}

function without(hashes: readonly string[]): { [path: `tokens.${string}`]: undefined } {
  return Object.fromEntries(hashes.map(hash => [`tokens.${hash}`, undefined]));
}

function stillListed(hashes: readonly string[]): Condition<LiveTokensRecord> {
  return Object.fromEntries(hashes.map(hash => [`tokens.${hash}`, exists]));
}

/** @throws token_not_found for a session; unauthenticated if the identity was deleted or its trust changed */
export async function revokeCurrentToken(context: CallerContext): Promise<void> {
  const { userId, credential } = context.principal;
  if (credential.method === 'token' && isIdentityId(userId)) await revokeTokenOfIdentity(context, credential.token);
  else await revokeTokenOfUser(context);
}

function revokeTokenOfIdentity({ source }: CallerContext, token: TokenRecord): Promise<void> {
  const { id, userId: identityId, hash, name } = token;
  return retryOnConditionFailed(async () => {
    const { orgSlug } = (await find(at(membershipRecord, identityId, token.organizationId ?? ''))) ?? {};
    if (orgSlug === undefined) throw unauthenticated();
    const { organization, identity, live } = await readTogether({
      organization: at(organizationRecord, orgSlug),
      identity: at(identityRightsRecord, orgSlug, identityId),
      live: liveTokensAt(identityId),
    });
    if (organization?.status !== 'active' || identity?.trustId !== token.memberId) throw unauthenticated();
    const revocation = remove(at(tokenRecord, identityId, hash), { if: isThere, refused: tokenNotFound });
    const facts = { action: 'token.revoked', target: { type: 'token', id, name } } as const;
    const actor = identityActor(identityId, identity.name, id);
    const entry = await auditWrite(organization, actor, source, facts);
    await transact([revocation, ...unlistToken(live, token), entry]);
  });
}
