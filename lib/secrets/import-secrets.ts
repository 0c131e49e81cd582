import type { MemberContext } from '../access/request-context.ts';
import { type BegunChange, type ChangeOptions, changeSecrets } from './change-secrets.ts';
import { isLive } from './engine/read-snapshot.ts';

interface Import extends ChangeOptions {
  secrets: readonly { key: string; value: string }[];
}

/** Sets all of the secrets as one change. Secrets that are not named stay. */
export async function importSecrets(context: MemberContext, { secrets, ...options }: Import, begun: BegunChange) {
  return changeSecrets(context, begun, {
    ...options,
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
