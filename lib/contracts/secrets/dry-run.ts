import * as z from 'zod';
import { flagQuery } from '../fields/query.ts';
import { keyNames } from './key-names.ts';
import { Revision } from './revision.ts';

export const writeQuery = {
  dryRun: flagQuery(
    'Whether to answer only what the change would do. Everything is checked and refused as for the change itself, and ' +
      'nothing is changed, recorded or sent.',
  ).default(false),
};

export const ChangePlan = z
  .object({
    created: keyNames('Keys that would be created.'),
    updated: keyNames('Keys that would get a new version.'),
    unchanged: keyNames('Keys that have the value already. Empty for a caller who can’t read the environment.'),
    deleted: keyNames('Keys that would be deleted.'),
    skipped: keyNames('Keys that would be left as they are for another reason.'),
  })
  .meta({ id: 'ChangePlan', description: 'What a change would do. Each list is in key order.' });
export type ChangePlan = z.infer<typeof ChangePlan>;

export const DryRun = z
  .object({
    dryRun: z.literal(true).meta({ description: 'Nothing was changed.' }),
    plan: ChangePlan,
    revision: Revision.meta({ description: 'The revision that the plan is for.' }),
  })
  .meta({ id: 'DryRun', description: 'The answer to `dryRun=true`.' });
export type DryRun = z.infer<typeof DryRun>;

/** What the write answers, or the plan of a dry run. */
export function orDryRun<Body extends z.ZodType>(body: Body) {
  return z.union([body, DryRun]);
}
