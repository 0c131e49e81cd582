import { foreseeMemberships } from '#lib/accounts/factors/remove-factors.ts';
import { removeTotp } from '#lib/accounts/factors/totp.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { removeTotp as contract } from '#lib/contracts/auth/totp.ts';

export const handler = endpoint(contract, {
  fetch: (_, userId) => foreseeMemberships(userId),
  run: ({ context, fetched }) => removeTotp(context, fetched),
});
