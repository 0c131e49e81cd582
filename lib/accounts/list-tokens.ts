import { ApiError } from '../core/errors.ts';
import { ranges } from '../table/keys.ts';
import { list } from '../table/read.ts';
import { type TokenRecord, tokenRecord } from '../table/records/token.ts';

/** The user's valid tokens, newest first. Expired ones are left out here because DynamoDB removes them late. */
export async function listTokens(userId: string): Promise<TokenRecord[]> {
  const now = Date.now();
  return (await list(tokenRecord, ranges.tokens(userId)))
    .filter(({ expiryDate }) => expiryDate === null || Date.parse(expiryDate) > now)
    .sort((a, b) => b.createdAt.localeCompare(a.createdAt) || a.id.localeCompare(b.id));
}

/** Enough for all pipelines of one person, and few enough to list and revoke in one request. */
const maximumTokens = 100;

/** @throws token_limit_reached */
export function requireRoomForToken(live: readonly unknown[]): void {
  if (live.length < maximumTokens) return;
  throw new ApiError('token_limit_reached', `You have ${maximumTokens} tokens. Revoke one that is not used any more.`);
}
