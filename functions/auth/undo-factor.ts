import { undoFactor } from '../../lib/accounts/factors/undo-factor.ts';
import { endpoint } from '../../lib/api/endpoint.ts';
import { undoFactor as contract } from '../../lib/contracts/auth/undo-factor.ts';
import { succeeded } from '../../lib/contracts/fields/success.ts';

export const handler = endpoint(contract, {
  run: async ({ context, body }) => {
    await undoFactor(context, body.token);
    return { status: 200, body: succeeded };
  },
});
