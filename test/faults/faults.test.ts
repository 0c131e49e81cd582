import { writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, startApi } from '../support/api.ts';
import { type FaultKind, faultKinds } from '../support/inject-faults.ts';
import { conductedHandlers } from '../support/observe-calls.ts';
import { startReceiver } from '../support/receiver.ts';
import { samples } from '../support/samples.ts';
import { emptyTable } from '../support/table-dump.ts';
import { type BackgroundSample, backgroundSamples } from './background-samples.ts';
import { background, chooseConductor, compared, renderRows, runBackgroundFaults, runFaults } from './run-faults.ts';
import { type LateRow, renderLateRows, runBackgroundLate, runLate } from './run-late.ts';
import { renderStalledRows, runStalled } from './run-stalled.ts';

/*
 * `npm run proof -- faults --full` (FAULTS=all) injects every kind of fault at every call of every endpoint, and writes the results to
 * faults.md. FAULTS=most, for the proofs, omits the kinds that only vary how the SDK's own retries end. Without FAULTS,
 * a few of the remaining faults are injected into each request.
 */
const everything = process.env.FAULTS === 'all';
const most = everything || process.env.FAULTS === 'most';
const kinds: readonly FaultKind[] = everything
  ? faultKinds
  : ['answer-lost-once', 'overtaken', 'refused', 'answer-lost', 'dies-after'];
/** No caller waits for background work, so a process that dies is equivalent to a call that fails. */
const backgroundKinds = everything
  ? faultKinds
  : kinds.filter(kind => !['dies-after', 'answer-lost-once'].includes(kind));
const timeoutMs = most ? 1_800_000 : 300_000;
const bound = most ? {} : { atMost: 2 };
const isWanted = (name: string) => process.env.FAULTS_ONLY === undefined || name.startsWith(process.env.FAULTS_ONLY);
const chosen = samples.filter(({ name }) => isWanted(name));

/** Prints the table, and stores it after a full run. */
function show(title: string, table: string): void {
  writeSync(1, `\n${table}\n\n`);
  if (!everything || process.env.FAULTS_ONLY !== undefined) return;
  tables.push(`## ${title}\n\n${table}\n`);
  writeFileSync(join(import.meta.dirname, 'faults.md'), `# Injected faults and their outcomes\n\n${tables.join('\n')}`);
}
const tables: string[] = [];

let api: Api;
beforeAll(async () => {
  // All requests come from one network, and a fault at each call makes more of them than a network may send.
  const settings = { LOG_LEVEL: 'SILENT', PASSWORD_RESET_LIMIT_PER_HOUR: '1000' };
  api = await startApi(settings, background.handlers(conductedHandlers(chooseConductor)));
});
afterAll(() => api?.stop());

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

describe('a fault at any AWS call of any request', () => {
  it(
    'leaves nothing half done, is reported correctly, and is cured by sending the request again',
    async () => {
      const rows = await runFaults(api, chosen, { kinds, ...bound }, line => writeSync(2, `faults: ${line}\n`));
      show('Requests', renderRows(rows));
      expect(rows.flatMap(({ problems }) => problems)).toEqual([]);
      writeSync(2, `faults: ${compared.snapshots} kept snapshots compared with the table\n`);
      if (process.env.FAULTS_ONLY === undefined) expect(compared.snapshots).toBeGreaterThan(rows.length);
      // A change of secrets checks whether it was applied before it reports a failure.
      const changes = rows.filter(({ name }) =>
        /^(set|import|promote|delete|bulk-delete|restore)-secrets?|^apply-changes/.test(name),
      );
      expect(changes.filter(({ doneUnheard }) => doneUnheard > 0)).toEqual([]);
    },
    timeoutMs,
  );

  it(
    'never leaves background work half done or done twice',
    async () => {
      const rows = await withSteps(isWanted, steps =>
        runBackgroundFaults(steps, { kinds: backgroundKinds, ...bound }, line => writeSync(2, `faults: ${line}\n`)),
      );
      show('Background work', renderRows(rows));
      expect(rows.flatMap(({ problems }) => problems)).toEqual([]);
    },
    timeoutMs,
  );
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
  it(
    'neither reads nor changes data of the tenant who has its slug when it resumes',
    async () => {
      const rows = await runStalled(api, stalledSamples, line => writeSync(2, `stalled: ${line}\n`));
      show('Requests, stalled until another tenant has the slug', renderStalledRows(rows));
      expect(rows.flatMap(({ problems }) => problems)).toEqual([]);
    },
    timeoutMs,
  );
});

describe('a write that is executed late or twice', () => {
  const problemsOf = (rows: readonly LateRow[]) => rows.flatMap(({ problems }) => problems);

  it(
    'breaks no promise: after the response, a retry or another change, or once the target is created again',
    async () => {
      const rows = await runLate(api, lateSamples, line => writeSync(2, `late: ${line}\n`));
      show('Requests, executed late and twice', renderLateRows(rows));
      expect(problemsOf(rows)).toEqual([]);
      expect(rows.every(({ name, cases }) => cases > 0 || !name.includes('secret'))).toBe(true);
    },
    timeoutMs,
  );

  it(
    'for background work changes nothing that came after it',
    async () => {
      const rows = await withSteps(
        name => isWanted(name) && (everything || name.startsWith('job re-encrypt')),
        steps => runBackgroundLate(steps, line => writeSync(2, `late: ${line}\n`)),
      );
      show('Background work, executed late and twice', renderLateRows(rows));
      expect(problemsOf(rows)).toEqual([]);
    },
    timeoutMs,
  );
});
