import { undoEmailChange } from '#lib/accounts/undo-email-change.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { undoEmailChange as contract } from '#lib/contracts/auth/change-email.ts';

export const handler = endpoint(contract, {
  run: ({ context, body }) => undoEmailChange(context, body.token),
});
