import type { MemberContext } from '../access/request-context.ts';
import type { DryRun } from '../contracts/secrets/changes.ts';
import { ApiError } from '../core/errors.ts';
import type { ChangeOptions } from './change/change-request.ts';
import type { ChangeReads } from './change/read-target.ts';
import { changeSecrets } from './change-secrets.ts';
import { isLive } from './engine/read-snapshot.ts';

/** Deletes one secret; its history stays. @throws secret_not_found, and what `changeSecrets` throws */
export async function deleteSecret(
  context: MemberContext,
  { key, ...options }: ChangeOptions & { key: string },
  begun: ChangeReads,
): Promise<{ success: true; revision: number } | DryRun> {
  return changeSecrets(context, begun, {
    ...options,
    decide: async ({ head }) => {
      if (!isLive(head(key))) throw new ApiError('secret_not_found', `There is no secret ${key} in this environment.`);
      return {
        puts: [],
        deletions: [key],
        action: 'secret.deleted',
        answer: ({ revision }) => ({ success: true, revision }),
      };
    },
  });
}

export async function bulkDeleteSecrets(
  context: MemberContext,
  { keys, ...options }: ChangeOptions & { keys: readonly string[] },
  begun: ChangeReads,
) {
  return changeSecrets(context, begun, {
    ...options,
    decide: async ({ head }) => {
      return {
        puts: [],
        deletions: keys.filter(key => isLive(head(key))),
        skipped: keys.filter(key => !isLive(head(key))),
        action: 'secret.bulk_delete',
        answer: ({ plan, revision }) => ({ deleted: plan.deleted, notFound: plan.skipped, revision }),
      };
    },
  });
}
