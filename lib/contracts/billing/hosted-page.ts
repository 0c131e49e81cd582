import * as z from 'zod';

export const HostedPage = z.object({
  url: z.string().meta({
    description: 'The address to send the browser to. It works for a limited time.',
    example: 'https://pay.example.com/session',
  }),
});
