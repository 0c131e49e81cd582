import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { repairEnvironment } from '../repair/repair-environment.ts';
import { useTable } from './find-table.ts';
import { sentenceOf } from './sentence-of.ts';

/*
 * `npm run operate -- repair-environment <organization> <project> <environment>`: makes an environment consistent again after
 * its secrets stopped matching its digest, so that reads return 503 (alarm EnvironmentInconsistent, `npm run operate -- recount`).
 * It uses the local stack at PORT (3000), or the deployed table TABLE_NAME if that is set and PORT is not.
 */

try {
  const [orgSlug, project, env, ...others] = parseArgs({ allowPositionals: true }).positionals;
  if (orgSlug === undefined || project === undefined || env === undefined || others.length > 0) {
    throw new Error('Usage: npm run operate -- repair-environment <organization> <project> <environment>');
  }
  await useTable();
  const source = { ip: '127.0.0.1', userAgent: 'repair-environment', requestId: randomUUID() };
  const { revision, wasInconsistent, keys } = await repairEnvironment({ orgSlug, project, env }, source);
  for (const { key, did } of keys) console.log(`${key}: ${did}`);
  if (wasInconsistent || keys.length > 0) {
    const what = wasInconsistent ? 'The secrets did not match the digest. ' : '';
    console.log(`${what}${keys.length} keys repaired; the environment is at revision ${revision} now.`);
  } else console.log(`Nothing to repair: the environment is consistent at revision ${revision}.`);
} catch (error) {
  console.error(sentenceOf(error));
  process.exitCode = 1;
}
