import * as z from 'zod';
import { SecretSummary } from './secret-summary.ts';

export const SecretEntry = z
  .object({
    key: SecretSummary.shape.key,
    // Values were validated when they were set. Validating up to 4 MiB of them again would slow down a pull.
    value: z.string().meta({ description: 'The value, exactly as it was set.', example: 'db.internal.example' }),
    version: SecretSummary.shape.version,
    createdAt: SecretSummary.shape.createdAt,
    updatedAt: SecretSummary.shape.updatedAt,
    updatedBy: SecretSummary.shape.updatedBy,
  })
  .meta({ id: 'SecretEntry', description: 'A secret with its value.' });
export type SecretEntry = z.infer<typeof SecretEntry>;
