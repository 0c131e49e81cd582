import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { buildDownloads } from '#clients/cli/build-downloads.ts';
import { buildDashboard } from '#clients/dashboard/build.ts';
import { type Config, ConfigError } from '../plan/config.ts';
import { readInstallation, settingsElsewhere } from '../plan/installation-file.ts';
import { noticesOf } from '../plan/notices.ts';
import { type Rollout, rolloutOf } from '../stacks/gradual-deployments.ts';
import { deleteOldVersions } from './function-versions.ts';
import { checkBeforeDeployment } from './preflight.ts';
import { readEdge } from './read-deployed.ts';
import { uploadDashboard } from './upload-dashboard.ts';

/*
 * `npm run deploy -- <installation> [--emergency] [--without-mail] [option of cdk deploy …]`: checks the settings in
 * `installations/<installation>.json` and compares them with what is deployed before building anything, deploys all
 * stacks, uploads the dashboard and the downloads, uses the service once, as a client would, and then deletes the
 * functions' oldest versions. With `--emergency`, all requests move to the new versions at once and no alarm stops them. With `--without-mail`, it changes the sender
 * although SES has not verified it. On a terminal it asks before it broadens permissions. Elsewhere it never asks, because
 * the pipeline runs `cdk diff` and waits for an approval first.
 */

const root = join(import.meta.dirname, '../..');

try {
  const [installation = '', ...given] = process.argv.slice(2);
  if (!/^[a-z]/.test(installation))
    throw new ConfigError('Usage: npm run deploy -- <installation> [--emergency] [--without-mail] [option …]');
  if (given.some(option => /^(-c|--context)(=|$)/.test(option))) throw settingsElsewhere(installation);
  const options = given.filter(option => !['--emergency', '--without-mail'].includes(option));
  const config = readInstallation(installation);
  refuseExamples(config, installation);
  const { deployed, notices } = await checkBeforeDeployment(config, installation, {
    withoutMail: given.includes('--without-mail'),
  });
  const rollout = given.includes('--emergency') ? 'emergency' : rolloutOf(config, deployed);
  for (const notice of [...notices, ...noticesOf(config), ...remarksOn(rollout)]) process.stderr.write(`${notice}\n`);
  const [dashboard, downloads] = await Promise.all([buildDashboard(), buildDownloads()]);
  process.exitCode = deploy(installation, rollout, options);
  if (process.exitCode === 0 && isOnlyPrepared(options)) {
    process.stderr.write('The change sets were prepared and not executed, so nothing was uploaded or checked.\n');
  } else if (process.exitCode === 0) {
    const { bucket, origin } = await readEdge(config);
    await uploadDashboard(config, bucket, new Map([...dashboard, ...downloads(origin)]));
    process.exitCode = smoke(config, installation);
    // Only once the new version works.
    const notice = process.exitCode === 0 ? await deleteOldVersions(config) : undefined;
    if (notice !== undefined) process.stderr.write(`${notice}\n`);
  }
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

function remarksOn(rollout: Rollout): string[] {
  const atOnce = 'All requests move to the new versions at once';
  if (rollout === 'at-once') return [`${atOnce}, because of the maintenance.`];
  if (rollout === 'emergency') return [`${atOnce}, and no alarm stops them. The next deployment is watched again.`];
  return [];
}

function deploy(installation: string, rollout: Rollout, options: readonly string[]): number {
  const asks = options.some(option => option.startsWith('--require-approval'));
  const approval = process.stdin.isTTY && process.stdout.isTTY ? 'broadening' : 'never';
  const { status } = spawnSync(
    'cdk',
    [
      'deploy',
      '--all',
      '--context',
      `installation=${installation}`,
      '--context',
      `rollout=${rollout}`,
      ...(asks ? [] : ['--require-approval', approval]),
      ...options,
    ],
    { cwd: root, stdio: 'inherit' },
  );
  return status ?? 1;
}

/** Whether `cdk deploy` is asked to stop before it changes anything. */
function isOnlyPrepared(options: readonly string[]): boolean {
  return /(^| )(--no-execute|--execute[= ]false|(--method|-m)[= ]prepare-change-set)( |$)/.test(options.join(' '));
}

/** Checks that the new deployment works from outside. */
function smoke({ checkParameter, maintenance }: Config, installation: string): number {
  if (maintenance) {
    process.stderr.write(
      'The deployment was not checked from outside, because under maintenance no secret can be set.\n',
    );
    return 0;
  }
  if (checkParameter === undefined) {
    process.stderr.write('The deployment was not checked from outside, because checkParameter is not set.\n');
    return 0;
  }
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, 'smoke.ts'), installation], {
    stdio: 'inherit',
  });
  return status ?? 1;
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
