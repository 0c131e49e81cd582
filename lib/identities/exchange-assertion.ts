import type { JWTPayload } from 'jose';
import { issuingKey } from '../access/credential-key.ts';
import type { RequestContext } from '../access/request-context.ts';
import { newToken, tokenWrite } from '../accounts/new-token.ts';
import { type AuditFacts, auditWrite, identityActor } from '../audit/write.ts';
import type { AnswerOf, BodyOf } from '../contracts/contract.ts';
import { audienceOf } from '../contracts/fields/identity-limits.ts';
import { isOnlyAudience, matchClaims } from '../contracts/fields/match-claims.ts';
import type { exchangeAssertion as contract } from '../contracts/identities/exchange-assertion.ts';
import { ApiError } from '../core/errors.ts';
import { type Counter, count, countOne, isReached, toRead } from '../limits/count.ts';
import { takeShare } from '../limits/fair-share.ts';
import { networkOf } from '../limits/network.ts';
import { failedExchanges, keyFetches, keyFetchesOfNetwork, recordedRefusals } from '../limits/rate-limits.ts';
import { isNew, isThere } from '../table/expressions.ts';
import { at, find, readTogether } from '../table/read.ts';
import { type IdentityRecord, identityRecord } from '../table/records/identity.ts';
import { type IssuerKeysRecord, issuerKeysRecord } from '../table/records/issuer-keys.ts';
import type { LiveTokensRecord } from '../table/records/live-tokens.ts';
import { type OrganizationRecord, organizationRecord } from '../table/records/organization.ts';
import {
  ConditionFailed,
  retryOnConditionFailed,
  retryWithFreshRead,
  transact,
  update,
  type Write,
} from '../table/write.ts';
import { claimsProblem } from './claims-problem.ts';
import { identityTarget } from './identity-view.ts';
import { currentKeys, isBeingFetched, issuerUnavailable, renewedKeys, usableKeys } from './issuer-keys.ts';
import { listToken, liveTokensAt } from './live-tokens.ts';
import { RecordedForLonger, recordOf, recordOfUse } from './record-assertion.ts';
import { claimsOfOwner } from './shared-issuers.ts';
import { invalidAssertion, unverifiedClaims, verifyAssertion } from './verify-assertion.ts';

type Issued = AnswerOf<typeof contract>;

/** What happens to an identity is recorded at most once an hour, so that most exchanges don't write its item. */
const noteStepMs = 60 * 60_000;

/**
 * Exchanges a platform's token for the identity's bearer token. Two round trips if the issuer's keys are known.
 * @throws invalid_assertion, claims_mismatch, assertion_replayed, issuer_unavailable, rate_limited
 */
export async function exchangeAssertion(context: RequestContext, wanted: BodyOf<typeof contract>): Promise<Issued> {
  const { identityId, organizationSlug, subjectToken } = wanted;
  const claimed = unverifiedClaims(subjectToken);
  if (!isOnlyAudience(claimed, audienceOf(identityId)) || typeof claimed.iss !== 'string') throw invalidAssertion();
  const failures = failedExchanges(organizationSlug);
  const [{ organization, identity, known, failed, live }] = await Promise.all([
    readTogether({
      organization: at(organizationRecord, organizationSlug),
      identity: at(identityRecord, organizationSlug, identityId),
      known: at(issuerKeysRecord, claimed.iss),
      failed: toRead(failures),
      live: liveTokensAt(identityId),
    }),
    // Loaded now because the token's MAC needs it.
    issuingKey(),
  ]);
  if (organization?.status !== 'active' || identity === undefined || identity.issuer !== claimed.iss) {
    throw invalidAssertion();
  }
  const mayFetch = !isReached(failures, failed);
  const fetches = [keyFetches(organizationSlug), keyFetchesOfNetwork(networkOf(context.source.ip))];
  const proven = await prove(context, { subjectToken, identity, known, mayFetch, fetches, failures });
  const assertion = { organization, identity, proven, subjectToken, live };
  const tooBroad = claimsProblem(identity.issuer, identity.claims);
  if (tooBroad !== undefined) {
    const missing = claimsOfOwner(identity.issuer) ?? [];
    await recordRefusal(context, assertion, 'claims_mismatch', missing);
    throw new ApiError(
      'claims_mismatch',
      `This identity’s claims are too permissive: it ${tooBroad}. Ask an owner or admin to add such a claim.`,
      { details: { claims: [...missing] } },
    );
  }
  const mismatched = matchClaims(proven, identity.claims).flatMap(({ name, matches }) => (matches ? [] : [name]));
  if (mismatched.length > 0) {
    await recordRefusal(context, assertion, 'claims_mismatch', mismatched);
    throw new ApiError(
      'claims_mismatch',
      `These claims of the token do not match the identity: ${mismatched.join(', ')}.`,
      { details: { claims: mismatched } },
    );
  }
  takeShare(organization);
  return issue(context, assertion);
}

interface Assertion {
  organization: OrganizationRecord;
  identity: IdentityRecord;
  /** The verified claims. */
  proven: JWTPayload;
  subjectToken: string;
  /** The identity's tokens as read. */
  live: LiveTokensRecord | undefined;
}

interface Proving {
  subjectToken: string;
  identity: IdentityRecord;
  /** The issuer's keys, if the table has them. */
  known: IssuerKeysRecord | undefined;
  mayFetch: boolean;
  /** Count fetches of keys. */
  fetches: readonly Counter[];
  failures: Counter;
}

/**
 * The claims of a genuine assertion. Known keys suffice for verification even when too many exchanges fail, so no one
 * can lock out a pipeline by causing failures.
 * @throws invalid_assertion, issuer_unavailable; rate_limited instead of either once too many have failed
 */
async function prove(
  { log, source }: RequestContext,
  { subjectToken, identity: { id, issuer, jwks, maxAssertionAgeMinutes }, known, mayFetch, fetches, failures }: Proving,
): Promise<JWTPayload> {
  const expected = { issuer, audience: audienceOf(id), maximumAgeMinutes: maxAssertionAgeMinutes };
  const fetching = { log, counters: fetches };
  try {
    const stored = () => (mayFetch ? currentKeys(issuer, known, fetching) : usableKeys(known));
    const fetched = jwks === null ? await stored() : undefined;
    let proven = await verifyAssertion(subjectToken, expected, (fetched ?? jwks)?.keys ?? []);
    if (proven === undefined && fetched !== undefined && mayFetch) {
      // The issuer may have changed its keys since.
      const renewed = await renewedKeys(issuer, fetched, fetching);
      proven = await verifyAssertion(subjectToken, expected, renewed?.keys ?? []);
      if (proven === undefined && isBeingFetched(renewed)) throw issuerUnavailable(renewed);
    }
    if (proven === undefined) throw invalidAssertion();
    return proven;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    log.account('assertion_refused', { identityId: id, code: error.code, ip: source.ip });
    await count(failures);
    throw error;
  }
}

async function issue(context: RequestContext, assertion: Assertion): Promise<Issued> {
  const { organization, identity, proven } = assertion;
  const { id, name, access, projectId, environmentId, trustId, tokenMinutes } = identity;
  const { token, cliToken } = await newToken(
    { id, email: name },
    {
      name,
      access,
      organizationId: organization.id,
      projectId,
      environmentId,
      memberId: trustId,
      secondFactor: false,
      lifetimeMs: tokenMinutes * 60_000,
    },
  );
  let record: Write[] = [recordOfUse(assertion)];
  const details = { subject: subjectOf(proven), expiresAt: cliToken.expiryDate };
  const issueBeside = async (live: LiveTokensRecord | undefined) => {
    const { writes, endedTokens } = listToken(live, cliToken);
    const action = 'identity.token_issued';
    const facts = { action, details: endedTokens > 0 ? { ...details, endedTokens } : details } as const;
    await transact([
      ...record,
      tokenWrite(cliToken),
      ...writes,
      ...noteOfUse(organization, identity, endedTokens),
      await entryOf(context, assertion, facts, cliToken.id),
    ]);
    return endedTokens;
  };
  let endedTokens: number;
  try {
    endedTokens = await retryWithFreshRead(
      assertion.live,
      () => find(liveTokensAt(id)),
      live =>
        issueBeside(live).catch(error => {
          if (!(error instanceof RecordedForLonger)) throw error;
          record = [];
          throw new ConditionFailed([]);
        }),
    );
  } catch (error) {
    if (error instanceof ApiError && error.code === 'assertion_replayed') {
      await recordRefusal(context, assertion, 'assertion_replayed', []);
    }
    throw error;
  }
  const { expiryDate } = cliToken;
  if (expiryDate === null) throw new Error('Identity tokens always expire.');
  return { token, expiresAt: expiryDate, organizationId: organization.id, endedTokens };
}

function noteOfUse({ slug }: OrganizationRecord, identity: IdentityRecord, endedTokens: number): Write[] {
  const { id, lastUsedAt, tokensEndedAt = null } = identity;
  const now = new Date();
  const isDue = (notedAt: string | null) => notedAt === null || now.getTime() - Date.parse(notedAt) >= noteStepMs;
  const set = {
    ...(isDue(lastUsedAt) ? { lastUsedAt: now.toISOString() } : {}),
    ...(endedTokens > 0 && isDue(tokensEndedAt) ? { tokensEndedAt: now.toISOString() } : {}),
  };
  if (Object.keys(set).length === 0) return [];
  return [update(at(identityRecord, slug, id), { set }, { if: isThere, refused: () => invalidAssertion() })];
}

/**
 * Records the rejection of a genuine assertion, once per assertion.
 * @throws rate_limited if too many were rejected
 */
async function recordRefusal(
  context: RequestContext,
  assertion: Assertion,
  reason: 'claims_mismatch' | 'assertion_replayed',
  claims: readonly string[],
): Promise<void> {
  const { identity, proven } = assertion;
  const details = { reason, subject: subjectOf(proven), ...(claims.length === 0 ? {} : { claims: claims.join(', ') }) };
  const refusals = recordedRefusals(identity.id);
  try {
    await retryOnConditionFailed(async () =>
      transact([
        recordOf(reason, assertion, { if: isNew, refused: () => new RefusalRecorded() }),
        ...countOne(refusals),
        await entryOf(context, assertion, { action: 'identity.refused', details }),
      ]),
    );
  } catch (error) {
    if (!(error instanceof RefusalRecorded)) throw error;
  }
}

class RefusalRecorded extends Error {}

function entryOf(
  { source }: RequestContext,
  { organization, identity }: Assertion,
  facts: Pick<AuditFacts, 'action' | 'details'>,
  tokenId?: string,
): Promise<Write> {
  const actor = identityActor(identity.id, identity.name, tokenId);
  return auditWrite(organization, actor, source, { ...facts, target: identityTarget(identity) });
}

/** The caller's name according to the platform, for the audit log. */
function subjectOf({ sub }: JWTPayload): string | null {
  return typeof sub === 'string' ? sub.slice(0, 500) : null;
}
