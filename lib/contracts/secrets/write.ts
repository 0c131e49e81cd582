import * as z from 'zod';
import { uniqueList } from '../fields/bodies.ts';
import { IfMatch } from '../fields/preconditions.ts';
import { flagQuery } from '../fields/query.ts';
import { maxKeysPerChange } from '../fields/secret-rules.ts';
import { SecretKey } from '../fields/text.ts';
import { keyNames, Revision } from './secret.ts';

/**
 * What every change of secrets uses. Even a deletion may have to undo another writer's abandoned change during a key
 * rotation (`undo-change.ts`), which requires decryption.
 */
export const changeUses = {
  table: ['GetItem', 'Query', 'DeleteItem'],
  reads: ['ENV', 'PLANS'],
  writes: ['ENV', 'AUDIT', 'PAYLOAD', 'DELIVERIES'],
  key: { project: ['Decrypt'] },
  queues: ['webhooks'],
} as const;

export const IfMatchHeader = z.object({
  'if-match': IfMatch.optional().meta({
    description:
      'Makes the change only if the environment is at this revision; otherwise the response is `412 ' +
      'revision_mismatch`. `*` matches any revision.',
    example: '"17"',
  }),
});

export const writeQuery = {
  dryRun: flagQuery(
    'Whether to return only what the change would do. Everything is validated as for the change itself, but ' +
      'nothing is changed, recorded or sent.',
  ).default(false),
};

export const ChangePlan = z
  .object({
    created: keyNames('Keys that would be created.'),
    updated: keyNames('Keys that would get a new version.'),
    unchanged: keyNames('Keys that already have the value. Empty if the caller can’t read the environment.'),
    deleted: keyNames('Keys that would be deleted.'),
    skipped: keyNames('Keys that would be left unchanged for another reason.'),
  })
  .meta({ id: 'ChangePlan', description: 'What a change would do. Each list is in key order.' });
export type ChangePlan = z.infer<typeof ChangePlan>;

export const DryRun = z
  .object({
    dryRun: z.literal(true).meta({ description: 'Nothing was changed.' }),
    plan: ChangePlan,
    revision: Revision.meta({ description: 'The revision that the plan is based on.' }),
  })
  .meta({ id: 'DryRun', description: 'The response to `dryRun=true`.' });
export type DryRun = z.infer<typeof DryRun>;

/** The result of the write, or the plan of a dry run. */
export function orDryRun<Body extends z.ZodType, Plan extends z.ZodType = typeof DryRun>(body: Body, plan?: Plan) {
  return z.union([body, plan ?? DryRun]);
}

export const KeyList = uniqueList(SecretKey, 1, maxKeysPerChange);

export const ImportResult = z.object({
  created: keyNames('Keys that were created.'),
  updated: keyNames('Keys that got a new version.'),
  unchanged: keyNames('Keys that already had the value.'),
  revision: Revision,
});
