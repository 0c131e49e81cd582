import * as z from 'zod';

/** The response to a change that returns nothing else. */
export const Success = z
  .object({ success: z.literal(true).meta({ description: 'Always true. A failure has an error body instead.' }) })
  .meta({ id: 'Success', description: 'The change was made.' });
export type Success = z.infer<typeof Success>;
