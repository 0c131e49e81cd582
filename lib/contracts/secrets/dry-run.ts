import * as z from 'zod';
import { flagQuery } from '../fields/query.ts';
import { keyNames } from './key-names.ts';
import { Revision } from './revision.ts';

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
export function orDryRun<Body extends z.ZodType>(body: Body) {
  return z.union([body, DryRun]);
}
