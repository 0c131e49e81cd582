import { checkService, readCheckAccount } from '#lib/metrics/service-check.ts';
import { ConfigError } from '../plan/config.ts';
import { readInstallation } from '../plan/installation-file.ts';
import { sentenceOf } from './sentence-of.ts';

/*
 * `npm run operate -- smoke <installation>`: logs in, sets a secret and pulls it with the account in the installation's
 * `checkParameter`, just like the scheduled check every five minutes; under maintenance it only logs in
 * and pulls. `npm run deploy` runs it after each deployment.
 * Exit code 1 if a step fails.
 */

try {
  const [installation = '', ...more] = process.argv.slice(2);
  if (!/^[a-z]/.test(installation) || more.length > 0)
    throw new ConfigError('Usage: npm run operate -- smoke <installation>');
  const { checkParameter, region, maintenance } = readInstallation(installation);
  if (checkParameter === undefined) {
    throw new ConfigError(`The setting checkParameter in installations/${installation}.json is missing.`);
  }
  // The parameter is in the installation's region, whatever the shell's is.
  if (region !== undefined) process.env.AWS_REGION = region;
  const steps = Object.entries(await checkService(await readCheckAccount(checkParameter), { isReadOnly: maintenance }));
  console.log(`The service works: ${steps.map(([name, ms]) => `${name} ${ms} ms`).join(', ')}.`);
} catch (error) {
  console.error(sentenceOf(error));
  process.exitCode = 1;
}
