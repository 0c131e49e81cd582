import { parseArgs } from 'node:util';
import { chunksOf } from '#lib/core/chunks-of.ts';
import { ranges } from '#lib/table/keys.ts';
import { queryPages } from '#lib/table/read.ts';
import { directoryBySlugRecord } from '#lib/table/records/organization.ts';
import { costOfScan, findChangedOrganizations, sizeOfTable } from '../repair/changed-organizations.ts';
import { type Drift, type Recount, recountOrganization } from '../repair/recount.ts';
import { recountPlatform } from '../repair/recount-platform.ts';
import { prices } from './cost-table.ts';
import { useTable } from './find-table.ts';
import { sentenceOf } from './sentence-of.ts';

/*
 * `npm run operate -- recount [organization slug …] [--from slug | --changed-since time] [--fix]`: recounts everything that has a limit and reports
 * every counter that differs. Without slugs it recounts all organizations in the order of their slugs, ten at a time,
 * and then the platform's own counters. It prints its position, so that a stopped run can continue with `--from`; such
 * a run skips the platform's counters. With `--changed-since` it recounts the organizations that have changed since that
 * moment, and says first what finding them takes. It can run while the service is in use. It uses the local stack at PORT (3000), or the deployed table TABLE_NAME if that
 * is set and PORT is not. Exit code 2: it found drift, or an environment whose secrets do not match its digest, which
 * `npm run operate -- repair-environment` repairs.
 */

const organizationsAtOnce = 10;
/** How many organizations are recounted between two lines that print the position. */
const organizationsPerLine = 1000;

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { fix: { type: 'boolean' }, from: { type: 'string' }, 'changed-since': { type: 'string' } },
  });
  const { from, 'changed-since': changedSince } = values;
  if ([from, changedSince, positionals[0]].filter(given => given !== undefined).length > 1) {
    throw new Error('Use only one of: names of organizations, --from, --changed-since.');
  }
  const since = new Date(changedSince ?? 0);
  if (Number.isNaN(since.getTime())) throw new Error('--changed-since takes a time, such as 2026-01-31T09:26:53Z.');
  await useTable();
  const fix = values.fix === true;
  const isClean = await (positionals.length > 0
    ? recountNamed(positionals, fix)
    : changedSince === undefined
      ? recountAll(from, fix)
      : recountChanged(since, fix));
  process.exitCode = isClean ? 0 : 2;
} catch (error) {
  console.error(sentenceOf(error));
  process.exitCode = 1;
}

async function recountNamed(slugs: readonly string[], fix: boolean): Promise<boolean> {
  let isClean = true;
  for (const slug of slugs) {
    const result = await recountOrganization(slug, { fix });
    if (result === undefined) throw new Error(`There is no organization ${slug}.`);
    isClean = reportAll(slug, result, fix) && isClean;
  }
  return summarize(slugs.length, isClean);
}

async function recountChanged(since: Date, fix: boolean): Promise<boolean> {
  const { bytes, unitsPerSecond } = await sizeOfTable(process.env.TABLE_NAME ?? '');
  const { gigabytes, readUnits, dollars, seconds } = costOfScan(bytes, unitsPerSecond, prices.readUnit);
  console.error(
    `Reading the whole table once: ${gigabytes.toFixed(1)} GB take ${readUnits} read units, about $${dollars.toFixed(2)}, ` +
      `and at least ${seconds} s at ${unitsPerSecond} units a second.`,
  );
  const slugs = await findChangedOrganizations(since);
  let isClean = true;
  for (const some of chunksOf(organizationsAtOnce, slugs)) isClean = (await recountSome(some, fix)) && isClean;
  return summarize(slugs.length, isClean);
}

/** An organization may have been deleted in the meantime. */
async function recountSome(slugs: readonly string[], fix: boolean): Promise<boolean> {
  const results = await Promise.all(slugs.map(slug => recountOrganization(slug, { fix })));
  return slugs.map((slug, index) => reportAll(slug, results[index], fix)).every(isClean => isClean);
}

async function recountAll(from: string | undefined, fix: boolean): Promise<boolean> {
  let isClean = true;
  let recounted = 0;
  // The first organization that may not have been recounted yet.
  let next = from ?? '';
  try {
    for await (const page of queryPages({ ...ranges.directoryFromSlug(next), pageSize: organizationsPerLine })) {
      const slugs = page.map(item => directoryBySlugRecord.parse(item).slug);
      for (const some of chunksOf(organizationsAtOnce, slugs)) {
        next = some[0] ?? next;
        isClean = (await recountSome(some, fix)) && isClean;
        recounted += some.length;
      }
      if (slugs.length === organizationsPerLine) {
        console.error(`${recounted} recounted. To continue from here later: --from ${slugs.at(-1)}`);
      }
    }
  } catch (error) {
    if (next !== '') console.error(`Stopped after ${recounted} organizations. To continue: --from ${next}`);
    throw error;
  }
  if (from === undefined) isClean = reportAll('platform', await recountPlatform({ fix }), fix) && isClean;
  return summarize(recounted, isClean);
}

function summarize(count: number, isClean: boolean): boolean {
  console.log(`${count} organization${count === 1 ? '' : 's'} recounted, ${isClean ? 'no drift' : 'drift found'}.`);
  return isClean;
}

function reportAll(slug: string, result: Recount | undefined, fix: boolean): boolean {
  if (result === undefined) return true;
  const { drifts, inconsistent = [] } = result;
  const unfixed = new Set(result.unfixed.map(({ counter }) => counter));
  for (const path of inconsistent) console.log(`${slug}: environment ${path} does not match its digest`);
  for (const drift of drifts) report(slug, drift, fix, unfixed.has(drift.counter));
  return drifts.length === 0 && inconsistent.length === 0;
}

function report(where: string, { counter, recorded, counted }: Drift, fix: boolean, isUnfixed: boolean): void {
  const outcome = !fix ? '' : isUnfixed ? '; not fixed, because it was changing: run again' : '; fixed';
  console.log(`${where}: ${counter} is ${recorded}, but the actual count is ${counted}${outcome}`);
}
