import * as z from 'zod';
import { ExpiresAt, entity } from '../entity.ts';
import { rareKeys } from '../keys.ts';

/** A member's request for a grant, open until `expiresAt`. Granting or refusing it removes it. */
export const grantRequestRecord = entity('grantRequest', rareKeys.grantRequest, {
  id: z.string(),
  memberId: z.string(),
  userId: z.string(),
  slot: z.int(),
  projectId: z.string(),
  project: z.string(),
  environmentId: z.string(),
  environment: z.string(),
  access: z.enum(['read', 'write']),
  minutes: z.int(),
  reason: z.string(),
  createdAt: z.string(),
  expiresAt: ExpiresAt,
});
export type GrantRequestRecord = ReturnType<typeof grantRequestRecord.parse>;
