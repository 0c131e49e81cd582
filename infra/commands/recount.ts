import { parseArgs } from 'node:util';
import { ranges } from '../../lib/table/keys.ts';
import { list } from '../../lib/table/read.ts';
import { directoryBySlugRecord } from '../../lib/table/records/organization.ts';
import { type Drift, recountOrganization } from '../repair/recount.ts';
import { recountPlatform } from '../repair/recount-platform.ts';
import { useTable } from './find-table.ts';

/*
 * `npm run recount -- [organization slug …] [--fix]`: recounts everything that has a limit and reports every counter
 * that differs. Without slugs it recounts all organizations and the platform's own counters. It uses the local stack at
 * PORT (3000), or the deployed table TABLE_NAME if that is set and PORT is not. Exit code 2: it found drift, or an
 * environment whose secrets do not match its digest, which `npm run repair-environment` repairs.
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

async function recount(named: readonly string[], fix: boolean): Promise<boolean> {
  const all = named.length === 0;
  const slugs = all ? (await list(directoryBySlugRecord, ranges.directoryBySlug(''))).map(({ slug }) => slug) : named;
  let isClean = true;
  for (const slug of slugs) {
    const result = await recountOrganization(slug, { fix });
    if (result === undefined) {
      if (!all) throw new Error(`There is no organization ${slug}.`);
      continue;
    }
    const unfixed = new Set(result.unfixed.map(({ counter }) => counter));
    const { inconsistent = [] } = result;
    isClean &&= result.drifts.length === 0 && inconsistent.length === 0;
    for (const path of inconsistent) console.log(`${slug}: environment ${path} does not match its digest`);
    for (const drift of result.drifts) report(slug, drift, fix, unfixed.has(drift.counter));
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
  const outcome = !fix ? '' : isUnfixed ? '; not fixed, because it was changing: run again' : '; fixed';
  console.log(`${where}: ${counter} is ${recorded}, but the actual count is ${counted}${outcome}`);
}
