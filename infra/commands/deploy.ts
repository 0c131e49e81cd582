import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ConfigError, readConfig } from '../plan/config.ts';

/*
 * `npm run deploy [-- -c <setting>=<value> …]`: checks the settings before anything is built, then deploys both stacks.
 * Everything else on the command line goes to `cdk deploy`.
 */

const root = join(import.meta.dirname, '../..');

try {
  const given = process.argv.slice(2);
  const { values } = parseArgs({
    args: given,
    options: { context: { type: 'string', short: 'c', multiple: true } },
    strict: false,
    allowPositionals: true,
  });
  const { context } = JSON.parse(readFileSync(join(root, 'cdk.json'), 'utf8')) as { context: Record<string, unknown> };
  for (const setting of (values.context ?? []) as string[]) {
    const [name = '', ...value] = setting.split('=');
    context[name] = value.join('=');
  }
  refuseExamples(readConfig(name => context[name]));
  const { status } = spawnSync('cdk', ['deploy', '--all', '--require-approval', 'broadening', ...given], {
    cwd: root,
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

/** The repository's own settings are examples for `npm run synth`. Their domains cannot be used. */
function refuseExamples({ domainName, mailFrom }: ReturnType<typeof readConfig>): void {
  const isExample = (host: string) => /(^|\.)example\.(com|org|net)$/.test(host);
  const examples = [
    ...(domainName !== undefined && isExample(domainName) ? ['domainName'] : []),
    ...(isExample(mailFrom.domain) ? ['mailFrom'] : []),
  ];
  if (examples.length === 0) return;
  throw new ConfigError(
    examples
      .map(name => `The setting ${name} is still the example; set it in cdk.json or with -c ${name}=….`)
      .join('\n'),
  );
}
