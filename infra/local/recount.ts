import { parseArgs } from 'node:util';
import { recountPlatform } from '../../lib/admin/recount-platform.ts';
import { type Drift, recountOrganization } from '../../lib/plans/recount.ts';
import { ranges } from '../../lib/table/keys.ts';
import { directoryBySlugRecord } from '../../lib/table/records/organization.ts';
import { list } from '../../lib/table/store.ts';
import { runningStack } from './running-stack.ts';
import { StartError } from './start-error.ts';

/*
 * `npm run recount -- [organization slug …] [--fix]`: counts what the limits are enforced on and reports every counter
 * that says something else; without slugs for all organizations and the platform's own counts. Of the local stack that
 * runs on PORT (3000), or of a deployed table where TABLE_NAME is set and PORT is not. Exit code 2: there was drift.
 */

try {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { fix: { type: 'boolean' } } });
  await useTable();
  const isClean = await recount(positionals, values.fix === true);
  process.exitCode = isClean ? 0 : 2;
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}

/** Points this process at the table, before the first call of its client. */
async function useTable(): Promise<void> {
  const { TABLE_NAME, PORT } = process.env;
  if (TABLE_NAME && !PORT) return;
  const { tableName, region, dynamoDb } = await runningStack(PORT || '3000');
  process.env.TABLE_NAME = tableName;
  process.env.AWS_REGION = region;
  if (dynamoDb !== undefined) process.env.AWS_ENDPOINT_URL_DYNAMODB = dynamoDb;
  process.env.AWS_ACCESS_KEY_ID ||= 'local';
  process.env.AWS_SECRET_ACCESS_KEY ||= 'local';
}

async function recount(named: readonly string[], fix: boolean): Promise<boolean> {
  const all = named.length === 0;
  const slugs = all ? (await list(directoryBySlugRecord, ranges.directoryBySlug(''))).map(({ slug }) => slug) : named;
  let isClean = true;
  for (const slug of slugs) {
    const result = await recountOrganization(slug, { fix });
    if (result === undefined) {
      if (!all) throw new StartError(`There is no organization ${slug}.`);
      continue;
    }
    isClean &&= result.drifts.length === 0;
    for (const drift of result.drifts)
      report(
        slug,
        drift,
        fix,
        result.unfixed.some(({ counter }) => counter === drift.counter),
      );
  }
  if (all) {
    const drifts = await recountPlatform({ fix });
    isClean &&= drifts.length === 0;
    for (const drift of drifts) report('platform', drift, fix, false);
  }
  console.log(
    `${slugs.length} organization${slugs.length === 1 ? '' : 's'} recounted, ${isClean ? 'no drift' : 'drift found'}.`,
  );
  return isClean;
}

function report(where: string, { counter, recorded, counted }: Drift, fix: boolean, isUnfixed: boolean): void {
  const outcome = !fix ? '' : isUnfixed ? '; it was changing, run again' : '; fixed';
  console.log(`${where}: ${counter} says ${recorded}, there are ${counted}${outcome}`);
}
