import { hasProvedFactor } from '../access/fresh-session.ts';
import type { AccountContext } from '../access/request-context.ts';
import { ApiError } from '../core/errors.ts';
import { at, find } from '../table/read.ts';
import type { TokenRecord } from '../table/records/token.ts';
import { hasSecondFactor, isUnchanged, type UserRecord, userRecord } from '../table/records/user.ts';
import { retryWithFreshRead, transact, update, type Write } from '../table/write.ts';
import { listTokens, requireRoomForToken } from './list-tokens.ts';
import { type IssuedToken, newToken, tokenWrite } from './new-token.ts';
import { resolveTokenScope, scopeHolds, type WantedToken } from './token-scope.ts';

/**
 * Creates a bearer token. One that is limited to an organization is recorded in that organization's audit log, any
 * other in the log of account events.
 * @throws organization_not_found, project_not_found, environment_not_found, token_limit_reached
 */
export async function createToken(context: AccountContext, wanted: WantedToken): Promise<IssuedToken> {
  const { principal } = context;
  const [scope, live] = await Promise.all([resolveTokenScope(principal.userId, wanted), listTokens(principal.userId)]);
  const issued = await newToken(
    { id: principal.userId, email: principal.email },
    {
      name: wanted.name,
      access: wanted.access,
      organizationId: scope?.organization.id ?? null,
      projectId: wanted.projectId ?? null,
      environmentId: wanted.environmentId ?? null,
      memberId: scope?.member.id ?? null,
      expiresInDays: wanted.expiresInDays ?? null,
      secondFactor: hasProvedFactor(principal),
    },
  );
  const { id, name } = issued.cliToken;
  const rest: Write[] = [];
  if (scope !== undefined) {
    const { organization, member } = scope;
    rest.push(
      ...scopeHolds({
        orgSlug: organization.slug,
        organizationId: organization.id,
        userId: principal.userId,
        memberId: member.id,
      }),
      await context.auditIn(organization, { action: 'token.created', target: { type: 'token', id, name } }),
    );
  }
  await addToken({ user: principal.user, live }, issued.cliToken, rest);
  if (scope === undefined) context.log.account('token_created', { userId: principal.userId, tokenId: id });
  return issued;
}

/**
 * Writes a new token while its user has room for it and still has the password that the request was made under. It does
 * not get the mark of a second factor that its user has removed meanwhile.
 * @throws token_limit_reached, unauthenticated
 */
export async function addToken(
  before: { user: UserRecord; live: readonly unknown[] },
  token: TokenRecord,
  others: readonly Write[],
): Promise<void> {
  const { id, sessionEpoch } = before.user;
  await retryWithFreshRead<TokensOfUser, void>(
    before,
    () => readTokensOf(id),
    async ({ user, live }, budget) => {
      if (user?.sessionEpoch !== sessionEpoch) throw sessionEnded();
      requireRoomForToken(live);
      const made = update(at(userRecord, id), { add: { creations: 1 } }, { if: isUnchanged(user) });
      const secondFactor = token.secondFactor && hasSecondFactor(user);
      await transact([made, tokenWrite({ ...token, secondFactor }), ...others], budget);
    },
  );
}

interface TokensOfUser {
  user: UserRecord | undefined;
  live: readonly unknown[];
}

/** Reads the account first: creating a token afterwards then fails the condition on the account. */
async function readTokensOf(userId: string): Promise<TokensOfUser> {
  const user = await find(at(userRecord, userId));
  return { user, live: await listTokens(userId) };
}

export const sessionEnded = () =>
  new ApiError('unauthenticated', 'This session has ended in the meantime. Sign in again.');
