import * as z from 'zod';
import { Timestamp } from '../fields/text.ts';
import { UserReference } from '../fields/user-reference.ts';
import { Revision } from './revision.ts';
import { SecretSummary } from './secret-summary.ts';

export const SecretVersion = z
  .object({
    version: SecretSummary.shape.version,
    revision: Revision.meta({ description: 'The revision of the environment that this version belongs to.' }),
    createdAt: Timestamp.meta({ description: 'When it was written.' }),
    createdBy: UserReference.meta({ description: 'Who wrote it.' }),
    deleted: z.boolean().meta({ description: 'Whether this entry records a deletion.' }),
    destroyed: z.boolean().meta({ description: 'Whether the value was destroyed.' }),
    value: z.string().optional().meta({
      description: 'The value; only with `values=true`, and never for a deletion or a destroyed value.',
      example: 'db.internal.example',
    }),
  })
  .meta({ id: 'SecretVersion', description: 'An entry in the history of a key.' });
export type SecretVersion = z.infer<typeof SecretVersion>;
