import type { EndpointInput } from '../api/endpoint.ts';
import type { importSecrets as contract } from '../contracts/secrets.ts';
import { type BegunChange, changeSecrets } from './change-secrets.ts';
import { isLive } from './engine/read-snapshot.ts';

/** Sets all of the secrets as one change; those that are not named stay. */
export async function importSecrets({
  access,
  source,
  log,
  headers,
  body: { secrets },
  fetched,
}: EndpointInput<typeof contract, BegunChange>) {
  return changeSecrets(fetched, {
    access,
    source,
    log,
    ifMatch: headers['if-match'],
    decide: async ({ head, hasValue }) => {
      const same = await Promise.all(secrets.map(({ key, value }) => hasValue(key, value)));
      const puts = secrets.filter((_, index) => !same[index]);
      const unchanged = secrets.filter((_, index) => same[index]).map(({ key }) => key);
      const created = puts.map(({ key }) => key).filter(key => !isLive(head(key)));
      const updated = puts.map(({ key }) => key).filter(key => isLive(head(key)));
      return {
        puts,
        deletions: [],
        event: 'secret.bulk_set',
        answer: ({ revision }) => ({ created, updated, unchanged, revision }),
      };
    },
  });
}
