import { endpoint } from '#lib/api/endpoint.ts';
import { deleteSignIn as contract } from '#lib/contracts/organizations/sign-in-settings.ts';
import { deleteSignIn } from '#lib/providers/set-sign-in.ts';

export const handler = endpoint(contract, {
  run: async ({ context }) => deleteSignIn(context),
});
