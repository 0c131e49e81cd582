import { checkService, readCheckAccount } from '../../lib/metrics/service-check.ts';

/*
 * `npm run smoke -- <SSM parameter>`: logs in, sets a secret and pulls it with the account in the parameter, just like
 * the scheduled check every five minutes. `npm run deploy` runs it after each deployment. Exit code 1 if a step fails.
 */

try {
  const [parameter = ''] = process.argv.slice(2);
  if (!parameter.startsWith('/')) throw new Error('Usage: npm run smoke -- <name of the SSM parameter>');
  const steps = Object.entries(await checkService(await readCheckAccount(parameter)));
  console.log(`The service works: ${steps.map(([name, ms]) => `${name} ${ms} ms`).join(', ')}.`);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
