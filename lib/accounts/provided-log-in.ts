import type { RequestContext } from '../access/request-context.ts';
import { otherCookie } from '../access/session-cookie.ts';
import type { continueProviderSignIn as contract } from '../contracts/auth/continue-provider-sign-in.ts';
import { factorCookie } from '../contracts/auth/sign-in-cookies.ts';
import type { AnswerOf } from '../contracts/contract.ts';
import { joinWithProvider } from '../organizations/members/new-member.ts';
import { at, readTogether } from '../table/read.ts';
import type { ChallengeRecord } from '../table/records/challenge.ts';
import { memberRecord, removedMemberRecord } from '../table/records/member.ts';
import { signInRecord } from '../table/records/sign-in.ts';
import { type UserRecord, userRecord } from '../table/records/user.ts';
import { retryOnConditionFailed, transact, type Write } from '../table/write.ts';
import { sameProvider, usedLink } from './account-link.ts';
import { factorQuestion } from './factors/ask-for-factor.ts';
import { challengeSeconds, invalidChallenge, presentedChallenge, requireOpenChallenge } from './factors/challenge.ts';

/* A log-in that started at a company's provider, and that the account's own second factor completes. */

const path = '/v1/auth/provider/factor';

export function factorCookieLine(challenge: string): string {
  return otherCookie(factorCookie, challenge, { path, maxAgeSeconds: challengeSeconds });
}

/**
 * The challenge that the provider's callback left in a cookie, and how to answer it.
 * @throws invalid_token
 */
export async function continueProvidedLogIn(challenge: string | undefined): Promise<AnswerOf<typeof contract>> {
  if (challenge === undefined) throw invalidChallenge();
  const presented = presentedChallenge(challenge);
  const { stored, user } = await readTogether({ stored: presented.read, user: at(userRecord, presented.userId) });
  requireOpenChallenge(presented, stored, 'provider-log-in', user);
  if (user === undefined) throw invalidChallenge();
  const { methods, publicKey } = await factorQuestion('log-in', user, challenge);
  return { challenge, methods, ...(publicKey === undefined ? {} : { publicKey }) };
}

type Provided = NonNullable<ChallengeRecord['provided']>;

/**
 * Commits the log-in, if the provider and the account's link to it are still the same. A person who signs in for the first
 * time joins with it: nobody joins before their own factor is proved.
 * @throws invalid_token; organization_not_found, plan_limit_exceeded if they can no longer join
 */
export async function transactProvided(
  context: RequestContext,
  user: UserRecord,
  provided: Provided,
  logIn: readonly Write[],
): Promise<void> {
  const { clientVersion, provider } = provided;
  const unchanged = [
    sameProvider({ ...provider, clientVersion }, invalidChallenge),
    usedLink(user, provider, invalidChallenge),
  ];
  await retryOnConditionFailed(async () => {
    const joining = provided.joins === true ? await joiningOf(context, user, provided) : [];
    await transact([...logIn, ...unchanged, ...joining]);
  });
}

async function joiningOf(
  context: RequestContext,
  user: UserRecord,
  { provider: { organizationId, orgSlug } }: Provided,
): Promise<Write[]> {
  const { signIn, removed, member } = await readTogether({
    signIn: at(signInRecord, orgSlug),
    removed: at(removedMemberRecord, orgSlug, user.id),
    member: at(memberRecord, orgSlug, user.id),
  });
  if (signIn?.organizationId !== organizationId) throw invalidChallenge();
  // They have joined meanwhile, in another browser or with an invitation.
  if (member !== undefined) return [];
  return joinWithProvider(context, user, { organization: { id: organizationId, slug: orgSlug }, signIn, removed });
}
