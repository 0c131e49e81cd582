import * as z from 'zod';

export const HostedPage = z.object({
  url: z.string().meta({
    description: 'The URL to redirect the browser to. It is valid for a limited time.',
    example: 'https://pay.example.com/session',
  }),
});
