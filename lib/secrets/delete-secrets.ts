import type { EndpointInput } from '../api/endpoint.ts';
import type { bulkDeleteSecrets as bulkContract, deleteSecret as contract } from '../contracts/secrets.ts';
import { ApiError } from '../core/errors.ts';
import { type BegunChange, changeSecrets } from './change-secrets.ts';
import { isLive } from './engine/read-snapshot.ts';

/** Deletes one secret; its history stays. @throws secret_not_found, and what `changeSecrets` throws */
export async function deleteSecret({
  access,
  source,
  log,
  headers,
  params: { key },
  fetched,
}: EndpointInput<typeof contract, BegunChange>) {
  return changeSecrets(fetched, {
    access,
    source,
    log,
    ifMatch: headers['if-match'],
    decide: async ({ head }) => {
      if (!isLive(head(key))) throw new ApiError('secret_not_found', `There is no secret ${key} in this environment.`);
      return {
        puts: [],
        deletions: [key],
        event: 'secret.deleted',
        answer: ({ revision }) => ({ success: true as const, revision }),
      };
    },
  });
}

/** Deletes those of the keys that are there, as one change. */
export async function bulkDeleteSecrets({
  access,
  source,
  log,
  headers,
  body: { keys },
  fetched,
}: EndpointInput<typeof bulkContract, BegunChange>) {
  return changeSecrets(fetched, {
    access,
    source,
    log,
    ifMatch: headers['if-match'],
    decide: async ({ head }) => {
      const deleted = keys.filter(key => isLive(head(key)));
      const notFound = keys.filter(key => !isLive(head(key)));
      return {
        puts: [],
        deletions: deleted,
        event: 'secret.bulk_delete',
        answer: ({ revision }) => ({ deleted, notFound, revision }),
      };
    },
  });
}
