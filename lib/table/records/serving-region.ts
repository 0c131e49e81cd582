import * as z from 'zod';
import { entity } from '../entity.ts';
import { keys } from '../keys.ts';

/** Which region of a global table serves. Only an operator's command writes it (`infra/commands/move-service.ts`). */
export const servingRegionRecord = entity('servingRegion', keys.servingRegion, {
  region: z.string().nullable(),
  /** Every write increments it, which shows which of two replicas has the newer item. */
  epoch: z.int(),
  changedAt: z.string(),
});
export type ServingRegion = ReturnType<typeof servingRegionRecord.parse>;
