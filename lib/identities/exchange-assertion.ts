import type { JWTPayload } from 'jose';
import { requireNetwork } from '../access/allowed-networks.ts';
import { issuingKey } from '../access/credential-key.ts';
import type { RequestContext } from '../access/request-context.ts';
import { newToken, tokenWrite } from '../accounts/tokens.ts';
import { type AuditFacts, auditWrite, identityActor } from '../audit/write.ts';
import type { AnswerOf, BodyOf } from '../contracts/contract.ts';
import { audienceOf } from '../contracts/fields/identity-limits.ts';
import { isOnlyAudience, matchClaims } from '../contracts/fields/match-claims.ts';
import type { exchangeAssertion as contract } from '../contracts/identities/exchange-assertion.ts';
import { ApiError } from '../core/errors.ts';
import { hourMs, minuteMs } from '../core/time.ts';
import { count, countOne, countRead, isReached } from '../limits/count.ts';
import { takeShare } from '../limits/fair-share.ts';
import { networkOf } from '../limits/network.ts';
import { failedExchanges, keyFetches, keyFetchesOfNetwork, recordedRefusals } from '../limits/rate-limits.ts';
import { currentKeys, isBeingFetched, issuerUnavailable, renewedKeys, usableKeys } from '../outbound/issuer-keys.ts';
import { recentPlanConfigs, requestShareOf } from '../plans/effective-limits.ts';
import { isNew, isThere } from '../table/expressions.ts';
import { at, find, readTogether } from '../table/read.ts';
import {
  type IdentityRecord,
  type IssuerKeysRecord,
  identityRecord,
  issuerKeysRecord,
  type LiveTokensRecord,
  type VerificationKey,
} from '../table/records/identity.ts';
import { type OrganizationRecord, organizationRecord } from '../table/records/organization.ts';
import {
  ConditionFailed,
  retryOnConditionFailed,
  retryWithFreshRead,
  transact,
  update,
  type Write,
} from '../table/write.ts';
import { identityTarget } from './identities.ts';
import { listToken, liveTokensAt } from './live-tokens.ts';
import { claimsOfOwner, claimsProblem } from './shared-issuers.ts';
import {
  invalidAssertion,
  type ProvenAssertion,
  RecordedForLonger,
  type RefusalReason,
  recordOf,
  recordOfUse,
  unverifiedClaims,
  verifyAssertion,
} from './verify-assertion.ts';

type Issued = AnswerOf<typeof contract>;

/**
 * Exchanges a platform's token for the identity's bearer token. Two round trips if the issuer's keys are stored.
 * @throws invalid_assertion, claims_mismatch, network_not_allowed, assertion_replayed, issuer_unavailable, rate_limited
 */
export async function exchangeAssertion(context: RequestContext, requested: BodyOf<typeof contract>): Promise<Issued> {
  const { identityId, organizationSlug, subjectToken } = requested;
  const claimed = unverifiedClaims(subjectToken);
  if (!isOnlyAudience(claimed, audienceOf(identityId)) || typeof claimed.iss !== 'string') throw invalidAssertion();
  const failures = failedExchanges(organizationSlug);
  const [{ organization, identity, issuerKeys, failed, live }] = await Promise.all([
    readTogether({
      organization: at(organizationRecord, organizationSlug),
      identity: at(identityRecord, organizationSlug, identityId),
      issuerKeys: at(issuerKeysRecord, claimed.iss),
      failed: countRead(failures),
      live: liveTokensAt(identityId),
    }),
    // Loaded now because the token's MAC needs it.
    issuingKey(),
  ]);
  if (organization?.status !== 'active' || identity === undefined || identity.issuer !== claimed.iss) {
    throw invalidAssertion();
  }
  const proving = { subjectToken, identity, organizationSlug, issuerKeys, mayFetch: !isReached(failures, failed) };
  const proven = await prove(context, proving).catch(async error => {
    if (!(error instanceof ApiError)) throw error;
    context.log.account('assertion_refused', { identityId, code: error.code, ip: context.source.ip });
    await count(failures);
    throw error;
  });
  const assertion = { organization, identity, proven, subjectToken };
  await requireClaims(context, assertion);
  await requireMachineNetwork(context, assertion);
  takeShare(requestShareOf(organization, await recentPlanConfigs()));
  return issue(context, assertion, live);
}

interface Assertion extends ProvenAssertion {
  organization: OrganizationRecord;
}

interface Proving extends Pick<Assertion, 'subjectToken' | 'identity'> {
  organizationSlug: string;
  issuerKeys: IssuerKeysRecord | undefined;
  mayFetch: boolean;
}

/**
 * The claims of a genuine assertion. Stored keys suffice even when too many exchanges fail, so nobody can lock out a
 * pipeline by causing failures. @throws invalid_assertion, issuer_unavailable, rate_limited
 */
async function prove(
  { log, source }: RequestContext,
  { subjectToken, identity, organizationSlug, issuerKeys, mayFetch }: Proving,
): Promise<JWTPayload> {
  const { id, issuer, jwks, maxAssertionAgeMinutes } = identity;
  const expected = { issuer, audience: audienceOf(id), maximumAgeMinutes: maxAssertionAgeMinutes };
  const verify = (keys: readonly VerificationKey[] = []) => verifyAssertion(subjectToken, expected, keys);
  const fetching = { log, counters: [keyFetches(organizationSlug), keyFetchesOfNetwork(networkOf(source.ip))] };
  const stored = () => (mayFetch ? currentKeys(issuer, issuerKeys, fetching) : usableKeys(issuerKeys));
  const fetched = jwks === null ? await stored() : undefined;
  let proven = await verify((fetched ?? jwks)?.keys);
  if (proven === undefined && fetched !== undefined && mayFetch) {
    // The issuer may have changed its keys since.
    const renewed = await renewedKeys(issuer, fetched, fetching);
    proven = await verify(renewed?.keys);
    if (proven === undefined && isBeingFetched(renewed)) throw issuerUnavailable(renewed);
  }
  if (proven === undefined) throw invalidAssertion();
  return proven;
}

/** @throws claims_mismatch if strangers could satisfy the identity's claims, or the assertion doesn't */
async function requireClaims(context: RequestContext, assertion: Assertion): Promise<void> {
  const { identity, proven } = assertion;
  const refuse = async (claims: readonly string[], message: string) => {
    await recordRefusal(context, assertion, 'claims_mismatch', claims);
    throw new ApiError('claims_mismatch', message, { details: { claims } });
  };
  const tooBroad = claimsProblem(identity.issuer, identity.claims);
  if (tooBroad !== undefined) {
    const message = `This identity’s claims are too permissive: it ${tooBroad}. Ask an owner or admin to add such a claim.`;
    await refuse(claimsOfOwner(identity.issuer) ?? [], message);
  }
  const mismatches = matchClaims(proven, identity.claims).filter(({ matches }) => !matches);
  const names = mismatches.map(({ name }) => name);
  if (names.length > 0)
    await refuse(names, `These claims of the token do not match the identity: ${names.join(', ')}.`);
}

/** @throws network_not_allowed */
async function requireMachineNetwork(context: RequestContext, assertion: Assertion): Promise<void> {
  try {
    requireNetwork(assertion.organization, 'machines', context.source.ip);
  } catch (error) {
    await recordRefusal(context, assertion, 'network_not_allowed');
    throw error;
  }
}

async function issue(context: RequestContext, assertion: Assertion, live?: LiveTokensRecord): Promise<Issued> {
  const { organization, identity, proven } = assertion;
  const { id, name, access, projectId, environmentId, trustId: memberId, tokenMinutes } = identity;
  const limits = { organizationId: organization.id, projectId, environmentId, memberId };
  const facts = { name, access, ...limits, secondFactor: false, lifetimeMs: tokenMinutes * minuteMs };
  const { token, cliToken } = await newToken({ id, email: name }, facts);
  const { expiryDate } = cliToken;
  if (expiryDate === null) throw new Error('Identity tokens always expire.');
  let record: Write[] = [recordOfUse(assertion)];
  const readAgain = () => find(liveTokensAt(id));
  const issuing = retryWithFreshRead(live, readAgain, async current => {
    const { writes, endedTokens } = listToken(current, cliToken);
    const details = { subject: subjectOf(proven), expiresAt: expiryDate, ...(endedTokens > 0 ? { endedTokens } : {}) };
    const entry = await entryOf(context, assertion, { action: 'identity.token_issued', details }, cliToken.id);
    const note = noteOfUse(organization, identity, endedTokens);
    await transact([...record, tokenWrite(cliToken), ...writes, ...note, entry]).catch(error => {
      if (!(error instanceof RecordedForLonger)) throw error;
      record = [];
      throw new ConditionFailed([]);
    });
    return endedTokens;
  });
  const endedTokens = await issuing.catch(async error => {
    const isReplayed = error instanceof ApiError && error.code === 'assertion_replayed';
    if (isReplayed) await recordRefusal(context, assertion, 'assertion_replayed');
    throw error;
  });
  return { token, expiresAt: expiryDate, organizationId: organization.id, endedTokens };
}

/** Records the use at most once an hour, so that most exchanges don't write the identity's item. */
function noteOfUse({ slug }: OrganizationRecord, identity: IdentityRecord, endedTokens: number): Write[] {
  const { id, lastUsedAt, tokensEndedAt = null } = identity;
  const now = new Date();
  const isDue = (notedAt: string | null) => notedAt === null || now.getTime() - Date.parse(notedAt) >= hourMs;
  const set = {
    ...(isDue(lastUsedAt) ? { lastUsedAt: now.toISOString() } : {}),
    ...(endedTokens > 0 && isDue(tokensEndedAt) ? { tokensEndedAt: now.toISOString() } : {}),
  };
  if (Object.keys(set).length === 0) return [];
  return [update(at(identityRecord, slug, id), { set }, { if: isThere, refused: () => invalidAssertion() })];
}

/** Records the rejection of a genuine assertion, once per assertion. @throws rate_limited after too many */
async function recordRefusal(
  context: RequestContext,
  assertion: Assertion,
  reason: RefusalReason,
  claims: readonly string[] = [],
): Promise<void> {
  const { identity, proven } = assertion;
  const details = { reason, subject: subjectOf(proven), ...(claims.length === 0 ? {} : { claims: claims.join(', ') }) };
  const refusals = recordedRefusals(identity.id);
  await retryOnConditionFailed(async () =>
    transact([
      recordOf(reason, assertion, { if: isNew, refused: () => new RefusalRecorded() }),
      ...countOne(refusals),
      await entryOf(context, assertion, { action: 'identity.refused', details }),
    ]),
  ).catch(error => {
    if (!(error instanceof RefusalRecorded)) throw error;
  });
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
