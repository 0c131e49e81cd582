import * as z from 'zod';
import { entity } from '../entity.ts';
import { keys } from '../keys.ts';

/** Which region of a global table serves. Only an operator's command writes it (`infra/commands/move-service.ts`). */
export const servingRegionRecord = entity({
  kind: 'servingRegion',
  key: keys.servingRegion,
  schema: z.object({
    /** null while the service moves: no region serves. */
    region: z.string().nullable(),
    /** Rises with every write, so that the newer of two replicas' items is known. */
    epoch: z.int(),
    changedAt: z.string(),
  }),
});

export type ServingRegion = ReturnType<typeof servingRegionRecord.parse>;
