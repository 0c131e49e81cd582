import * as z from 'zod';
import { TokenAccess } from '../../contracts/fields/token-access.ts';
import { ExpiresAt, entity } from '../entity.ts';
import { keys } from '../keys.ts';

/** A dashboard-to-CLI code: what the token will be. The token itself is made at the exchange and never stored in clear. */
export const handOffRecord = entity({
  kind: 'handOff',
  key: keys.handoff,
  schema: z.object({
    userId: z.string(),
    /** The sessions of this epoch may hand off; ending them ends the code as well. */
    sessionEpoch: z.int(),
    /** Whether the session was proved with a second factor; its token inherits that. */
    secondFactor: z.boolean(),
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
  }),
});
