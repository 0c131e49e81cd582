import type { RequestContext } from '../access/request-context.ts';
import type { continueProviderSignIn as continuation } from '../contracts/auth/providers.ts';
import type { completeLogin as contract } from '../contracts/auth/sign-in.ts';
import type { AnswerOf, BodyOf } from '../contracts/contract.ts';
import { ApiError } from '../core/errors.ts';
import { type Counter, countOne, countRead, refuseEarly } from '../limits/count.ts';
import { networkOf } from '../limits/network.ts';
import { passkeyLogins, wrongCodes } from '../limits/rate-limits.ts';
import { stillActive } from '../organizations/change-counts.ts';
import { joinWithProvider } from '../organizations/members/new-member.ts';
import { changeBySignIn, readRules, versionWithRules } from '../organizations/members/provider-rules.ts';
import { at, readTogether } from '../table/read.ts';
import type { ChallengeRecord } from '../table/records/credentials.ts';
import { memberRecord, organizationRecord, removedMemberRecord } from '../table/records/organization.ts';
import { signInRecord } from '../table/records/sign-in.ts';
import { nobody, passkeyRecord, type UserRecord, userRecord } from '../table/records/user.ts';
import { retryOnConditionFailed, transact, type Write } from '../table/write.ts';
import { sameProvider, transactWithLink, usedLink } from './account-link.ts';
import { brokenBy, findRequiring, mailBreakGlass } from './break-glass.ts';
import {
  factorQuestion,
  invalidChallenge,
  issuedAtOf,
  newChallenge,
  presentedChallenge,
  requireOpenChallenge,
  useUpChallenge,
} from './factors/challenge.ts';
import { requestOptions, userOfHandle } from './factors/passkey-options.ts';
import { mailNotice, type PresentedFactor, proveFactor } from './factors/prove-factor.ts';
import { startSession } from './sessions.ts';

/** A challenge for any passkey of this site; its answer names the user. @throws rate_limited */
export async function startPasskeyLogin({ source }: RequestContext) {
  const { challenge, write } = newChallenge('passkey-log-in', { id: nobody, sessionEpoch: 0 });
  const starts = passkeyLogins(networkOf(source.ip));
  await retryOnConditionFailed(() => transact([...countOne(starts), write]));
  return { challenge, publicKey: await requestOptions(challenge, []) };
}

type Answer = BodyOf<typeof contract>;

const refused = () => new ApiError('invalid_credentials', 'The code or the passkey is wrong.');

/**
 * Starts a session after a second factor, or after a passkey alone.
 * @throws invalid_token for the challenge; invalid_credentials, rate_limited
 */
export async function completeLogin(context: RequestContext, sent: Answer, linkSecret: string | undefined) {
  const { source, log } = context;
  const presented = presentedChallenge(sent.challenge);
  const isPasskeyAlone = presented.userId === nobody;
  if (isPasskeyAlone && sent.passkey === undefined) throw invalidChallenge();
  const userId = isPasskeyAlone ? (userOfHandle(sent.passkey?.response.userHandle) ?? nobody) : presented.userId;
  const wrong = wrongCodes(userId);
  const requiring = findRequiring(context, userId);
  const { challenge, user, passkey, codes } = await readTogether({
    challenge: presented.read,
    codes: sent.passkey === undefined ? countRead(wrong) : undefined,
    user: at(userRecord, userId),
    passkey: sent.passkey && at(passkeyRecord, userId, sent.passkey.id),
  });
  const purpose = challenge?.purpose === 'provider-log-in' ? 'provider-log-in' : 'log-in';
  const useUp = useUpChallenge(presented, challenge, isPasskeyAlone ? 'passkey-log-in' : purpose, user);
  if (user === undefined || challenge === undefined) throw refused();
  refuseEarly(wrong, codes);
  const factor = factorOf(sent, passkey, issuedAtOf(challenge), wrong);
  const proof = await proveFactor(context, user, factor, refused);
  const { provided } = challenge;
  const bypassed = provided === undefined ? brokenBy(factor, user, await requiring) : [];
  const { cookie, writes } = await startSession(user, source, {
    ...(provided && { provider: provided.provider, provedAt: provided.provedAt }),
    secondFactor: true,
    brokeGlassIn: bypassed.map(({ id }) => id),
    replaces: provided?.replaces,
  });
  const logIn = [...proof.writes, useUp, ...writes];
  const cookies = [cookie];
  if (provided === undefined) cookies.push(...(await transactWithLink(context, user, linkSecret, logIn)));
  else await transactProvided(context, user, { ...provided, issuedAt: issuedAtOf(challenge) }, logIn);
  log.account('logged_in', { userId: user.id, ip: source.ip, secondFactor: factor.method });
  await mailNotice(context, user, proof);
  await mailBreakGlass(context, user, bypassed);
  return { user, cookies };
}

function factorOf(
  { challenge, totp, recoveryCode, passkey: assertion }: Answer,
  passkey: (PresentedFactor & { method: 'passkey' })['passkey'],
  challengeIssuedAt: string,
  wrong: Counter,
): PresentedFactor {
  if (assertion !== undefined) return { method: 'passkey', assertion, passkey, challenge, challengeIssuedAt };
  if (totp !== undefined) return { method: 'totp', code: totp, wrong };
  return { method: 'recovery_code', code: recoveryCode ?? '', wrong };
}

/* A log-in that started at a company's provider, and that the account's own second factor completes. */

/** The challenge that the provider's callback left in a cookie, and how to answer it. @throws invalid_token */
export async function continueProvidedLogIn(challenge: string | undefined): Promise<AnswerOf<typeof continuation>> {
  if (challenge === undefined) throw invalidChallenge();
  const presented = presentedChallenge(challenge);
  const { stored, user } = await readTogether({ stored: presented.read, user: at(userRecord, presented.userId) });
  requireOpenChallenge(presented, stored, 'provider-log-in', user);
  if (user === undefined) throw invalidChallenge();
  return { challenge, ...(await factorQuestion('log-in', user, challenge)) };
}

type Provided = NonNullable<ChallengeRecord['provided']> & { issuedAt: string };

/**
 * Commits the log-in, if provider, rules and link are still the same. A new person joins only now that their factor is
 * proved, and only now do the rules change a member.
 * @throws invalid_token; organization_not_found, plan_limit_exceeded if they can no longer join
 */
async function transactProvided(context: RequestContext, user: UserRecord, provided: Provided, logIn: Write[]) {
  const { clientVersion, provider, rules } = provided;
  const isSameProvider = sameProvider(
    { ...provider, clientVersion, version: rules?.version ?? null },
    invalidChallenge,
  );
  const isLinked = usedLink(user, provider, invalidChallenge);
  await retryOnConditionFailed(async () => {
    const membership = await membershipWrites(context, user, provided);
    // The session that this one replaces ends together with the link, whose error is the one to return.
    await transact([isSameProvider, isLinked, ...logIn, ...membership]);
  });
}

/**
 * @throws invalid_token if the rules have changed, a newer sign-in has applied them, or they now end the membership: the
 * next sign-in decides that
 */
async function membershipWrites(context: RequestContext, user: UserRecord, provided: Provided): Promise<Write[]> {
  const { organizationId, orgSlug } = provided.provider;
  const { organization, signIn, removed, member } = await readTogether({
    organization: at(organizationRecord, orgSlug),
    signIn: at(signInRecord, orgSlug),
    removed: at(removedMemberRecord, orgSlug, user.id),
    member: at(memberRecord, orgSlug, user.id),
  });
  if (signIn?.organizationId !== organizationId || organization?.id !== organizationId) throw invalidChallenge();
  if ((provided.rules?.version ?? null) !== versionWithRules(signIn)) throw invalidChallenge();
  const endedAt = removed?.organizationId === organizationId && removed.byRules === true ? removed.removedAt : '';
  const isOlder = (member?.providerSignInAt ?? endedAt) > provided.issuedAt;
  if (provided.rules !== undefined && isOlder) throw invalidChallenge();
  const rules = await readRules(orgSlug, signIn, provided.rules?.matched ?? []);
  const signedInAt = provided.issuedAt;
  if (member !== undefined) {
    // Also if the person has joined meanwhile, in another browser or with an invitation.
    const active = stillActive(organization, invalidChallenge);
    const { writes, ends } = await changeBySignIn(context, { organization, member, rules, signedInAt, active });
    if (ends) throw invalidChallenge();
    return writes;
  }
  // The membership has ended since.
  if (provided.joins !== true) return [];
  return joinWithProvider(context, user, { organization, rules, removed, signedInAt });
}
