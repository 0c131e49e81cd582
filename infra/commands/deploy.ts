import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { type Config, ConfigError } from '../plan/config.ts';
import { readInstallation } from '../plan/installation-file.ts';
import { noticesOf } from '../plan/notices.ts';

/*
 * `npm run deploy -- <installation> [option of cdk deploy …]`: checks the settings in
 * `installations/<installation>.json` before building anything, deploys all stacks, and then uses the service once like
 * a client. On a terminal it asks before it broadens permissions. Elsewhere it never asks, because the pipeline runs
 * `cdk diff` and waits for an approval first.
 */

const root = join(import.meta.dirname, '../..');

try {
  const [installation = '', ...options] = process.argv.slice(2);
  if (!/^[a-z]/.test(installation)) throw new ConfigError('Usage: npm run deploy -- <installation> [option …]');
  refuseSettings(options, installation);
  const config = readInstallation(installation);
  refuseExamples(config, installation);
  for (const notice of noticesOf(config)) process.stderr.write(`${notice}\n`);
  process.exitCode = deploy(installation, options) || smoke(config);
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

function deploy(installation: string, options: readonly string[]): number {
  const asks = options.some(option => option.startsWith('--require-approval'));
  const approval = process.stdin.isTTY && process.stdout.isTTY ? 'broadening' : 'never';
  const { status } = spawnSync(
    'cdk',
    [
      'deploy',
      '--all',
      '--context',
      `installation=${installation}`,
      ...(asks ? [] : ['--require-approval', approval]),
      ...options,
    ],
    { cwd: root, stdio: 'inherit' },
  );
  return status ?? 1;
}

/** Checks that the new deployment works from outside. */
function smoke({ checkParameter }: Config): number {
  if (checkParameter === undefined) {
    process.stderr.write('The deployment was not checked from outside, because checkParameter is not set.\n');
    return 0;
  }
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, 'smoke.ts'), checkParameter], {
    stdio: 'inherit',
  });
  return status ?? 1;
}

function refuseSettings(options: readonly string[], installation: string): void {
  if (!options.some(option => /^(-c|--context)(=|$)/.test(option))) return;
  throw new ConfigError(
    `Settings come only from installations/${installation}.json, so that no deployment forgets one. Change that file.`,
  );
}

/** The repository's own settings are examples for `npm run synth`. Their domains cannot be used. */
function refuseExamples({ domainName, mailFrom }: Config, installation: string): void {
  const isExample = (host: string) => /(^|\.)example\.(com|org|net)$/.test(host);
  const examples = [
    ...(domainName !== undefined && isExample(domainName) ? ['domainName'] : []),
    ...(isExample(mailFrom.domain) ? ['mailFrom'] : []),
  ];
  if (examples.length === 0) return;
  throw new ConfigError(
    examples
      .map(name => `The setting ${name} in installations/${installation}.json still has its example value.`)
      .join('\n'),
  );
}
