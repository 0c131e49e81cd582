import { conditionalAnswer } from '../../lib/api/conditional-answer.ts';
import { endpoint } from '../../lib/api/endpoint.ts';
import { pullSecrets as contract } from '../../lib/contracts/secrets.ts';
import { beginConditionalRead } from '../../lib/secrets/begin-conditional-read.ts';
import { beginPull, pullSecrets } from '../../lib/secrets/pull-secrets.ts';

export const handler = endpoint(contract, {
  fetch: ({ params, query, headers }) =>
    beginConditionalRead(params, headers['if-none-match'], path => beginPull(path, query.keys)),
  run: async ({ context, query, fetched }) => conditionalAnswer(await pullSecrets(context, query, fetched)),
});
