import { sessionIdOf } from '../access/session-cookie.ts';
import { newSession, sessionEnded } from '../accounts/new-session.ts';
import { isThere } from '../table/expressions.ts';
import { at } from '../table/read.ts';
import { sessionRecord } from '../table/records/session.ts';
import { remove, transact } from '../table/write.ts';
import { askOwnFactor } from './ask-own-factor.ts';
import { dashboardPage, type Redirect } from './log-in-page.ts';
import type { CallbackContext, OpenSignIn, Proof } from './open-sign-in.ts';
import { authenticatedAtMs } from './profile.ts';
import { needsOwnFactor, providerOfSession } from './provider-session.ts';
import { SignInRefused } from './sign-in-refused.ts';
import { sameLink, sameOrganization, sameProvider } from './still-stands.ts';
import { requireHostedDomain } from './verified-address.ts';

/** The provider's clock may differ. */
const clockSkewMs = 60_000;

/**
 * Makes the session fresh: the same person has just authenticated at the provider. The session gets a new secret, and
 * still ends twelve hours after it started.
 * @throws session_required, other_person, not_fresh, domain_not_verified, sign_in_expired; second_factor_required
 */
export async function stepUp(context: CallbackContext, open: OpenSignIn, proof: Proof): Promise<Redirect> {
  const { principal, source, log } = context;
  const { started, organization } = open;
  const credential = principal?.credential;
  if (principal === undefined || credential?.method !== 'session' || credential.hash !== started.sessionHash) {
    throw new SignInRefused('session_required');
  }
  const { session } = credential;
  const id = sessionIdOf(credential);
  if (session.provider?.organizationId !== organization.id || session.provider.person !== proof.person) {
    throw new SignInRefused('other_person');
  }
  requireHostedDomain(open.signIn, proof.profile);
  const now = Date.now();
  // If the provider doesn't say when, the organization may accept the round trip itself, which this session began.
  const unsaid = open.signIn.acceptRoundTrip === true ? now : 0;
  const provedAtMs = authenticatedAtMs(proof.claims, now) ?? unsaid;
  if (provedAtMs < started.startedAtMs - clockSkewMs) throw new SignInRefused('not_fresh');
  const { user } = principal;
  const provider = providerOfSession(open, proof);
  const provedAt = new Date(provedAtMs).toISOString();
  const unchanged = [sameProvider(open), sameOrganization(open), sameLink(open, proof, user)];
  if (needsOwnFactor(proof, user)) {
    const replaces = { id, hash: credential.hash, createdAt: session.createdAt };
    const { clientVersion } = open.signIn;
    const asking = askOwnFactor(user, { clientVersion, provider, provedAt, replaces });
    await transact([...unchanged, asking.write]);
    throw asking.refused;
  }
  const renewed = await newSession(user, source, { id, createdAt: session.createdAt, provedAt, provider });
  const old = at(sessionRecord, user.id, credential.hash);
  await transact([...unchanged, remove(old, { if: isThere, refused: sessionEnded }), renewed.write]);
  log.account('stepped_up', { userId: user.id, ip: source.ip, organizationId: organization.id });
  return { location: await dashboardPage(started.to), cookies: [renewed.cookie] };
}
