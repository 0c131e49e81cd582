import { conditionalAnswer } from '../../lib/api/conditional-answer.ts';
import { endpoint } from '../../lib/api/endpoint.ts';
import { listKeys as contract } from '../../lib/contracts/secrets.ts';
import { beginConditionalRead } from '../../lib/secrets/begin-conditional-read.ts';
import { beginRead } from '../../lib/secrets/engine/read-live-secrets.ts';
import { listKeys } from '../../lib/secrets/list-keys.ts';

export const handler = endpoint(contract, {
  fetch: ({ params, headers }) => beginConditionalRead(params, headers['if-none-match'], beginRead),
  run: async ({ context, query, fetched }) => conditionalAnswer(await listKeys(context, query, fetched)),
});
