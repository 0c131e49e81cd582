import * as z from 'zod';

/** The answer of a change that has nothing else to say. */
export const Success = z
  .object({ success: z.literal(true).meta({ description: 'Always true; a failure has an error body instead.' }) })
  .meta({ id: 'Success', description: 'The change was made.' });
export type Success = z.infer<typeof Success>;

/** The body of an answer that has nothing to tell but that it was done. */
export const succeeded = { success: true } as const;
