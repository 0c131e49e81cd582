import { newPendingLink, sameProvider } from '../accounts/account-link.ts';
import { factorCookieLine } from '../accounts/complete-login.ts';
import { newChallenge } from '../accounts/factors/challenge.ts';
import { startSession } from '../accounts/sessions.ts';
import { stillActive } from '../organizations/change-counts.ts';
import { joinWithProvider } from '../organizations/members/new-member.ts';
import { hasSecondFactor } from '../table/records/user.ts';
import type { Write } from '../table/write.ts';
import type { Identified, Unlinked } from './identify.ts';
import { dashboardPage, type Redirect, SignInRefused, signInExpired } from './log-in-page.ts';
import type { CallbackContext, OpenSignIn, Proof } from './redeem.ts';

/** What a sign-in leads to: the writes of its only transaction, the event to log, and where the browser goes. */
export interface Outcome {
  writes: Write[];
  event?: { name: string; userId: string; organizationId?: string };
  answer: Redirect | SignInRefused;
}

/**
 * An account that is not linked has to log in, and its own second factor has to be proved unless the provider is trusted
 * with that. Everybody else gets a session, or a fresh one in place of the session that steps up, and joins with it. All
 * writes check that organization and provider haven't changed while the person was at the provider.
 * @throws organization_not_found if they need an invitation; plan_limit_exceeded
 */
export async function decide(
  context: CallbackContext,
  open: OpenSignIn,
  proof: Proof,
  identified: Identified | Unlinked,
): Promise<Outcome> {
  if ('link' in identified) {
    const { cookie, write } = newPendingLink(identified.link);
    return { writes: [write], answer: new SignInRefused('link_required', { cookies: [cookie] }) };
  }
  const { organization, signIn, started } = open;
  const { user, joins, replaces, provedAtMs } = identified;
  const { id: organizationId, slug: orgSlug } = organization;
  const { clientVersion } = signIn;
  const { person, trustedFactor } = proof;
  const session = {
    provider: { organizationId, orgSlug, clientVersion, person, trustedFactor, confined: true },
    provedAt: new Date(provedAtMs).toISOString(),
  };
  const joining = joins && (await joinWithProvider(context, user, { organization, signIn, ...joins }));
  const active = stillActive(organization, signInExpired);
  const writes = [...identified.writes, sameProvider({ organizationId, orgSlug, clientVersion }, signInExpired)];
  if (hasSecondFactor(user) && !trustedFactor) {
    // Nobody joins before their own factor is proved: the answer to the challenge makes these writes again.
    const { challenge, write } = newChallenge('provider-log-in', user, {
      clientVersion,
      ...session,
      ...(joins === undefined ? {} : { joins: true }),
      ...(replaces === undefined ? {} : { replaces }),
    });
    return {
      writes: [...writes, active, write],
      ...(replaces === undefined ? { event: { name: 'second_factor_asked', userId: user.id } } : {}),
      // In a cookie, because it must not be in a URL.
      answer: new SignInRefused('second_factor_required', { cookies: [factorCookieLine(challenge)] }),
    };
  }
  const { cookie, writes: sessionWrites } = await startSession(user, context.source, { ...session, replaces });
  return {
    writes: [...writes, ...(joining ?? [active]), ...sessionWrites],
    event: { name: replaces === undefined ? 'logged_in' : 'stepped_up', userId: user.id, organizationId },
    answer: { location: await dashboardPage(started.to), cookies: [cookie] },
  };
}
