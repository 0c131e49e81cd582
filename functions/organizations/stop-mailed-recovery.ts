import { endpoint } from '#lib/api/endpoint.ts';
import { stopMailedRecovery as contract } from '#lib/contracts/organizations/recovery.ts';
import { stopWithLink } from '#lib/organizations/recovery.ts';

export const handler = endpoint(contract, {
  run: ({ context, body }) => stopWithLink(context, body.token),
});
