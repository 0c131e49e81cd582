import * as z from 'zod';
import { ExpiresAt, entity } from '../entity.ts';
import { keys } from '../keys.ts';

/**
 * The tokens of an identity that may still be valid. Their number is limited, and counting the tokens themselves would
 * mean reading all that DynamoDB has not removed yet.
 */
export const liveTokensRecord = entity('liveTokens', keys.liveTokens, {
  /** By the token's hash: when it was issued and when it expires, in epoch milliseconds. */
  tokens: z.record(z.string(), z.tuple([z.number(), z.number()])),
  /** How many there are. */
  count: z.int(),
  /** No token lives longer. */
  expiresAt: ExpiresAt,
});

export type LiveTokensRecord = ReturnType<typeof liveTokensRecord.parse>;
