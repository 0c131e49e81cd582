import { endpoint } from '#lib/api/endpoint.ts';
import { setAllowedNetworks as contract } from '#lib/contracts/organizations/allowed-networks.ts';
import { setAllowedNetworks } from '#lib/organizations/allowed-networks.ts';

export const handler = endpoint(contract, {
  run: async ({ context, body }) => ({ body: { networks: await setAllowedNetworks(context, body) } }),
});
