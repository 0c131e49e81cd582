import type { RequestContext } from '../access/request-context.ts';
import { auditWrite, systemActor } from '../audit/write.ts';
import type { completeProviderSignIn as contract } from '../contracts/auth/complete-provider-sign-in.ts';
import type { QueryOf } from '../contracts/contract.ts';
import { ApiError } from '../core/errors.ts';
import { equalInConstantTime } from '../crypto/credentials.ts';
import { countOne } from '../limits/count.ts';
import { networkOf } from '../limits/network.ts';
import { completedSignIns, refusedSignIns } from '../limits/rate-limits.ts';
import { isThere } from '../table/expressions.ts';
import { at, find, readTogether } from '../table/read.ts';
import { type IssuerKeysRecord, issuerKeysRecord } from '../table/records/issuer-keys.ts';
import { personOf } from '../table/records/provider-link.ts';
import { startedSignInRecord } from '../table/records/started-sign-in.ts';
import { remove, retryOnConditionFailed, transact } from '../table/write.ts';
import { forgottenBrowserCookie, hashOfSecret, isRandom } from './browser.ts';
import { openClientSecret } from './client-secret.ts';
import { providerReads } from './find-methods.ts';
import { dashboardPage, logInPage, type Redirect } from './log-in-page.ts';
import type { CallbackContext, OpenSignIn, Proof } from './open-sign-in.ts';
import { reportsSecondFactor } from './profile.ts';
import { type Provider, readProvider } from './provider.ts';
import { ownSignIn } from './read-sign-in.ts';
import { redeemCode, SignedAnswerRefused } from './redeem-code.ts';
import { codeOf, SignInRefused } from './sign-in-refused.ts';
import { signInTarget } from './sign-in-view.ts';
import { signIn } from './sign-person-in.ts';
import { stepUp } from './step-session-up.ts';
import { requireVerifiedDomain } from './verified-address.ts';

/** Completes a sign-in, or sends the browser to the log-in page with the reason why not. Never throws. */
export async function completeSignIn(
  context: CallbackContext,
  returned: Returned,
  secret: string | undefined,
): Promise<Redirect> {
  return logInPage(context, () => complete(context, returned, secret), [forgottenBrowserCookie(returned.orgSlug)]);
}

/** What the provider sent, and the organization whose callback it was sent to. */
type Returned = QueryOf<typeof contract> & { orgSlug: string };

async function complete(
  context: CallbackContext,
  { orgSlug, state, code, iss, error }: Returned,
  secret: string | undefined,
): Promise<Redirect> {
  if (!isRandom(state) || !isRandom(secret)) throw expired();
  const { open, known, clientSecret } = await openSignIn(context, { orgSlug, state, secret });
  try {
    const { organization, signIn } = open;
    const provider = await readProvider(context, { issuer: signIn.issuer, orgSlug: organization.slug, known });
    requireIssuer(provider, iss);
    if (error !== undefined || code === undefined || code === '') throw new SignInRefused('provider_refused');
    const proven = await redeemCode(context, provider, signIn, { orgSlug, code, state, secret, clientSecret });
    return await finish(context, open, {
      ...proven,
      person: personOf(provider.issuer, proven.claims.sub),
      trustedFactor: signIn.trustFactor && reportsSecondFactor(proven.claims),
    });
  } catch (refusal) {
    if (refusal instanceof SignedAnswerRefused) await recordRefusal(context, open, refusal.code);
    throw refusal;
  }
}

interface Opened {
  open: OpenSignIn;
  /** What is stored about the issuer. */
  known: IssuerKeysRecord | undefined;
  /** Undefined for a public client. */
  clientSecret: string | undefined;
}

/**
 * Uses up the sign-in that the browser comes back from. Three round trips, with everything that is needed to ask the
 * provider.
 * @throws rate_limited; sign_in_expired if it is unknown, used, too old, another browser's or another organization's, or
 * its provider has changed since
 */
async function openSignIn(
  { source }: RequestContext,
  { orgSlug, state, secret }: { orgSlug: string; state: string; secret: string },
): Promise<Opened> {
  const item = at(startedSignInRecord, hashOfSecret(state));
  const started = await find(item);
  // Another organization's provider may have sent the browser here with its own state.
  if (started?.orgSlug !== orgSlug || started.expiresAt * 1000 <= Date.now()) throw expired();
  if (!equalInConstantTime(hashOfSecret(secret), started.browser)) throw expired();
  const {
    organization,
    signIn: found,
    known,
  } = await readTogether({ ...providerReads(started.orgSlug), known: at(issuerKeysRecord, started.issuer) });
  const current = ownSignIn(found, started.organizationId);
  if (organization?.id !== started.organizationId || organization.status !== 'active') throw expired();
  if (current?.clientVersion !== started.clientVersion) throw expired();
  // However it ends, this is the only attempt: of several callbacks at once, only one asks the provider.
  const completed = completedSignIns(organization.id, networkOf(source.ip));
  const claim = retryOnConditionFailed(() =>
    transact([remove(item, { if: isThere, refused: () => expired() }), ...countOne(completed)]),
  );
  const [clientSecret] = await Promise.all([openClientSecret(current), claim]);
  return { open: { started, organization, signIn: current }, known, clientSecret };
}

const expired = () => new SignInRefused('sign_in_expired');

/**
 * RFC 9207: with two providers, one must not be able to pass on the other's response.
 * @throws invalid_answer
 */
function requireIssuer({ issuer, endpoints }: Provider, iss: string | undefined): void {
  const isMissing = iss === undefined && endpoints.sendsIssuer;
  if (isMissing || (iss !== undefined && iss !== issuer)) throw new SignInRefused('invalid_answer');
}

/** What the person signed in for. A refusal from here on concerns an answer that the provider signed. */
async function finish(context: CallbackContext, open: OpenSignIn, proof: Proof): Promise<Redirect> {
  const { started } = open;
  try {
    if (started.purpose === 'sign-in') return await signIn(context, open, proof);
    if (started.purpose === 'step-up') return await stepUp(context, open, proof);
    return await finishTest(context, open, proof);
  } catch (error) {
    const { code, isUnexpected } = codeOf(error);
    const isRecorded = !isUnexpected && !['second_factor_required', 'sign_in_expired', 'rate_limited'].includes(code);
    if (isRecorded) await recordRefusal(context, open, code, proof);
    throw error;
  }
}

/** An owner's rehearsal: the same checks, and no change. */
async function finishTest({ principal }: CallbackContext, open: OpenSignIn, proof: Proof): Promise<Redirect> {
  const credential = principal?.credential;
  if (credential?.method !== 'session' || credential.hash !== open.started.sessionHash) {
    throw new SignInRefused('session_required');
  }
  requireVerifiedDomain(open.signIn, proof);
  return { location: await dashboardPage(open.started.to, 'tested'), cookies: [] };
}

/** An entry for the owners, so that an attack or a wrong configuration doesn't go unnoticed. At most 100 an hour. */
export async function recordRefusal(
  { source }: RequestContext,
  { organization, signIn: refusing, started }: OpenSignIn,
  reason: string,
  proof?: Proof,
): Promise<void> {
  const details = {
    reason,
    purpose: started.purpose,
    ...(proof === undefined ? {} : { subject: proof.claims.sub.slice(0, 255), email: proof.profile.email ?? null }),
  };
  const refusals = refusedSignIns(organization.id);
  try {
    await retryOnConditionFailed(async () =>
      transact([
        ...countOne(refusals),
        await auditWrite(organization, systemActor, source, {
          action: 'sign_in.refused',
          target: signInTarget(refusing),
          details,
        }),
      ]),
    );
  } catch (error) {
    // The refusal stands; only its entry is one too many.
    if (!(error instanceof ApiError && error.code === 'rate_limited')) throw error;
  }
}
