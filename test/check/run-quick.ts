import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chooseTests, importsIn } from './choose-tests.ts';
import { print, report, run } from './run-command.ts';

/* `npm run check:quick`: types, style, and the tests nearest to what changed since the branch left main. */

/** More tests than this take longer than a minute. */
const maximumTestFiles = 5;

const git = (...args: string[]) =>
  execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    .split('\n')
    .filter(Boolean);

function baseRevision(): string {
  for (const main of ['origin/main', 'main']) {
    try {
      return git('merge-base', 'HEAD', main)[0] ?? 'HEAD';
    } catch {
      // The branch does not exist here.
    }
  }
  return 'HEAD';
}

const base = baseRevision();
const changed = [...git('diff', '--name-only', base), ...git('ls-files', '--others', '--exclude-standard')].filter(
  file => existsSync(file),
);
const files = [...new Set([...git('ls-files'), ...changed])].filter(file => existsSync(file));
const sources = files.filter(file => /\.tsx?$/.test(file));
const imports = new Map(sources.map(file => [file, importsIn(file, readFileSync(file, 'utf8'))]));
const tests = chooseTests(changed, { files, imports });
const [chosen, left] = [tests.slice(0, maximumTestFiles), tests.slice(maximumTestFiles)];

print(`${changed.length} files changed since ${base.slice(0, 12)}`);
const styled = changed.filter(file => /\.(tsx?|json|css|js)$/.test(file));
const isDashboard = changed.some(file => file.startsWith('clients/dashboard/') || file.startsWith('clients/sdk/'));
// The SDK's types are not committed and follow the contracts.
const sdkTypes = await run('types of the SDK', 'node', ['clients/sdk/write-types.ts']);
const outcomes = [
  sdkTypes,
  ...(await Promise.all([
    run('types', 'tsc', []),
    ...(isDashboard ? [run('types of the dashboard', 'tsc', ['-p', 'clients/dashboard'])] : []),
    ...(styled.length === 0
      ? []
      : [run(`style of ${styled.length} files`, 'biome', ['check', '--no-errors-on-unmatched', ...styled])]),
  ])),
  await run(`tests: ${chosen.join(' ')}`, 'vitest', ['run', ...chosen]),
];
for (const outcome of outcomes) report(outcome);
if (left.length > 0) print(`left to npm run check: ${left.join(' ')}`);
print('not run here: the other tests, promises, dead code, openapi.json (npm run check), proofs (npm run proof)');
const failed = outcomes.filter(({ isGood }) => !isGood).length;
print(`${outcomes.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
