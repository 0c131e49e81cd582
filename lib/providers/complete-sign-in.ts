import { auditWrite, systemActor } from '../access/audit-write.ts';
import type { RequestContext } from '../access/request-context.ts';
import { ApiError } from '../core/errors.ts';
import { type Counter, countOne } from '../limits/count.ts';
import { refusedSignIns } from '../limits/rate-limits.ts';
import { retryOnConditionFailed, transact } from '../table/write.ts';
import { forgottenBrowserCookie } from './browser.ts';
import { decide, type Outcome } from './decide.ts';
import { countersOf, identify, identifySession } from './identify.ts';
import { codeOf, dashboardPage, logInPage, type Redirect, SignInRefused } from './log-in-page.ts';
import { requireVerifiedDomain } from './profile.ts';
import {
  type CallbackContext,
  type OpenSignIn,
  openSignIn,
  type Proof,
  type Returned,
  redeem,
  SignedAnswerRefused,
} from './redeem.ts';
import { signInTarget } from './sign-in.ts';

/** Completes a sign-in, or sends the browser to the log-in page with the reason why not. Never throws. */
export async function completeSignIn(
  context: CallbackContext,
  returned: Returned,
  secret: string | undefined,
): Promise<Redirect> {
  return logInPage(context, () => complete(context, returned, secret), [forgottenBrowserCookie(returned.orgSlug)]);
}

/** Redeems the code, identifies the person's account, decides what the sign-in leads to, and commits that. */
async function complete(context: CallbackContext, returned: Returned, secret: string | undefined): Promise<Redirect> {
  const opened = await openSignIn(context, returned, secret);
  const { open } = opened;
  let proof: Proof | undefined;
  try {
    const proven = await redeem(context, opened, returned);
    proof = proven;
    let counters: Promise<Counter[]> | undefined;
    const countersOnce = () => (counters ??= countersOf(open, context));
    // Of two first sign-ins at once, which create the same account, the later one then identifies it.
    return await retryOnConditionFailed(async () =>
      commit(context, await outcomeOf(context, open, proven, countersOnce)),
    );
  } catch (error) {
    if (isRecorded(error, proof)) await recordRefusal(context, open, error, proof);
    throw error;
  }
}

async function outcomeOf(
  context: CallbackContext,
  open: OpenSignIn,
  proof: Proof,
  counters: () => Promise<Counter[]>,
): Promise<Outcome> {
  switch (open.started.purpose) {
    case 'test':
      return rehearse(context, open, proof);
    case 'step-up':
      return decide(context, open, proof, identifySession(context, open, proof));
    case 'sign-in':
      return decide(context, open, proof, await identify(context, open, proof, counters));
  }
}

/** An owner's test: the checks of a first sign-in, without a change. */
async function rehearse({ principal }: CallbackContext, open: OpenSignIn, proof: Proof): Promise<Outcome> {
  const credential = principal?.credential;
  if (credential?.method !== 'session' || credential.hash !== open.started.sessionHash) {
    throw new SignInRefused('session_required');
  }
  requireVerifiedDomain(open.signIn, proof);
  return { writes: [], answer: { location: await dashboardPage(open.started.to, 'tested'), cookies: [] } };
}

async function commit({ log, source }: RequestContext, { writes, event, answer }: Outcome): Promise<Redirect> {
  await transact(writes);
  if (event !== undefined) {
    const { name, ...facts } = event;
    log.account(name, { ...facts, ip: source.ip });
  }
  if (answer instanceof SignInRefused) throw answer;
  return answer;
}

/** A refusal concerns the owners if the provider signed its answer, and the person can't resolve it right away. */
function isRecorded(error: unknown, proof: Proof | undefined): boolean {
  if (proof === undefined) return error instanceof SignedAnswerRefused;
  const { code, isUnexpected } = codeOf(error);
  return !isUnexpected && !['second_factor_required', 'sign_in_expired', 'rate_limited'].includes(code);
}

/** An entry for the owners, so that an attack or a wrong configuration doesn't go unnoticed. At most 100 an hour. */
async function recordRefusal(
  { source }: RequestContext,
  { organization, signIn, started }: OpenSignIn,
  refusal: unknown,
  proof: Proof | undefined,
): Promise<void> {
  const details = {
    reason: codeOf(refusal).code,
    purpose: started.purpose,
    ...(proof === undefined ? {} : { subject: proof.claims.sub.slice(0, 255), email: proof.profile.email ?? null }),
  };
  const refusals = refusedSignIns(organization.id);
  const facts = { action: 'sign_in.refused', target: signInTarget(signIn), details } as const;
  try {
    await retryOnConditionFailed(async () =>
      transact([...countOne(refusals), await auditWrite(organization, systemActor, source, facts)]),
    );
  } catch (error) {
    // Past the limit, the refusal is only not recorded.
    if (!(error instanceof ApiError && error.code === 'rate_limited')) throw error;
  }
}
