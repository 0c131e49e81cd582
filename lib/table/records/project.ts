import * as z from 'zod';
import { Bytes, entity } from '../entity.ts';
import { keys } from '../keys.ts';

export const rotationRecord = z.object({
  status: z.enum(['in_progress', 'completed']),
  fromVersion: z.int(),
  toVersion: z.int(),
  reencrypted: z.int(),
  total: z.int(),
});

/** A project with its wrapped data keys by version. New values are sealed under `keyVersion`. */
export const projectRecord = entity({
  kind: 'project',
  key: keys.project,
  schema: z.object({
    id: z.string(),
    slug: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    keyVersion: z.int(),
    wrappedKeys: z.record(z.string(), Bytes),
    rotation: rotationRecord.nullable(),
    environmentCount: z.int(),
    createdAt: z.string(),
    /** `deleting`: nobody can reach the project any more, and its data is being erased. */
    status: z.enum(['active', 'deleting']),
  }),
});

export type ProjectRecord = ReturnType<typeof projectRecord.parse>;
