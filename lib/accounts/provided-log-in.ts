import type { RequestContext } from '../access/request-context.ts';
import { otherCookie } from '../access/session-cookie.ts';
import type { continueProviderSignIn as contract } from '../contracts/auth/continue-provider-sign-in.ts';
import { factorCookie } from '../contracts/auth/sign-in-cookies.ts';
import type { AnswerOf } from '../contracts/contract.ts';
import { joinWithProvider } from '../organizations/members/new-member.ts';
import { equals, isThere } from '../table/expressions.ts';
import { at, readTogether } from '../table/read.ts';
import type { ChallengeRecord } from '../table/records/challenge.ts';
import { memberRecord, removedMemberRecord } from '../table/records/member.ts';
import { sessionRecord } from '../table/records/session.ts';
import { signInRecord } from '../table/records/sign-in.ts';
import { type UserRecord, userRecord } from '../table/records/user.ts';
import { check, remove, retryOnConditionFailed, transact, type Write } from '../table/write.ts';
import { usedLink } from './account-link.ts';
import { factorQuestion } from './factors/ask-for-factor.ts';
import { challengeSeconds, invalidChallenge, presentedChallenge } from './factors/challenge.ts';
import { type SessionFacts, sessionEnded } from './new-session.ts';

/* A log-in that began at a company's provider, and that the account's own second factor completes. */

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
  const { found, user } = await readTogether({ found: presented.read, user: at(userRecord, presented.userId) });
  const isOpen =
    found?.purpose === 'provider-log-in' &&
    found.userId === presented.userId &&
    found.expiresAt * 1000 > Date.now() &&
    found.sessionEpoch === user?.sessionEpoch;
  if (!isOpen || user === undefined) throw invalidChallenge();
  const { methods, publicKey } = await factorQuestion('log-in', user, challenge);
  return { challenge, methods, ...(publicKey === undefined ? {} : { publicKey }) };
}

/** The session that such a challenge leads to, once its factor is proved. */
export function factsOfProvided({ provided }: ChallengeRecord): SessionFacts {
  if (provided === undefined) return {};
  const { provider, provedAt, replaces } = provided;
  return {
    provider,
    provedAt,
    ...(replaces === undefined ? {} : { id: replaces.id, createdAt: replaces.createdAt }),
  };
}

type Provided = NonNullable<ChallengeRecord['provided']>;

/**
 * Makes the log-in's writes, and with them the membership of somebody who signs in for the first time: nobody is joined
 * before their own factor is proved.
 * @returns Set-Cookie lines: none
 * @throws invalid_token; organization_not_found, plan_limit_exceeded if they can't join any more
 */
export async function transactProvided(
  context: RequestContext,
  user: UserRecord,
  provided: Provided,
  logIn: readonly Write[],
): Promise<string[]> {
  const unchanged = writesOfProvided(provided, user);
  await retryOnConditionFailed(async () => {
    const joining = provided.joins === true ? await joiningOf(context, user, provided) : [];
    await transact([...logIn, ...unchanged, ...joining]);
  });
  return [];
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

/** The provider and the account's link to it must still be the same; a session that steps up is replaced. */
function writesOfProvided({ clientVersion, provider, replaces }: Provided, user: UserRecord): Write[] {
  const { organizationId, orgSlug, person } = provider;
  const refused = invalidChallenge;
  return [
    check(at(signInRecord, orgSlug), {
      if: { organizationId: equals(organizationId), clientVersion: equals(clientVersion) },
      refused,
    }),
    usedLink(user, { organizationId, person }, refused),
    ...(replaces === undefined
      ? []
      : [remove(at(sessionRecord, user.id, replaces.hash), { if: isThere, refused: sessionEnded })]),
  ];
}
