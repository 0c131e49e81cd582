import { readFileSync } from 'node:fs';
import { report, run } from './run-command.ts';

/*
 * `npm run check:static`: every `check:` script of package.json that runs no tests, two at a time. Prints a line for
 * each, and the output of those that failed.
 */

const atOnce = 2;
const withTests = ['check:static', 'check:quick', 'check:proof'];

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
const waiting = Object.keys(scripts).filter(name => name.startsWith('check:') && !withTests.includes(name));

async function runWaiting(): Promise<void> {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    const outcome = await run(name, 'npm', ['run', '--silent', name]);
    report(outcome);
    if (!outcome.isGood) process.exitCode = 1;
  }
}

await Promise.all(Array.from({ length: atOnce }, runWaiting));
