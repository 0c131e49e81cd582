import { endProviderLink } from '#lib/accounts/provider-links.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { endProviderLink as contract } from '#lib/contracts/auth/providers.ts';

export const handler = endpoint(contract, {
  run: ({ context, params }) => endProviderLink(context, params.linkId),
});
