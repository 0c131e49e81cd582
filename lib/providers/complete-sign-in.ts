import { newPendingLink, sameProvider } from '../accounts/account-link.ts';
import { factorCookieLine, newChallenge } from '../accounts/factors/challenge.ts';
import { startSession } from '../accounts/sessions.ts';
import { auditWrite, systemActor } from '../audit/write.ts';
import { ApiError } from '../core/errors.ts';
import { type Counter, countOne } from '../limits/count.ts';
import { refusedSignIns } from '../limits/rate-limits.ts';
import { stillActive } from '../organizations/change-counts.ts';
import { keysOfTokensOf, sweep } from '../organizations/members/end-membership.ts';
import { joinWithProvider } from '../organizations/members/new-member.ts';
import { changeBySignIn, matchedPlaces, readRules, versionWithRules } from '../organizations/members/provider-rules.ts';
import type { MemberRecord } from '../table/records/organization.ts';
import { hasSecondFactor } from '../table/records/user.ts';
import { retryOnConditionFailed, transact, type Write } from '../table/write.ts';
import { browserCookie } from './browser.ts';
import {
  accountCounters,
  type Identified,
  identify,
  identifySession,
  requireVerifiedDomain,
  startingSession,
} from './identify.ts';
import { codeOf, dashboardPage, logInPage, type Redirect, SignInRefused, signInExpired } from './log-in-page.ts';
import { signInTarget } from './provider.ts';
import {
  type CallbackContext,
  type OpenSignIn,
  openSignIn,
  type Proof,
  type Returned,
  redeem,
  SignedAnswerRefused,
} from './redeem.ts';

/** Completes a sign-in, or sends the browser to the log-in page with the reason why not. Never throws. */
export async function completeSignIn(context: CallbackContext, returned: Returned, secret: string | undefined) {
  return logInPage(context, () => complete(context, returned, secret), [browserCookie(returned.orgSlug)]);
}

/** Redeems the code, identifies the person's account, decides what the sign-in leads to, and commits that. */
async function complete(context: CallbackContext, returned: Returned, secret: string | undefined): Promise<Redirect> {
  const opened = await openSignIn(context, returned, secret);
  const { open } = opened;
  const proof = await redeem(context, opened, returned).catch(recordRefusal(context, open));
  let counters: Promise<Counter[]> | undefined;
  const countersOnce = () => (counters ??= accountCounters(open, context));
  // Of two first sign-ins at once, which create the same account, the later one then identifies it.
  return retryOnConditionFailed(async () => {
    const { writes, event, answer, ended } = await decide(context, open, proof, countersOnce);
    await transact(writes);
    if (ended !== undefined) await sweepAfter(context, open, ended);
    if (event !== undefined) context.log.account(event.name, { ...event.facts, ip: context.source.ip });
    if (answer instanceof SignInRefused) throw answer;
    return answer;
  }).catch(recordRefusal(context, open, proof));
}

/** What a sign-in leads to: the writes of its only transaction, the event to log, and where the browser goes. */
interface Outcome {
  writes: Write[];
  event?: { name: string; facts: { userId: string; organizationId?: string } } | undefined;
  answer: Redirect | SignInRefused;
  /** The member whose membership ends. */
  ended?: MemberRecord;
}

/** An owner's test changes nothing. An account that is not linked must log in. */
async function decide(context: CallbackContext, open: OpenSignIn, proof: Proof, counters: () => Promise<Counter[]>) {
  const { purpose, to } = open.started;
  if (purpose === 'test') {
    startingSession(context, open);
    requireVerifiedDomain(open.signIn, proof);
    return { writes: [], answer: { location: await dashboardPage(to, 'tested'), cookies: [] } };
  }
  const identified =
    purpose === 'step-up'
      ? await identifySession(context, open, proof)
      : await identify(context, open, proof, counters);
  if (!('link' in identified)) return letIn(context, open, proof, identified);
  const { cookie, write } = newPendingLink(identified.link);
  return { writes: [write], answer: new SignInRefused('link_required', { cookies: [cookie] }) };
}

/**
 * Asks for the person's own second factor unless the provider is trusted with that. Everybody else joins and gets a
 * session, or a fresh one in place of the session that steps up, if organization and provider haven't changed
 * meanwhile. Whose membership ends by the rules gets none.
 * @throws organization_not_found if they need an invitation; plan_limit_exceeded
 */
async function letIn(
  context: CallbackContext,
  { organization, signIn, started }: OpenSignIn,
  { person, trustedFactor, claims }: Proof,
  { user, writes: accountWrites, unremoved, joins, member, replaces, provedAtMs }: Identified,
): Promise<Outcome> {
  const { id: organizationId, slug: orgSlug } = organization;
  const { clientVersion } = signIn;
  const session = {
    provider: { organizationId, orgSlug, clientVersion, person, trustedFactor, confined: true },
    provedAt: new Date(provedAtMs).toISOString(),
    replaces,
  };
  const version = versionWithRules(signIn);
  const matched = matchedPlaces(signIn, claims);
  const rules = await readRules(orgSlug, signIn, matched);
  const joining = joins && (await joinWithProvider(context, user, { organization, rules, ...joins }));
  const active = stillActive(organization, signInExpired);
  const change = member && (await changeBySignIn(context, { organization, member, rules, active }));
  const isSame = sameProvider({ ...session.provider, version }, signInExpired);
  if (member !== undefined && change?.ends === true) {
    // Not only once a factor is proved: the provider has said that they no longer belong here.
    const writes = [...accountWrites, isSame, ...change.writes];
    return { writes, answer: new SignInRefused('invitation_required'), ended: member };
  }
  const writes = [...accountWrites, ...(unremoved ?? []), isSame];
  if (hasSecondFactor(user) && !trustedFactor) {
    // Nothing changes before their own factor is proved: the answer to the challenge makes these writes again.
    const provided = {
      clientVersion,
      ...session,
      joins: joins && true,
      rules: version === null ? undefined : { version, matched },
    };
    const { challenge, write } = newChallenge('provider-log-in', user, provided);
    return {
      writes: [...writes, active, write],
      event: replaces ? undefined : { name: 'second_factor_asked', facts: { userId: user.id } },
      // In a cookie, because it must not be in a URL.
      answer: new SignInRefused('second_factor_required', { cookies: [factorCookieLine(challenge)] }),
    };
  }
  const { cookie, writes: sessionWrites } = await startSession(user, context.source, session);
  return {
    writes: [...writes, ...(joining ?? change?.writes ?? [active]), ...sessionWrites],
    event: { name: replaces ? 'stepped_up' : 'logged_in', facts: { userId: user.id, organizationId } },
    answer: { location: await dashboardPage(started.to), cookies: [cookie] },
  };
}

/** Once the person comes back, nothing from before counts. Their link stays, but this sign-in adds no session. */
async function sweepAfter({ log }: CallbackContext, { organization }: OpenSignIn, member: MemberRecord): Promise<void> {
  const dead = await keysOfTokensOf(organization.id, member);
  await sweep({ organization, log }, member.userId, dead);
}

/**
 * Throws a refusal again, after an entry for the owners if the provider signed its answer and the person can't resolve
 * it right away: an attack or a wrong configuration must not go unnoticed. At most 100 entries an hour.
 */
function recordRefusal(
  { source }: CallbackContext,
  { organization, signIn, started: { purpose } }: OpenSignIn,
  proof?: Proof,
): (error: unknown) => Promise<never> {
  return async refusal => {
    if (!concernsOwners(refusal, proof)) throw refusal;
    const person = proof && { subject: proof.claims.sub.slice(0, 255), email: proof.profile.email ?? null };
    const details = { reason: codeOf(refusal).code, purpose, ...person };
    const facts = { action: 'sign_in.refused', target: signInTarget(signIn), details } as const;
    const refusals = refusedSignIns(organization.id);
    await retryOnConditionFailed(async () =>
      transact([...countOne(refusals), await auditWrite(organization, systemActor, source, facts)]),
    ).catch(error => {
      // Past the limit, the refusal is only not recorded.
      if (!(error instanceof ApiError && error.code === 'rate_limited')) throw error;
    });
    throw refusal;
  };
}

function concernsOwners(refusal: unknown, proof: Proof | undefined): boolean {
  if (proof === undefined) return refusal instanceof SignedAnswerRefused;
  const { code, isUnexpected } = codeOf(refusal);
  return !isUnexpected && !['second_factor_required', 'sign_in_expired', 'rate_limited'].includes(code);
}
