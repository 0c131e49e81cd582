import { otherCookie } from '../access/session-cookie.ts';
import type { continueProviderSignIn as contract } from '../contracts/auth/continue-provider-sign-in.ts';
import { factorCookie } from '../contracts/auth/sign-in-cookies.ts';
import type { AnswerOf } from '../contracts/contract.ts';
import { equals, isThere } from '../table/expressions.ts';
import { at, readTogether } from '../table/read.ts';
import type { ChallengeRecord } from '../table/records/challenge.ts';
import { sessionRecord } from '../table/records/session.ts';
import { signInRecord } from '../table/records/sign-in.ts';
import { type UserRecord, userRecord } from '../table/records/user.ts';
import { check, remove, type Write } from '../table/write.ts';
import { usedLink } from './account-link.ts';
import { factorQuestion } from './factors/ask-for-factor.ts';
import { challengeSeconds, invalidChallenge, presentedChallenge } from './factors/challenge.ts';
import type { SessionFacts } from './new-session.ts';
import { sessionEnded } from './new-session.ts';

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

/** The session that such a challenge leads to, once its factor is proved. Nobody else's trust is needed for it. */
export function factsOfProvided({ provided }: ChallengeRecord): SessionFacts {
  if (provided === undefined) return {};
  const { provider, provedAt, replaces } = provided;
  return {
    provider: { ...provider, confined: false },
    provedAt,
    ...(replaces === undefined ? {} : { id: replaces.id, createdAt: replaces.createdAt }),
  };
}

/** The provider and the account's link to it must still be the same; a session that steps up is replaced. */
export function writesOfProvided({ provided }: ChallengeRecord, user: UserRecord): Write[] {
  if (provided === undefined) return [];
  const { clientVersion, provider, replaces } = provided;
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
