import { endpoint } from '../../lib/api/endpoint.ts';
import { promoteSecrets as contract } from '../../lib/contracts/secrets.ts';
import { beginPromotion, promoteSecrets } from '../../lib/secrets/promote-secrets.ts';

export const handler = endpoint(contract, {
  fetch: beginPromotion,
  run: async input => ({ status: 200, body: await promoteSecrets(input) }),
});
