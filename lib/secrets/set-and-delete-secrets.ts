import type { MemberAccess } from '../access/member-access.ts';
import type { MemberContext } from '../access/request-context.ts';
import type { BodyOf } from '../contracts/contract.ts';
import type { Changes, NewSecret } from '../contracts/fields/changes-body.ts';
import type { AmbiguousLines } from '../contracts/fields/dotenv-text.ts';
import { hasFreshRights } from '../contracts/fields/role.ts';
import type { setSecret as setContract } from '../contracts/secrets/changes.ts';
import type { SecretSummary } from '../contracts/secrets/secrets.ts';
import { ApiError } from '../core/errors.ts';
import type { HeadRecord } from '../table/records/secret.ts';
import type { ChangeOptions, Put } from './change/change-request.ts';
import { sortOutUnchanged } from './change/decide-change.ts';
import { newPuts } from './change/new-puts.ts';
import { setEvent } from './change/publish-change.ts';
import type { ChangeReads } from './change/read-target.ts';
import { changeSecrets } from './change-secrets.ts';
import { isLive } from './engine/read-snapshot.ts';

/** Creates a secret or writes its next version. @throws version_mismatch, and what `changeSecrets` throws */
export async function setSecret(
  context: MemberContext,
  { key, value, expand, generate, expectedVersion, ...options }: ChangeOptions & BodyOf<typeof setContract>,
  begun: ChangeReads,
) {
  const secrets = [{ key, value, expand, generate }];
  context.access.requireValues(!options.dryRun && !areGenerated(secrets));
  const puts = newPuts(secrets);
  return changeSecrets(context, begun, {
    ...options,
    decide: async current => {
      const currentHead = current.head(key);
      requireVersion(key, currentHead, expectedVersion);
      return {
        ...(await sortOutUnchanged(puts, current)),
        deletions: [],
        action: setEvent(currentHead),
        answer: ({ changed, plan, revision, head }) => {
          return { created: plan.created.length > 0, secret: summaryOf(head(key)), changed, revision };
        },
      };
    },
  });
}

/** Whether the caller neither chooses nor learns any of the values. */
export const areGenerated = (secrets: readonly NewSecret[]) => secrets.every(({ generate }) => generate !== undefined);

function summaryOf(head: HeadRecord | undefined): SecretSummary {
  if (head === undefined) throw new Error('A secret that was set has no head.');
  const { key, version, createdAt, updatedAt, updatedBy } = head;
  return { key, version, createdAt, updatedAt, updatedBy };
}

/** @throws version_mismatch */
function requireVersion(key: string, head: HeadRecord | undefined, expectedVersion: number | undefined): void {
  const currentVersion = isLive(head) ? head.version : 0;
  if (expectedVersion === undefined || expectedVersion === currentVersion) return;
  const where = currentVersion === 0 ? 'does not exist' : `is at version ${currentVersion}`;
  throw new ApiError('version_mismatch', `The secret ${key} ${where}.`, { details: { currentVersion } });
}

interface Import extends ChangeOptions {
  secrets: readonly Put[];
  ambiguous?: AmbiguousLines | undefined;
}

/** Sets all of the secrets as one change. Other secrets stay as they are. */
export async function importSecrets(
  context: MemberContext,
  { secrets, ambiguous, ...options }: Import,
  begun: ChangeReads,
) {
  context.access.requireValues(!options.dryRun);
  const answer = await changeSecrets(context, begun, {
    ...options,
    decide: async current => ({
      ...(await sortOutUnchanged(secrets, current)),
      deletions: [],
      action: 'secret.bulk_set',
      answer: ({ plan: { created, updated, unchanged }, revision }) => ({ created, updated, unchanged, revision }),
    }),
  });
  return { ...answer, ambiguous };
}

/** Deletes one secret; its history stays. @throws secret_not_found, and what `changeSecrets` throws */
export async function deleteSecret(
  context: MemberContext,
  { key, ...options }: ChangeOptions & { key: string },
  begun: ChangeReads,
) {
  context.access.requireValues(!options.dryRun);
  return changeSecrets(context, begun, {
    ...options,
    decide: async ({ head }) => {
      if (!isLive(head(key))) throw notFound(key);
      const answer = ({ revision }: { revision: number }) => ({ success: true as const, revision });
      return { puts: [], deletions: [key], action: 'secret.deleted', answer };
    },
  });
}

const notFound = (key: string) => new ApiError('secret_not_found', `There is no secret ${key} in this environment.`);

/** Deletes those of the keys that exist, as one change. */
export async function bulkDeleteSecrets(
  context: MemberContext,
  { keys, ...options }: ChangeOptions & { keys: readonly string[] },
  begun: ChangeReads,
) {
  context.access.requireValues(!options.dryRun);
  return changeSecrets(context, begun, {
    ...options,
    decide: async ({ head }) => ({
      puts: [],
      deletions: keys.filter(key => isLive(head(key))),
      skipped: keys.filter(key => !isLive(head(key))),
      action: 'secret.bulk_delete',
      answer: ({ plan, revision }) => ({ deleted: plan.deleted, notFound: plan.skipped, revision }),
    }),
  });
}

/** Sets and deletes secrets as one change. @throws version_mismatch, secret_not_found, and as `changeSecrets` */
export async function applyChanges(
  context: MemberContext,
  { set, delete: deletions, ambiguous, ...options }: ChangeOptions & Omit<Changes, 'message'>,
  begun: ChangeReads,
) {
  context.access.requireValues(!options.dryRun && (deletions.length > 0 || !areGenerated(set)));
  const puts = newPuts(set);
  const answer = await changeSecrets(context, begun, {
    ...options,
    authorize: access => requireMayDelete(access, deletions.length),
    decide: async current => {
      for (const { key, expectedVersion } of set) requireVersion(key, current.head(key), expectedVersion);
      const missingKey = deletions.find(key => !isLive(current.head(key)));
      if (missingKey !== undefined) throw notFound(missingKey);
      return {
        ...(await sortOutUnchanged(puts, current)),
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
  if (count > 1 && !hasFreshRights(access.projectRole)) {
    throw new ApiError('forbidden', `The role ${access.role} may delete one secret at a time.`);
  }
}
