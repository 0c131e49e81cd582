import type { AccountContext, RequestContext } from '../access/request-context.ts';
import { sessionIdOf } from '../access/session-cookie.ts';
import { auditWrite } from '../audit/write.ts';
import { ApiError } from '../core/errors.ts';
import { at, find } from '../table/read.ts';
import type { TokenRecord } from '../table/records/token.ts';
import { hasSecondFactor, isUnchanged, type UserRecord, userRecord } from '../table/records/user.ts';
import { retryWithFreshRead, transact, update, type Write } from '../table/write.ts';
import { sessionEnded } from './new-session.ts';
import { type IssuedToken, newToken, tokenWrite } from './new-token.ts';
import { type ResolvedToken, resolveToken, scopeHolds, type WantedToken } from './token-scope.ts';
import { listTokens } from './tokens.ts';

/** Enough for all of one person's pipelines, and few enough to list and revoke in one request. */
const maximumTokens = 100;

/**
 * Creates a bearer token.
 * @throws organization_not_found, project_not_found, environment_not_found, token_limit_reached
 */
export async function createToken(context: AccountContext, wanted: WantedToken): Promise<IssuedToken> {
  const { user, credential } = context.principal;
  const sessionId = credential.method === 'session' ? sessionIdOf(credential) : undefined;
  const [resolved, live] = await Promise.all([resolveToken(context.principal, wanted), listTokens(user.id)]);
  return issueToken(context, { user, live, sessionId, ...resolved });
}

interface TokenOrder extends ResolvedToken {
  user: UserRecord;
  /** The user's tokens, which must be read after the account. */
  live: readonly TokenRecord[];
  /** Of the session that asks for it, or that approved it before the command line redeems its code. */
  sessionId: string | undefined;
}

/**
 * Writes a new token, provided its user is below the limit and the password has not changed since the request was
 * authenticated. The token loses its second-factor flag if the user has removed the factor in the meantime. A token
 * limited to an organization is recorded in that organization's audit log, any other in the log of account events.
 * @param others other writes of the same transaction
 * @throws token_limit_reached, unauthenticated; organization_not_found if the membership has ended in the meantime
 */
export async function issueToken(
  { source, log }: RequestContext,
  { facts, organization, sessionId, ...before }: TokenOrder,
  others: readonly Write[] = [],
): Promise<IssuedToken> {
  const { id: userId, email, sessionEpoch } = before.user;
  const issued = await newToken(before.user, facts);
  const { id, name } = issued.cliToken;
  const inOrganization =
    organization === undefined
      ? []
      : [
          ...scopeHolds(organization.slug, userId, facts),
          // The actor is a person with a session even when the CLI redeems a code: it has no credential yet.
          await auditWrite(
            organization,
            { id: userId, email, type: 'session', ...(sessionId === undefined ? {} : { sessionId }) },
            source,
            {
              action: 'token.created',
              target: { type: 'token', id, name },
            },
          ),
        ];
  await retryWithFreshRead<{ user: UserRecord | undefined; live: readonly TokenRecord[] }, void>(
    before,
    // The account is read first: if another token is created after that, the condition on the account fails.
    async () => ({ user: await find(at(userRecord, userId)), live: await listTokens(userId) }),
    async ({ user, live }) => {
      if (user?.sessionEpoch !== sessionEpoch) throw sessionEnded();
      if (live.length >= maximumTokens) {
        throw new ApiError('token_limit_reached', `You have ${maximumTokens} tokens. Revoke one you no longer use.`);
      }
      const made = update(at(userRecord, userId), { add: { creations: 1 } }, { if: isUnchanged(user) });
      const secondFactor = facts.secondFactor && hasSecondFactor(user);
      await transact([made, tokenWrite({ ...issued.cliToken, secondFactor }), ...others, ...inOrganization]);
    },
  );
  if (organization === undefined) log.account('token_created', { userId, tokenId: id });
  return issued;
}
