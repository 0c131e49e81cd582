import * as z from 'zod';
import { Rotation } from '../../contracts/fields/rotation.ts';
import { Bytes, entity } from '../entity.ts';
import { keys } from '../keys.ts';

/** A project with its wrapped data keys by version. New values are sealed under `keyVersion`. */
export const projectRecord = entity({
  kind: 'project',
  key: keys.project,
  schema: z.object({
    id: z.string(),
    organizationId: z.string(),
    slug: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    keyVersion: z.int(),
    wrappedKeys: z.record(z.string(), Bytes),
    /** `failed`: its background work was given up, so the next rotation may begin, and takes its values along. */
    rotation: Rotation.extend({ failed: z.literal(true).optional() }).nullable(),
    environmentCount: z.int(),
    /** Where its environments begin to count revisions (see `retired-slug.ts`). */
    firstRevision: z.int(),
    createdAt: z.string(),
    /** `deleting`: nobody can reach the project any more, and its data is being erased. */
    status: z.enum(['active', 'deleting']),
  }),
});

export type ProjectRecord = ReturnType<typeof projectRecord.parse>;
