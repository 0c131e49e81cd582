import { randomUUID } from 'node:crypto';
import type { FunctionName, LoadHandler } from '#infra/local/lambda/invoke.ts';
import { chunksOf } from '#lib/core/chunks-of.ts';
import type { Answer, Api } from '../support/api.ts';
import { deadly, type Fault, type FaultKind, injectFault, isCurable, kindsFor } from '../support/inject-faults.ts';
import { scanTable, type Violation, violationsOf } from '../support/invariants.ts';
import { type AwsCall, type Conductor, replenishRetries } from '../support/observe-calls.ts';
import { named, seededBy } from '../support/people.ts';
import type { Prepared } from '../support/sample-requests.ts';
import { failureOf, type OperationSample, send } from '../support/samples.ts';
import { keepSnapshots, staleSnapshots } from '../support/stale-snapshots.ts';
import { emptyTable } from '../support/table-dump.ts';
import { type BackgroundSample, invokeStep, type Step } from './background-samples.ts';

/** The results of the faults injected into one sample. */
export interface Row {
  name: string;
  /** AWS calls of the undisturbed request. */
  calls: number;
  /** Faults injected: every relevant kind at every position. */
  cases: number;
  kinds: number;
  /** Succeeded as without a fault. */
  cured: number;
  /** 503 with Retry-After. */
  honest: number;
  /** The process ended. */
  died: number;
  /** The change was applied although the response did not say so. */
  doneUnheard: number;
  /** Positions that the interrupted request never reached. */
  unreached: number;
  problems: string[];
}

/** Pauses background work, because a scan of a changing table returns items that never coexisted. */
function pausable() {
  let opened: Promise<void> = Promise.resolve();
  let open: () => void = () => undefined;
  const running = new Set<Promise<unknown>>();
  const pause = async () => {
    opened = new Promise(resolve => {
      open = resolve;
    });
    await Promise.allSettled(running);
  };
  return {
    /** Handlers with background functions that wait while it is paused. */
    handlers:
      (load: LoadHandler): LoadHandler =>
      async functionName => {
        const handler = await load(functionName);
        if (functionName.area !== 'workers') return handler;
        return async (event, context) => {
          await opened;
          const run = Promise.resolve(handler(event, context));
          running.add(run);
          return run.finally(() => running.delete(run));
        };
      },
    pause,
    resume: () => open(),
    async whilePaused<T>(work: () => Promise<T>): Promise<T> {
      await pause();
      try {
        return await work();
      } finally {
        open();
      }
    },
  };
}

export const background = pausable();

const header = 'x-test-conductor';
const conductors = new Map<string, Conductor>();

/** For `conductedHandlers`: selects the conductor named in a request header. */
export function chooseConductor(_: FunctionName, event: unknown): Conductor | undefined {
  const { headers } = event as { headers?: Record<string, string | undefined> };
  return conductors.get(headers?.[header] ?? '');
}

export async function sendConducted(api: Api, request: Prepared['request'], conductor: Conductor): Promise<Answer> {
  const id = randomUUID();
  conductors.set(id, conductor);
  await replenishRetries();
  try {
    return await send(api, { ...request, headers: { ...request.headers, [header]: id } });
  } finally {
    conductors.delete(id);
  }
}

/** The AWS calls of the sample without faults. */
export async function undisturbed(api: Api, sample: OperationSample): Promise<AwsCall[]> {
  const { request, works, isDone } = await sample.prepare(api);
  const calls: AwsCall[] = [];
  const answer = await sendConducted(api, request, {
    call: (call, proceed) => {
      calls.push(call);
      return proceed();
    },
  });
  if (!works.includes(answer.status)) {
    throw new Error(failureOf(sample, answer));
  }
  if (!(await isDone())) throw new Error(`${sample.name} has no effect.`);
  return calls;
}

/** Which faults are injected into a sample. */
export interface Choice {
  kinds: readonly FaultKind[];
  atMost?: number;
}

interface Case {
  name: string;
  kind: FaultKind;
  prepared: Prepared;
  fault: Fault;
  wasDone: boolean;
}

/** Runs at most `width` tasks at a time. Most of the time is spent waiting for retries. */
export async function inParallel<T>(width: number, work: readonly (() => Promise<T>)[]): Promise<T[]> {
  const results: T[] = [];
  const queue = [...work.entries()];
  await Promise.all(
    Array.from({ length: width }, async () => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        results[next[0]] = await next[1]();
      }
    }),
  );
  return results;
}

/** Low enough that the retries don't use up the SDK's retry quota of a client. */
const width = 16;

/**
 * Injects the chosen faults into the AWS calls of every sample, checks the response and the table, sends the request
 * again, and checks both once more.
 */
export async function runFaults(
  api: Api,
  samples: readonly OperationSample[],
  choice: Choice,
  report: (line: string) => void,
): Promise<Row[]> {
  const rows: Row[] = [];
  const startedAt = Date.now();
  // In batches, so that nothing expires before it is sent again (a hand-off code lasts a minute).
  for (const batch of chunksOf(samplesAtOnce, samples)) {
    await background.whilePaused(emptyTable);
    rows.push(...(await runBatch(api, batch, choice)));
    const faults = rows.reduce((sum, row) => sum + row.cases, 0);
    const seconds = Math.round((Date.now() - startedAt) / 1000);
    report(`${rows.length} of ${samples.length} requests, ${faults} faults, ${seconds} s`);
  }
  return rows;
}

const samplesAtOnce = 8;

async function runBatch(api: Api, samples: readonly OperationSample[], choice: Choice): Promise<Row[]> {
  const rows = new Map<string, Row>();
  const cases: Case[] = [];
  const work: (() => Promise<void>)[] = [];
  for (const sample of samples) {
    const calls = await named(sample.name, () => undisturbed(api, sample));
    const row = emptyRow(sample.name, calls.length);
    rows.set(sample.name, row);
    const used = new Set<FaultKind>();
    for (const { call, kind } of chosenFaults(calls, choice)) {
      used.add(kind);
      row.cases += 1;
      work.push(() => disturb(api, sample, call, kind, row, cases));
    }
    row.kinds = used.size;
  }
  await inParallel(width, work);
  await judgeTable(rows, false);
  await inParallel(
    width,
    cases.map(one => () => repeat(api, one, rows)),
  );
  await judgeTable(rows, true);
  return [...rows.values()];
}

/** Every relevant kind at every call, or the given number of them, spread evenly. Pure. */
export function chosenFaults(
  calls: readonly AwsCall[],
  { kinds, atMost = Number.POSITIVE_INFINITY }: Choice,
): { call: AwsCall; kind: FaultKind }[] {
  const all = calls.flatMap(call =>
    kindsFor(call)
      .filter(kind => kinds.includes(kind))
      .map(kind => ({ call, kind })),
  );
  if (all.length <= atMost) return all;
  // Starts with the last call, because requests write at the end.
  return Array.from(
    { length: atMost },
    (_, index) => all[all.length - 1 - Math.floor((index * all.length) / atMost)],
  ).filter(one => one !== undefined);
}

function emptyRow(name: string, calls: number): Row {
  const counts = { cases: 0, kinds: 0, cured: 0, honest: 0, died: 0, doneUnheard: 0, unreached: 0 };
  return { name, calls, ...counts, problems: [] };
}

async function disturb(
  api: Api,
  sample: OperationSample,
  call: AwsCall,
  kind: FaultKind,
  row: Row,
  cases: Case[],
): Promise<void> {
  const name = `${sample.name}: ${kind} at ${call.position} (${call.service} ${call.operation})`;
  try {
    const prepared = await named(name, () => sample.prepare(api));
    await keepSnapshots(api, name);
    const fault = injectFault(kind, call.position);
    const answer = await sendConducted(api, prepared.request, fault);
    const wasDone = await prepared.isDone();
    cases.push({ name, kind, prepared, fault, wasDone });
    if (!fault.hit()) {
      row.unreached += 1;
      return;
    }
    const works = prepared.works.includes(answer.status);
    if (deadly.has(kind)) row.died += 1;
    else if (works) row.cured += 1;
    else if (isHonest(answer) && !(isCurable(kind, call) && isRepeatable(prepared, call))) row.honest += 1;
    // What the request has ended or consumed is not available to its next attempt.
    else if (kind === 'overtaken' && wasDone && prepared.repeats?.includes(answer.status)) row.cured += 1;
    else row.problems.push(`${name} → ${answer.status} ${JSON.stringify(answer.body)}`);
    if (!works && wasDone && !deadly.has(kind)) row.doneUnheard += 1;
    if (works && !wasDone && !deadly.has(kind)) row.problems.push(`${name} → ${answer.status}, and nothing was done`);
  } catch (error) {
    row.problems.push(`${name} → ${error}`);
  }
}

/** A code that the provider has already accepted can't be presented to it again. */
function isRepeatable({ again }: Prepared, { service }: AwsCall): boolean {
  return again === undefined || service !== 'Lambda';
}

/** A browser that comes from a provider is told so by the log-in page. */
export function isHonest({ status, headers, body }: Answer): boolean {
  if (/\/log-in#error=(temporarily|provider)_unavailable$/.test(headers.get('location') ?? '')) return true;
  return status === 503 && headers.has('retry-after') && body?.error?.code === 'temporarily_unavailable';
}

async function repeat(api: Api, { name, prepared, wasDone }: Case, rows: Map<string, Row>): Promise<void> {
  const row = rows.get(name.split(':')[0] as string);
  try {
    const answer = await send(api, (await prepared.again?.()) ?? prepared.request);
    const expected = wasDone ? [...prepared.works, ...(prepared.repeats ?? [])] : prepared.works;
    if (!expected.includes(answer.status)) {
      row?.problems.push(`${name}, sent again → ${answer.status} ${JSON.stringify(answer.body)}`);
    }
    if (!(await prepared.isDone())) row?.problems.push(`${name}, sent again → nothing was done`);
  } catch (error) {
    row?.problems.push(`${name}, sent again → ${error}`);
  }
}

/** How many kept snapshots were compared with the table. */
export const compared = { snapshots: 0 };

export function countedStale(items: Awaited<ReturnType<typeof scanTable>>): Violation[] {
  const { stale, used } = staleSnapshots(items);
  compared.snapshots += used;
  return stale;
}

async function judgeTable(rows: Map<string, Row>, repeated: boolean): Promise<void> {
  const items = await background.whilePaused(scanTable);
  for (const { where, what } of [...violationsOf(items), ...countedStale(items)]) {
    const name = seededBy(where) ?? where;
    const row = rows.get(name.split(':')[0] as string) ?? [...rows.values()][0];
    row?.problems.push(`${name}${repeated ? ', sent again' : ''} → ${what}`);
  }
}

/** Like `runFaults` for steps of background work, which their queue redelivers. */
export async function runBackgroundFaults(
  samples: readonly BackgroundSample[],
  choice: Choice,
  report: (line: string) => void,
): Promise<Row[]> {
  const rows = new Map<string, Row>();
  const startedAt = Date.now();
  for (const sample of samples) {
    const calls: AwsCall[] = [];
    const step = await named(sample.name, () => sample.prepare());
    await invokeStep(step.functionName, step.event, {
      call: (call, proceed) => {
        calls.push(call);
        return proceed();
      },
    });
    await step.finish();
    await step.requireDone();
    const row = emptyRow(sample.name, calls.length);
    rows.set(sample.name, row);
    const used = new Set<FaultKind>();
    const disturbed: { name: string; step: Step }[] = [];
    await inParallel(
      width,
      chosenFaults(calls, choice).map(({ call, kind }) => async () => {
        used.add(kind);
        row.cases += 1;
        const name = `${sample.name}: ${kind} at ${call.position} (${call.service} ${call.operation})`;
        const prepared = await named(name, () => sample.prepare());
        const fault = injectFault(kind, call.position);
        await replenishRetries();
        try {
          await invokeStep(prepared.functionName, prepared.event, fault);
          row.cured += 1;
        } catch (error) {
          if (isCurable(kind, call)) row.problems.push(`${name} → ${error}`);
          row.died += 1;
        }
        if (!fault.hit()) row.unreached += 1;
        disturbed.push({ name, step: prepared });
      }),
    );
    row.kinds = used.size;
    const judge = async (when: string) => {
      for (const { where, what } of violationsOf(await scanTable())) {
        row.problems.push(`${seededBy(where) ?? where}${when} → ${what}`);
      }
    };
    await judge('');
    await inParallel(
      width,
      disturbed.map(({ name, step }) => async () => {
        try {
          await step.finish();
          await step.requireDone();
        } catch (error) {
          row.problems.push(`${name}, handed over again → ${error}`);
        }
      }),
    );
    await judge(', handed over again');
    report(`${rows.size} of ${samples.length} steps, ${Math.round((Date.now() - startedAt) / 1000)} s`);
  }
  return [...rows.values()];
}

/** The table of endpoints × positions × kinds as Markdown. */
export function renderRows(rows: readonly Row[]): string {
  const lines = rows.map(row =>
    [
      row.name,
      row.calls,
      row.kinds,
      row.cases,
      row.cured,
      row.honest,
      row.died,
      row.doneUnheard,
      row.unreached,
      row.problems.length,
    ].join(' | '),
  );
  const sum = (of: (row: Row) => number) => rows.reduce((total, row) => total + of(row), 0);
  return [
    '| request | calls | kinds | faults | succeeded | 503 | died | applied unreported | not reached | broken |',
    '|---|---|---|---|---|---|---|---|---|---|',
    ...lines.map(line => `| ${line} |`),
    `| **all ${rows.length}** | ${sum(row => row.calls)} | | ${sum(row => row.cases)} | ${sum(row => row.cured)} | ${sum(row => row.honest)} | ${sum(row => row.died)} | ${sum(row => row.doneUnheard)} | ${sum(row => row.unreached)} | ${sum(row => row.problems.length)} |`,
  ].join('\n');
}
