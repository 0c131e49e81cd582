import { endpoint } from '#lib/api/endpoint.ts';
import { getAllowedNetworks as contract } from '#lib/contracts/organizations/allowed-networks.ts';
import { readAllowedNetworks } from '#lib/organizations/allowed-networks.ts';

export const handler = endpoint(contract, {
  run: async ({ context }) => ({ body: readAllowedNetworks(context) }),
});
