import { endpoint } from '#lib/api/endpoint.ts';
import { stopRecovery as contract } from '#lib/contracts/organizations/recovery.ts';
import { stopAsOwner } from '#lib/organizations/recovery.ts';

export const handler = endpoint(contract, {
  run: ({ context }) => stopAsOwner(context),
});
