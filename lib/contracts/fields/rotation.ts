import * as z from 'zod';

export const Rotation = z
  .object({
    status: z
      .enum(['in_progress', 'completed'])
      .meta({ description: 'Whether values are still being re-encrypted.', example: 'completed' }),
    fromVersion: z.int().meta({ description: 'The version of the key that is being replaced.', example: 1 }),
    toVersion: z.int().meta({ description: 'The version of the key that replaces it.', example: 2 }),
    reencrypted: z
      .int()
      .meta({ description: 'The number of stored values re-encrypted so far, including the history.', example: 310 }),
    total: z
      .int()
      .meta({ description: 'The total number of stored values to re-encrypt, including the history.', example: 310 }),
  })
  .meta({ id: 'Rotation', description: 'The last rotation of a project’s encryption key.' });
export type Rotation = z.infer<typeof Rotation>;
