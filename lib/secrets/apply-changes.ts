import type { MemberAccess } from '../access/member-access.ts';
import type { MemberContext } from '../access/request-context.ts';
import type { Changes } from '../contracts/fields/changes-body.ts';
import { ApiError } from '../core/errors.ts';
import type { ChangeOptions } from './change/change-request.ts';
import { sortOutUnchanged } from './change/decide-change.ts';
import type { ChangeReads } from './change/read-target.ts';
import { changeSecrets } from './change-secrets.ts';
import { isLive } from './engine/read-snapshot.ts';
import { requireVersion } from './set-secret.ts';

/** Sets and deletes secrets as one change. @throws version_mismatch, secret_not_found, and what `changeSecrets` throws */
export async function applyChanges(
  context: MemberContext,
  { set, delete: deletions, ambiguous, ...options }: ChangeOptions & Omit<Changes, 'message'>,
  begun: ChangeReads,
) {
  const answer = await changeSecrets(context, begun, {
    ...options,
    authorize: access => requireMayDelete(access, deletions.length),
    decide: async current => {
      for (const { key, expectedVersion } of set) requireVersion(key, current.head(key), expectedVersion);
      const missingKey = deletions.find(key => !isLive(current.head(key)));
      if (missingKey !== undefined) {
        throw new ApiError('secret_not_found', `There is no secret ${missingKey} in this environment.`);
      }
      return {
        ...(await sortOutUnchanged(set, current)),
        deletions,
        action: 'secret.changed',
        answer: ({ plan: { created, updated, unchanged, deleted }, revision }) => {
          return { created, updated, unchanged, deleted, revision };
        },
      };
    },
  });
  return { ...answer, ambiguous };
}

/** Only owners and admins may delete several secrets at once, as with bulk-delete. @throws forbidden */
function requireMayDelete(access: MemberAccess, count: number): void {
  const { role } = access.member;
  if (count > 1 && role !== 'owner' && role !== 'admin') {
    throw new ApiError('forbidden', `The role ${access.role} may delete one secret at a time.`);
  }
}
