import { listProviderLinks } from '#lib/accounts/provider-links.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { listProviderLinks as contract } from '#lib/contracts/auth/providers.ts';

export const handler = endpoint(contract, {
  run: async ({ context }) => ({ body: { links: await listProviderLinks(context) } }),
});
