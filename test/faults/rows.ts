import type { LoadHandler } from '#infra/local/lambda/invoke.ts';
import { chunksOf } from '#lib/core/chunks-of.ts';
import type { Answer, Api } from '../support/api.ts';
import { inParallel } from '../support/in-parallel.ts';
import { scanTable, violationsOf } from '../support/invariants.ts';
import { type AwsCall, type Conductor, replenishRetries } from '../support/observe-calls.ts';
import { withFault } from '../support/observed-api.ts';
import { named, seededBy } from '../support/people.ts';
import type { Prepared } from '../support/sample-requests.ts';
import { failureOf, type OperationSample, send } from '../support/samples.ts';
import { staleSnapshots } from '../support/stale-snapshots.ts';
import { type BackgroundSample, invokeStep } from './background-samples.ts';

export interface Row<Count extends string = string> {
  name: string;
  counts: Record<Count, number>;
  problems: string[];
}

/** What is done to one preparation of a sample. `run` throws if it breaks a promise. */
export interface Case {
  name: string;
  row: Row;
  run(): Promise<void>;
}

export type Report = (line: string) => void;

export function newRow<Count extends string>(name: string, columns: Readonly<Record<Count, string>>): Row<Count> {
  const counts = Object.fromEntries(Object.keys(columns).map(count => [count, 0])) as Record<Count, number>;
  return { name, counts, problems: [] };
}

/** The rows as a Markdown table with their sums, except for the counts that can't be added. */
export function renderRows(
  rows: readonly Row[],
  columns: Readonly<Record<string, string>>,
  withoutSum: readonly string[] = [],
): string {
  const counts = Object.keys(columns);
  const line = (...cells: (string | number)[]) => `| ${cells.join(' | ')} |`;
  const sumOf = (count: string) => rows.reduce((sum, row) => sum + (row.counts[count] ?? 0), 0);
  return [
    line('request', ...Object.values(columns), 'broken'),
    `|${'---|'.repeat(counts.length + 2)}`,
    ...rows.map(({ name, counts: own, problems }) =>
      line(name, ...counts.map(count => own[count] ?? 0), problems.length),
    ),
    line(
      `**all ${rows.length}**`,
      ...counts.map(count => (withoutSum.includes(count) ? '' : sumOf(count))),
      rows.flatMap(({ problems }) => problems).length,
    ),
  ].join('\n');
}

/** Pauses background work, because a scan of a changing table returns items that never coexisted. */
function pausable() {
  let opened: Promise<void> | undefined;
  let open = () => {};
  const running = new Set<Promise<unknown>>();
  const pause = async () => {
    opened ??= new Promise(resolve => {
      open = resolve;
    });
    await Promise.allSettled(running);
  };
  const resume = () => {
    open();
    opened = undefined;
  };
  return {
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
    resume,
    async whilePaused<T>(work: () => Promise<T>): Promise<T> {
      if (opened !== undefined) return work();
      await pause();
      try {
        return await work();
      } finally {
        resume();
      }
    },
  };
}

export const background = pausable();

export async function sendConducted(api: Api, request: Prepared['request'], conductor: Conductor): Promise<Answer> {
  await replenishRetries();
  return withFault({ conductor }, headers => send(api, { ...request, headers: { ...request.headers, ...headers } }));
}

const recordingInto = (calls: AwsCall[]): Conductor => ({
  call: (call, proceed) => {
    calls.push(call);
    return proceed();
  },
});

export async function undisturbed(api: Api, sample: OperationSample): Promise<AwsCall[]> {
  const { request, works, isDone } = await named(sample.name, () => sample.prepare(api));
  const calls: AwsCall[] = [];
  const answer = await sendConducted(api, request, recordingInto(calls));
  if (!works.includes(answer.status)) throw new Error(failureOf(sample, answer));
  if (!(await isDone())) throw new Error(`${sample.name} has no effect.`);
  return calls;
}

export async function undisturbedStep(sample: BackgroundSample): Promise<AwsCall[]> {
  const calls: AwsCall[] = [];
  const step = await named(sample.name, () => sample.prepare());
  await invokeStep(step.functionName, step.event, recordingInto(calls));
  await step.finish();
  await step.requireDone();
  return calls;
}

/** A browser that comes from a provider gets it from the log-in page. */
export function isHonest({ status, headers, body }: Answer): boolean {
  if (/\/log-in#error=(temporarily|provider)_unavailable$/.test(headers.get('location') ?? '')) return true;
  return status === 503 && headers.has('retry-after') && body?.error?.code === 'temporarily_unavailable';
}

export const textOf = ({ status, body }: Answer): string => `${status} ${JSON.stringify(body)}`;

/** Low enough that the retries don't use up the SDK's retry quota of a client. */
const width = 16;

export async function runCases(cases: readonly Case[]): Promise<void> {
  await inParallel(
    width,
    cases.map(({ name, row, run }) => async () => {
      await run().catch(error => row.problems.push(`${name} → ${error}`));
    }),
  );
}

/** In batches, so that nothing expires before it is sent again (a hand-off code lasts a minute). */
export async function inBatches<S, R extends Row>(
  samples: readonly S[],
  atOnce: number,
  report: Report,
  runBatch: (batch: S[]) => Promise<R[]>,
): Promise<R[]> {
  const rows: R[] = [];
  const startedAt = Date.now();
  for (const batch of chunksOf(atOnce, samples)) {
    rows.push(...(await runBatch(batch)));
    const cases = rows.reduce((sum, { counts }) => sum + (counts.cases ?? 0), 0);
    const seconds = Math.round((Date.now() - startedAt) / 1000);
    report(`${rows.length} of ${samples.length}, ${cases} cases, ${seconds} s`);
  }
  return rows;
}

/** How many kept snapshots were compared with the table. */
export const compared = { snapshots: 0 };

/** Adds what is wrong in the table to the row of the sample that it belongs to. */
export async function checkTable(rows: readonly Row[], { when = '', ignored = '' } = {}): Promise<void> {
  const items = await background.whilePaused(scanTable);
  const { stale, used } = staleSnapshots(items);
  compared.snapshots += used;
  for (const { where, what } of [...violationsOf(items), ...stale]) {
    if (what === ignored) continue;
    const name = seededBy(where) ?? where;
    const row = rows.find(one => `${name}: `.startsWith(`${one.name}: `)) ?? rows[0];
    const problem = `${name}${when} → ${what}`;
    // It stays in the table.
    if (row?.problems.includes(problem) === false) row.problems.push(problem);
  }
}
