import { S3Client } from '@aws-sdk/client-s3';
import { ranges } from '#lib/table/keys.ts';
import { at, find, list } from '#lib/table/read.ts';
import { directoryBySlugRecord, organizationRecord } from '#lib/table/records/organization.ts';
import { ConfigError } from '../plan/config.ts';
import { readInstallation } from '../plan/installation-file.ts';
import { type Archive, archivedOrganizations, verifyArchive } from '../repair/verify-archive.ts';
import { readOutputs } from './read-deployed.ts';
import { sentenceOf } from './sentence-of.ts';

/*
 * `npm run operate -- verify-audit-archive <installation> [organization]`: reads the audit archive of all organizations,
 * or of one by its slug or id, and checks that nothing is missing or changed. It needs the right to list and read the
 * bucket, which no function has, and to query the table. Exit code 1 if something is missing or changed.
 */

const usage = 'Usage: npm run operate -- verify-audit-archive <installation> [organization]';

try {
  const [installation, organization, ...more] = process.argv.slice(2);
  if (installation === undefined || more.length > 0) throw new ConfigError(usage);
  const config = readInstallation(installation);
  const { AuditArchiveBucket: bucket, TableName: table } = await readOutputs(config, 'foundation');
  if (bucket === undefined || table === undefined) {
    throw new ConfigError(`The installation ${config.name} has no audit archive: set auditArchiveDays and deploy it.`);
  }
  process.env.TABLE_NAME = table;
  if (config.region !== undefined) process.env.AWS_REGION = config.region;
  const client = new S3Client({ followRegionRedirects: true });
  const isWhole = await verifyAll({ client, bucket }, organization);
  process.exitCode = isWhole ? 0 : 1;
} catch (error) {
  console.error(sentenceOf(error));
  process.exitCode = 1;
}

async function verifyAll(archive: Archive, organization: string | undefined): Promise<boolean> {
  let isWhole = true;
  for (const [id, name] of await chosen(archive, organization)) {
    const { objects, entries, upTo, problems } = await verifyArchive(archive, id);
    const content = `${entries} entries in ${objects} objects, ${upTo === undefined ? 'not archived yet' : `up to ${upTo}`}`;
    console.log(`${name}: ${content}, ${problems.length === 0 ? 'complete' : 'NOT COMPLETE'}.`);
    for (const problem of problems) console.log(`  ${problem}`);
    isWhole &&= problems.length === 0;
  }
  return isWhole;
}

/** Ids with the names to print. An erased organization has only its id. */
async function chosen(archive: Archive, organization: string | undefined): Promise<Map<string, string>> {
  if (organization !== undefined) {
    const found = await find(at(organizationRecord, organization));
    return new Map([[found?.id ?? organization, organization]]);
  }
  const names = new Map((await archivedOrganizations(archive)).map(id => [id, id]));
  for (const { id, slug } of await list(directoryBySlugRecord, ranges.directoryBySlug(''))) names.set(id, slug);
  return names;
}
