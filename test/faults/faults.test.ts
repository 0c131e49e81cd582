import { writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadFromFunctions } from '#infra/local/lambda/invoke.ts';
import { useApi } from '../support/api.ts';
import { type FaultKind, faultKinds } from '../support/inject-faults.ts';
import { startObservedApi } from '../support/observed-api.ts';
import { startReceiver } from '../support/receiver.ts';
import { samples } from '../support/samples.ts';
import { emptyTable } from '../support/table-dump.ts';
import { type BackgroundSample, backgroundSamples } from './background-samples.ts';
import { background, compared, type Report, type Row, renderRows } from './rows.ts';
import { faultColumns, runBackgroundFaults, runFaults } from './run-faults.ts';
import { isFenced, lateColumns, runBackgroundLate, runLate } from './run-late.ts';
import { runStalled, stalledColumns } from './run-stalled.ts';

/* FAULTS=all: every fault at every call, into faults.md. FAULTS=most omits variations of retries. Otherwise a few. */
const everything = process.env.FAULTS === 'all';
const most = everything || process.env.FAULTS === 'most';
const kinds: readonly FaultKind[] = everything
  ? faultKinds
  : ['answer-lost-once', 'overtaken', 'refused', 'answer-lost', 'dies-after'];
/** No caller waits for background work, so a process that dies is equivalent to a call that fails. */
const backgroundKinds = everything
  ? faultKinds
  : kinds.filter(kind => !['dies-after', 'answer-lost-once'].includes(kind));
const timeout = most ? 1_800_000 : 300_000;
const bound = most ? {} : { atMost: 2 };
/* FAULTS_ONLY: the beginnings of the names of what to run, separated by commas. */
const prefixes = process.env.FAULTS_ONLY?.split(',');
const isWanted = (name: string) => prefixes === undefined || prefixes.some(prefix => name.startsWith(prefix));
const chosen = samples.filter(({ name }) => isWanted(name));
const tables: string[] = [];
function requireNoProblems(title: string, rows: readonly Row[], columns: Record<string, string>): void {
  const table = renderRows(rows, columns, ['kinds']);
  writeSync(1, `\n${table}\n\n`);
  if (everything && process.env.FAULTS_ONLY === undefined) {
    tables.push(`## ${title}\n\n${table}\n`);
    const text = `# Injected faults and their outcomes\n\n${tables.join('\n')}`;
    writeFileSync(join(import.meta.dirname, 'faults.md'), text);
  }
  expect(rows.flatMap(({ problems }) => problems)).toEqual([]);
}
const reportOf =
  (what: string): Report =>
  line =>
    writeSync(2, `${what}: ${line}\n`);

// All requests come from one network, and a fault at each call makes more of them than a network may send.
const api = useApi(() =>
  startObservedApi({ PASSWORD_RESET_LIMIT_PER_HOUR: '1000' }, background.handlers(loadFromFunctions)),
);

/** Runs steps one by one with the workers paused. Jobs that the API queues in the meantime wait. */
async function withSteps<T>(isChosen: (name: string) => boolean, work: (steps: BackgroundSample[]) => Promise<T>) {
  await background.whilePaused(emptyTable);
  await background.pause();
  const receiver = await startReceiver();
  try {
    return await work(backgroundSamples(api, receiver).filter(({ name }) => isChosen(name)));
  } finally {
    background.resume();
    await receiver.stop();
  }
}

describe('a fault at any AWS call of any request', { timeout }, () => {
  it('leaves nothing half done, is reported correctly, and is cured by sending the request again', async () => {
    const rows = await runFaults(api, chosen, { kinds, ...bound }, reportOf('faults'));
    requireNoProblems('Requests', rows, faultColumns);
    writeSync(2, `faults: ${compared.snapshots} kept snapshots compared with the table\n`);
    if (process.env.FAULTS_ONLY === undefined) expect(compared.snapshots).toBeGreaterThan(rows.length);
    // A change of secrets checks whether it was applied before it reports a failure.
    const unreported = rows.filter(({ name, counts }) => isFenced(name) && counts.doneUnheard > 0);
    expect(unreported).toEqual([]);
  });

  it('never leaves background work half done or done twice', async () => {
    const choice = { kinds: backgroundKinds, ...bound };
    const rows = await withSteps(isWanted, steps => runBackgroundFaults(steps, choice, reportOf('faults')));
    requireNoProblems('Background work', rows, faultColumns);
  });
});

const only = (small: RegExp, large: RegExp) =>
  chosen.filter(({ name }) => everything || (most ? large : small).test(name));

/** Without FAULTS=all: only changes of secrets, at every moment. */
const lateSamples = only(/^set-secret$/, /^(set|import|promote)-secrets?( large)?$/);

/** Without FAULTS=all: some requests of each kind. */
const stalledSamples = only(
  /^(pull-secrets|promote-secrets|create-webhook)$/,
  /^(pull|set|promote|destroy|create-webhook|delete-project|rotate-key)[a-z-]*$/,
);

describe('a request that stalls', () => {
  it('neither reads nor changes data of the tenant who has its slug when it resumes', { timeout }, async () => {
    const rows = await runStalled(api, stalledSamples, reportOf('stalled'));
    requireNoProblems('Requests, stalled until another tenant has the slug', rows, stalledColumns);
  });
});

describe('a write that is executed late or twice', { timeout }, () => {
  it('breaks no promise: after the response, a retry or another change, or once the target is created again', async () => {
    const rows = await runLate(api, lateSamples, reportOf('late'));
    requireNoProblems('Requests, executed late and twice', rows, lateColumns);
    expect(rows.every(({ name, counts }) => counts.cases > 0 || !name.includes('secret'))).toBe(true);
  });

  it('for background work changes nothing that came after it', async () => {
    const rows = await withSteps(
      name => isWanted(name) && (everything || name.startsWith('job re-encrypt')),
      steps => runBackgroundLate(steps, reportOf('late')),
    );
    requireNoProblems('Background work, executed late and twice', rows, lateColumns);
  });
});
