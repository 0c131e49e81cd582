import * as z from 'zod';
import { TokenAccess } from '../../contracts/fields/role.ts';
import { ExpiresAt, entity } from '../entity.ts';
import { keys } from '../keys.ts';
import { ViaProvider } from './via-provider.ts';

/** A dashboard-to-CLI code with the properties of its future token, which is created at the exchange. */
export const handOffRecord = entity('handOff', keys.handoff, {
  userId: z.string(),
  /** Ending the sessions of this epoch also invalidates the code. */
  sessionEpoch: z.int(),
  /** The session that requested the code, which ends with it. An older code names none, and is therefore rejected. */
  sessionHash: z.string().default(''),
  sessionId: z.string().optional(),
  /** Whether the session used a second factor; the token inherits that. */
  secondFactor: z.boolean(),
  /** The provider that the session came through; the token inherits that too. */
  provider: ViaProvider.optional(),
  codeChallenge: z.string(),
  name: z.string(),
  access: TokenAccess,
  organizationId: z.string().nullable(),
  orgSlug: z.string().nullable(),
  memberId: z.string().nullable(),
  projectId: z.string().nullable(),
  environmentId: z.string().nullable(),
  expiresInDays: z.int().nullable(),
  expiresAt: ExpiresAt,
});
