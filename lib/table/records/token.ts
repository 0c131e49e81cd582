import * as z from 'zod';
import { TokenAccess } from '../../contracts/fields/role.ts';
import { ExpiresAt, entity } from '../entity.ts';
import { keys } from '../keys.ts';
import { ViaProvider } from './via-provider.ts';

/**
 * A CLI token. If it is limited to an organization, it also records the membership under which it was created, and
 * becomes invalid permanently when that ends, even if its user joins again.
 */
export const tokenRecord = entity('token', keys.token, {
  id: z.string(),
  userId: z.string(),
  email: z.string(),
  hash: z.string(),
  name: z.string(),
  /** The first characters of the token, to recognize it by. */
  prefix: z.string(),
  access: TokenAccess,
  organizationId: z.string().nullable(),
  projectId: z.string().nullable(),
  environmentId: z.string().nullable(),
  memberId: z.string().nullable(),
  /** Whether the session that created it used a second factor. Not stored in older tokens of identities. */
  secondFactor: z.boolean().default(false),
  /** Absent if its session did not come through a provider. */
  provider: ViaProvider.optional(),
  createdAt: z.string(),
  lastUsedAt: z.string().nullable(),
  /** ISO 8601; null: the token does not expire. */
  expiryDate: z.string().nullable(),
  expiresAt: ExpiresAt.optional(),
});

export type TokenRecord = ReturnType<typeof tokenRecord.parse>;
