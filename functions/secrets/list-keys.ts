import { endpoint } from '../../lib/http/endpoint.ts';
import { beginConditionalRead } from '../../lib/secrets/begin-conditional-read.ts';
import { listKeys as contract } from '../../lib/secrets/contracts.ts';
import { listKeys } from '../../lib/secrets/list-keys.ts';

export const handler = endpoint(contract, {
  fetch: ({ params, headers }) => beginConditionalRead(params, headers['if-none-match']),
  run: input => listKeys(input),
});
