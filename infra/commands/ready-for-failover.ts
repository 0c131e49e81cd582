import { ConfigError } from '../plan/config.ts';
import { readInstallation } from '../plan/installation-file.ts';
import { failoverChecks } from './failover-checks.ts';

/*
 * `npm run operate -- ready-for-failover <installation>`: checks whether the other installation of the same table could serve
 * at once, if the region of this one were lost. The other one of `production` is `production-standby`, and vice versa.
 * It only reads. Prints one line for each check; exit code 1 if something is missing or can't be checked.
 */

const suffix = '-standby';

try {
  const [name = '', ...more] = process.argv.slice(2);
  if (!/^[a-z]/.test(name) || more.length > 0) {
    throw new ConfigError('Usage: npm run operate -- ready-for-failover <installation>');
  }
  const other = name.endsWith(suffix) ? name.slice(0, -suffix.length) : `${name}${suffix}`;
  const [serving, waiting] = [name, other].map(one => ({ name: one, config: readInstallation(one) }));
  if (serving !== undefined && waiting !== undefined) {
    const findings = await Promise.all(failoverChecks.map(({ run }) => found(() => run(serving, waiting))));
    for (const [index, { what }] of failoverChecks.entries()) {
      const finding = findings[index];
      process.stdout.write(finding === undefined ? `ok       ${what}\n` : `missing  ${what}: ${finding}\n`);
    }
    const missing = findings.filter(finding => finding !== undefined).length;
    process.stdout.write(
      missing === 0 ? `${other} can take over.\n` : `${other} can't take over yet: ${missing} missing.\n`,
    );
    process.exitCode = missing === 0 ? 0 : 1;
  }
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

/** A check that throws has not passed. */
async function found(check: () => Promise<string | undefined> | string | undefined): Promise<string | undefined> {
  try {
    return await check();
  } catch (error) {
    return `could not be checked: ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`;
  }
}
