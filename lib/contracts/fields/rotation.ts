import * as z from 'zod';

export const Rotation = z
  .object({
    status: z
      .enum(['in_progress', 'completed'])
      .meta({ description: 'Whether values are still being re-encrypted.', example: 'completed' }),
    fromVersion: z.int().meta({ description: 'The key version that is replaced.', example: 1 }),
    toVersion: z.int().meta({ description: 'The key version in its place.', example: 2 }),
    reencrypted: z.int().meta({ description: 'Stored values re-encrypted so far, history included.', example: 310 }),
    total: z.int().meta({ description: 'Stored values to re-encrypt, history included.', example: 310 }),
  })
  .meta({ id: 'Rotation', description: 'The last rotation of a project’s encryption key.' });
export type Rotation = z.infer<typeof Rotation>;
