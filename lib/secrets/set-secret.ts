import type { MemberContext } from '../access/request-context.ts';
import type { BodyOf } from '../contracts/contract.ts';
import type { setSecret as contract } from '../contracts/secrets/changes.ts';
import type { SecretSummary } from '../contracts/secrets/secrets.ts';
import { ApiError } from '../core/errors.ts';
import type { HeadRecord } from '../table/records/secret.ts';
import type { ChangeOptions } from './change/change-request.ts';
import { sortOutUnchanged } from './change/decide-change.ts';
import { setEvent } from './change/publish-change.ts';
import type { ChangeReads } from './change/read-target.ts';
import { changeSecrets } from './change-secrets.ts';
import { isLive } from './engine/read-snapshot.ts';

/** Creates a secret or writes its next version. @throws version_mismatch, and what `changeSecrets` throws */
export async function setSecret(
  context: MemberContext,
  { key, value, expectedVersion, ...options }: ChangeOptions & BodyOf<typeof contract>,
  begun: ChangeReads,
) {
  return changeSecrets(context, begun, {
    ...options,
    decide: async current => {
      const currentHead = current.head(key);
      requireVersion(key, currentHead, expectedVersion);
      return {
        ...(await sortOutUnchanged([{ key, value }], current)),
        deletions: [],
        action: setEvent(currentHead),
        answer: ({ changed, plan, revision, head }) => ({
          created: plan.created.length > 0,
          secret: summaryOf(head(key)),
          changed,
          revision,
        }),
      };
    },
  });
}

/** @throws version_mismatch */
export function requireVersion(key: string, head: HeadRecord | undefined, expectedVersion: number | undefined): void {
  const currentVersion = isLive(head) ? head.version : 0;
  if (expectedVersion === undefined || expectedVersion === currentVersion) return;
  const where = currentVersion === 0 ? 'does not exist' : `is at version ${currentVersion}`;
  throw new ApiError('version_mismatch', `The secret ${key} ${where}.`, { details: { currentVersion } });
}

function summaryOf(head: HeadRecord | undefined): SecretSummary {
  if (head === undefined) throw new Error('A secret that was set has no head.');
  const { key, version, createdAt, updatedAt, updatedBy } = head;
  return { key, version, createdAt, updatedAt, updatedBy };
}
