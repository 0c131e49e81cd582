import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { type Proof, proofs } from './proofs.ts';

/* `npm run proof`: all proofs, two at a time; `-- faults fuzz`: some; `--full`: for long, with other random numbers. */

const atOnce = 2;
const heartbeatMs = 60_000;
const vitest = join(import.meta.dirname, '../../node_modules/vitest/vitest.mjs');
/** What proofs report by themselves: a word and a colon at the start of a line. */
const isProgress = (line: string) => /^[a-z][a-z -]{2,30}: /.test(line);

interface Result {
  passed: number;
  failed: number;
  /** The names of failed tests, each with the first line of what went wrong. */
  failures: readonly string[];
}

const print = (line: string) => process.stdout.write(`${line}\n`);
const startedAt = performance.now();
const secondsSince = (moment: number) => Math.round((performance.now() - moment) / 1000);
const failedProofs: string[] = [];
const running = new Map<Proof, { process: ChildProcess; startedAt: number }>();

async function run(proof: Proof): Promise<Result> {
  const directory = mkdtempSync(join(tmpdir(), 'proof-'));
  const report = join(directory, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const size = isFull ? { SEED: seed, ...(proof.full ?? proof.env) } : proof.env;
  const child = spawn(process.execPath, [vitest, 'run', '--maxWorkers=1', ...reporters, ...proof.files], {
    env: { ...process.env, ...size, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const startMoment = performance.now();
  running.set(proof, { process: child, startedAt: startMoment });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', line => {
      output.push(line);
      if (isProgress(line)) print(`[${proof.name}] ${line}`);
    });
  }
  const code = await new Promise<number | null>(resolve => child.once('close', resolve));
  running.delete(proof);
  const result = resultOf(report, code);
  rmSync(directory, { recursive: true });
  const isGood = result.failed === 0;
  if (!isGood) {
    print(output.join('\n'));
    failedProofs.push(proof.name);
  }
  const counted = isGood ? `${result.passed} tests` : `${result.passed} passed, ${result.failed} failed`;
  print(`${isGood ? 'passed' : 'FAILED'}: ${proof.name}, ${counted}, ${secondsSince(startMoment)} s`);
  return result;
}

/** A run that ended without a report, without a test, or with a failure outside its tests has failed as a whole. */
function resultOf(report: string, code: number | null): Result {
  const { passed, failed, failures } = readReport(report);
  const isComplete = code === 0 && passed > 0;
  return { passed, failed: failed === 0 && !isComplete ? 1 : failed, failures };
}

function readReport(report: string): Result {
  try {
    const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report;
    return { passed: numPassedTests, failed: numFailedTests, failures: testResults.flatMap(failuresIn) };
  } catch {
    return { passed: 0, failed: 0, failures: [] };
  }
}

/** What is used of the report of vitest’s JSON reporter. */
interface Report {
  numPassedTests: number;
  numFailedTests: number;
  testResults: readonly {
    name: string;
    assertionResults: readonly { status: string; fullName: string; failureMessages: readonly string[] }[];
  }[];
}

function failuresIn({ name, assertionResults }: Report['testResults'][number]): string[] {
  const file = relative(process.cwd(), name);
  return assertionResults
    .filter(({ status }) => status === 'failed')
    .map(({ fullName, failureMessages: [message = ''] }) => `failed: ${file}: ${fullName}: ${message.split('\n')[0]}`);
}

const isFull = process.argv.includes('--full');
const seed = process.env.SEED ?? String(randomInt(2 ** 31));
if (isFull) print(`SEED=${seed}`);
const named = process.argv.slice(2).filter(argument => argument !== '--full');
const unknown = named.filter(name => !proofs.some(proof => proof.name === name));
if (unknown.length > 0) {
  print(`There is no proof ${unknown.join(', ')}. There are: ${proofs.map(({ name }) => name).join(', ')}.`);
  process.exit(2);
}

const waiting = proofs.filter(({ name }) => named.length === 0 || named.includes(name));
const heartbeat = setInterval(() => {
  const lines = [...running].map(([{ name }, { startedAt: moment }]) => `${name} (${secondsSince(moment)} s)`);
  print(`running: ${lines.join(', ')}; ${waiting.length} more to come`);
}, heartbeatMs);
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    for (const { process: child } of running.values()) child.kill('SIGTERM');
    process.exit(1);
  });
}
const results: Result[] = [];
await Promise.all(
  Array.from({ length: atOnce }, async () => {
    for (let proof = waiting.shift(); proof !== undefined; proof = waiting.shift()) results.push(await run(proof));
  }),
);
clearInterval(heartbeat);
const sum = (of: (result: Result) => number) => results.reduce((total, result) => total + of(result), 0);
const failed = sum(result => result.failed);
// Again at the end, because what came before may be cut off where this is read.
for (const failure of results.flatMap(({ failures }) => failures)) print(failure);
if (failedProofs.length > 0) print(`failed proofs: ${failedProofs.join(', ')}`);
print(`${results.length} proofs in ${secondsSince(startedAt)} s`);
print(`${sum(({ passed }) => passed)} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
