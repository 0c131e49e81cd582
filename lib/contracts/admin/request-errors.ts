import * as z from 'zod';

export const RequestErrors = z
  .object({
    client: z.int().meta({ description: 'Responses with a status from 400 to 499.', example: 31 }),
    server: z.int().meta({ description: 'Responses with a status from 500 to 599.', example: 0 }),
  })
  .meta({ id: 'RequestErrors', description: 'The number of requests that failed.' });
export type RequestErrors = z.infer<typeof RequestErrors>;
