import * as z from 'zod';
import { ExpiresAt, entity } from '../table/entity.ts';
import { keys } from '../table/keys.ts';

/** An account. `sessionEpoch` stands in every session; raising it ends all sessions in one write. */
export const userRecord = entity({
  kind: 'user',
  key: keys.user,
  schema: z.object({
    id: z.string(),
    email: z.string(),
    name: z.string(),
    emailVerified: z.boolean(),
    isAdmin: z.boolean(),
    passwordHash: z.string(),
    sessionEpoch: z.int(),
    createdAt: z.string(),
  }),
});
export type UserRecord = ReturnType<typeof userRecord.parse>;

export const emailRecord = entity({
  kind: 'email',
  key: keys.email,
  schema: z.object({ userId: z.string() }),
});

export const sessionRecord = entity({
  kind: 'session',
  key: keys.session,
  schema: z.object({
    userId: z.string(),
    epoch: z.int(),
    createdAt: z.string(),
    expiresAt: ExpiresAt,
  }),
});
export type SessionRecord = ReturnType<typeof sessionRecord.parse>;

export const tokenAccesses = ['read', 'write', 'full'] as const;

/**
 * A CLI token. Where it is limited to an organization it also names the membership it was made under: when that one
 * ends, the token is dead for good, whoever joins again.
 */
export const tokenRecord = entity({
  kind: 'token',
  key: keys.token,
  schema: z.object({
    id: z.string(),
    userId: z.string(),
    email: z.string(),
    hash: z.string(),
    name: z.string(),
    /** The first characters of the token, to recognize it by. */
    prefix: z.string(),
    access: z.enum(tokenAccesses),
    organizationId: z.string().nullable(),
    projectId: z.string().nullable(),
    environmentId: z.string().nullable(),
    memberId: z.string().nullable(),
    createdAt: z.string(),
    lastUsedAt: z.string().nullable(),
    /** ISO 8601; null: the token does not expire. */
    expiryDate: z.string().nullable(),
    expiresAt: ExpiresAt.optional(),
  }),
});
export type TokenRecord = ReturnType<typeof tokenRecord.parse>;

/** The hash of the one mailed link of a purpose that is valid; a newer link takes its place. */
export const linkRecord = entity({
  kind: 'link',
  key: keys.link,
  schema: z.object({ hash: z.string(), expiresAt: ExpiresAt }),
});

/** Tries in the current window of a rate limit; the window ends with `expiresAt`. */
export const rateRecord = entity({
  kind: 'rate',
  key: keys.rate,
  schema: z.object({ tries: z.int(), underWay: z.int().optional(), expiresAt: ExpiresAt }),
});

/** A dashboard-to-CLI code: what the token will be. The token itself is made at the exchange and never stored in clear. */
export const handOffRecord = entity({
  kind: 'handOff',
  key: keys.handoff,
  schema: z.object({
    userId: z.string(),
    /** The sessions of this epoch may hand off; ending them ends the code as well. */
    sessionEpoch: z.int(),
    codeChallenge: z.string(),
    name: z.string(),
    access: z.enum(tokenAccesses),
    organizationId: z.string().nullable(),
    orgSlug: z.string().nullable(),
    memberId: z.string().nullable(),
    projectId: z.string().nullable(),
    environmentId: z.string().nullable(),
    expiresInDays: z.int().nullable(),
    expiresAt: ExpiresAt,
  }),
});
