import type { MemberContext } from '../access/request-context.ts';
import { ApiError } from '../core/errors.ts';
import { type BegunChange, type ChangeOptions, changeSecrets } from './change-secrets.ts';
import { isLive } from './engine/read-snapshot.ts';

/** Deletes one secret; its history stays. @throws secret_not_found, and what `changeSecrets` throws */
export async function deleteSecret(
  context: MemberContext,
  { key, ...options }: ChangeOptions & { key: string },
  begun: BegunChange,
): Promise<{ success: true; revision: number }> {
  return changeSecrets(context, begun, {
    ...options,
    decide: async ({ head }) => {
      if (!isLive(head(key))) throw new ApiError('secret_not_found', `There is no secret ${key} in this environment.`);
      return {
        puts: [],
        deletions: [key],
        event: 'secret.deleted',
        answer: ({ revision }) => ({ success: true, revision }),
      };
    },
  });
}

/** Deletes those of the keys that exist, as one change. */
export async function bulkDeleteSecrets(
  context: MemberContext,
  { keys, ...options }: ChangeOptions & { keys: readonly string[] },
  begun: BegunChange,
) {
  return changeSecrets(context, begun, {
    ...options,
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
