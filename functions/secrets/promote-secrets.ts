import { endpoint } from '../../lib/http/endpoint.ts';
import { promoteSecrets as contract } from '../../lib/secrets/contracts.ts';
import { beginPromotion, promoteSecrets } from '../../lib/secrets/promote-secrets.ts';

export const handler = endpoint(contract, {
  fetch: beginPromotion,
  run: async input => ({ status: 200, body: await promoteSecrets(input) }),
});
