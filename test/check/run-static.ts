import { print, report, run } from './run-command.ts';

/* `npm run check:static [-- types style]`: all or some of the checks that run no tests, two at a time. */

const atOnce = 2;

const checks: Readonly<Record<string, readonly (readonly [string, ...string[]])[]>> = {
  /** The types, with TypeScript; those of the SDK are generated first, because they are not committed. */
  types: [['node', 'clients/sdk/write-types.ts'], ['tsc'], ['tsc', '-p', 'clients/dashboard']],
  /** Format and lint, with Biome; `npm run format` fixes what it can. */
  style: [['biome', 'check', '.']],
  promises: [['oxlint', '--type-aware', '--deny-warnings']],
  'dead-code': [['knip']],
  openapi: [
    ['node', 'infra/openapi/write-openapi.ts', '--check'],
    ['redocly', 'lint', 'openapi.json', '--config', 'infra/openapi/redocly.yaml'],
  ],
  action: [['npm', 'run', '--silent', 'check', '-w', '@holdfast/github-action']],
};

const requestedChecks = process.argv.slice(2);
const unknownChecks = requestedChecks.filter(name => !Object.hasOwn(checks, name));
if (unknownChecks.length > 0) {
  print(`There is no check ${unknownChecks.join(', ')}. There are: ${Object.keys(checks).join(', ')}.`);
  process.exit(2);
}
const waiting = requestedChecks.length > 0 ? requestedChecks : Object.keys(checks);

async function runWaiting(): Promise<void> {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    for (const [command, ...args] of checks[name] ?? []) {
      const outcome = await run([name, ...args.slice(0, 1)].join(': '), command, args);
      report(outcome);
      if (!outcome.isGood) process.exitCode = 1;
    }
  }
}

await Promise.all(Array.from({ length: atOnce }, runWaiting));
