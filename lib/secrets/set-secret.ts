import type { EndpointInput } from '../api/endpoint.ts';
import type { setSecret as contract, SecretSummary } from '../contracts/secrets.ts';
import { ApiError } from '../core/errors.ts';
import type { HeadRecord } from '../table/records/secret.ts';
import { type BegunChange, changeSecrets } from './change-secrets.ts';
import { isLive } from './engine/read-snapshot.ts';

/**
 * Creates a secret or writes its next version.
 * @throws version_mismatch, and what `changeSecrets` throws
 */
export async function setSecret({
  access,
  source,
  log,
  headers,
  body: { key, value, expectedVersion },
  fetched,
}: EndpointInput<typeof contract, BegunChange>) {
  return changeSecrets(fetched, {
    access,
    source,
    log,
    ifMatch: headers['if-match'],
    decide: async standing => {
      const head = standing.head(key);
      const isThere = isLive(head);
      requireVersion(isThere ? head.version : 0, expectedVersion);
      const isSame = await standing.hasValue(key, value);
      return {
        puts: isSame ? [] : [{ key, value }],
        deletions: [],
        event: isThere ? 'secret.updated' : 'secret.created',
        answer: ({ changed, revision, head }) => ({
          created: !isThere,
          result: { secret: summaryOf(head(key)), changed, revision },
        }),
      };
    },
  });
}

function requireVersion(currentVersion: number, expectedVersion: number | undefined): void {
  if (expectedVersion === undefined || expectedVersion === currentVersion) return;
  const found = currentVersion === 0 ? 'is not there' : `is at version ${currentVersion}`;
  throw new ApiError('version_mismatch', `The secret ${found}.`, { details: { currentVersion } });
}

function summaryOf(head: HeadRecord | undefined): SecretSummary {
  if (head === undefined) throw new Error('A secret that was set has no head.');
  const { key, version, createdAt, updatedAt, updatedBy } = head;
  return { key, version, createdAt, updatedAt, updatedBy };
}
