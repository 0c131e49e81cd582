import { setTimeout as sleep } from 'node:timers/promises';
import { resetProcessMemory } from '#lib/core/process-memory.ts';
import type { Answer, Api } from '../support/api.ts';
import {
  deadly,
  type FaultKind,
  injectFault,
  isCurable,
  isCurableInBackground,
  kindsFor,
} from '../support/inject-faults.ts';
import { type AwsCall, replenishRetries } from '../support/observe-calls.ts';
import { named } from '../support/people.ts';
import type { Prepared } from '../support/sample-requests.ts';
import { type OperationSample, send } from '../support/samples.ts';
import { keepSnapshots } from '../support/stale-snapshots.ts';
import { emptyTable } from '../support/table-dump.ts';
import { type BackgroundSample, invokeStep } from './background-samples.ts';
import {
  background,
  type Case,
  checkTable,
  inBatches,
  isHonest,
  newRow,
  type Report,
  type Row,
  runCases,
  sendConducted,
  textOf,
  undisturbed,
  undisturbedStep,
} from './rows.ts';

export const faultColumns = {
  calls: 'calls',
  kinds: 'kinds',
  /** Faults injected: every relevant kind at every position. */
  cases: 'faults',
  cured: 'succeeded',
  /** 503 with Retry-After. */
  honest: '503',
  died: 'died',
  /** The change was applied although the response did not say so. */
  doneUnheard: 'applied unreported',
  unreached: 'not reached',
};
type FaultRow = Row<keyof typeof faultColumns>;

interface Choice {
  kinds: readonly FaultKind[];
  atMost?: number;
}

interface Chosen {
  call: AwsCall;
  kind: FaultKind;
}

/** Every relevant kind at every call, or the given number of them, spread evenly. Pure. */
function chosenFaults(calls: readonly AwsCall[], { kinds, atMost = Number.POSITIVE_INFINITY }: Choice): Chosen[] {
  const all = calls.flatMap(call =>
    kindsFor(call)
      .filter(kind => kinds.includes(kind))
      .map(kind => ({ call, kind })),
  );
  if (all.length <= atMost) return all;
  // Starts with the last call, because requests write at the end.
  const indices = Array.from({ length: atMost }, (_, n) => all.length - 1 - Math.floor((n * all.length) / atMost));
  return indices.flatMap(index => all[index] ?? []);
}

/** Injects faults into a batch, checks, repeats, checks again. @param disturb does one, returns how to repeat it */
async function runBatch<S extends { name: string }>(
  samples: readonly S[],
  choice: Choice,
  again: string,
  callsOf: (sample: S) => Promise<AwsCall[]>,
  disturb: (
    sample: S,
    name: string,
    fault: Chosen,
    row: FaultRow,
    repeats: (run: Case['run']) => void,
  ) => Promise<void>,
): Promise<FaultRow[]> {
  const rows: FaultRow[] = [];
  const cases: Case[] = [];
  const repeated: Case[] = [];
  for (const sample of samples) {
    const row = newRow(sample.name, faultColumns);
    rows.push(row);
    const calls = await callsOf(sample);
    const chosen = chosenFaults(calls, choice);
    const kinds = new Set(chosen.map(({ kind }) => kind)).size;
    Object.assign(row.counts, { calls: calls.length, kinds, cases: chosen.length });
    for (const fault of chosen) {
      const { position, service, operation } = fault.call;
      const name = `${sample.name}: ${fault.kind} at ${position} (${service} ${operation})`;
      const repeats = (run: Case['run']) => repeated.push({ name: `${name}${again}`, row, run });
      cases.push({ name, row, run: () => disturb(sample, name, fault, row, repeats) });
    }
  }
  await runCases(cases);
  await checkTable(rows);
  resetProcessMemory('throttled-resources');
  await runCases(repeated);
  await checkTable(rows, { when: again });
  return rows;
}

export function runFaults(api: Api, samples: readonly OperationSample[], choice: Choice, report: Report) {
  return inBatches(samples, 8, report, async batch => {
    await background.whilePaused(emptyTable);
    return runBatch(
      batch,
      choice,
      ', sent again',
      sample => undisturbed(api, sample),
      async (sample, name, { call, kind }, { counts }, repeats) => {
        const prepared = await named(name, () => sample.prepare(api));
        await keepSnapshots(api, name);
        const fault = injectFault(kind, call.position);
        const answer = await sendConducted(api, prepared.request, fault);
        const wasDone = await isDoneOnceServed(prepared);
        repeats(() => repeat(api, prepared, wasDone));
        if (!fault.hit()) {
          counts.unreached += 1;
          return;
        }
        if (deadly.has(kind)) {
          counts.died += 1;
          return;
        }
        const works = prepared.works.includes(answer.status);
        if (!works && wasDone) counts.doneUnheard += 1;
        if (works && !wasDone) throw new Error(`${answer.status}, and nothing was done`);
        // What the request has ended or consumed is not available to its next attempt.
        if (works || (kind === 'overtaken' && wasDone && prepared.repeats?.includes(answer.status))) counts.cured += 1;
        else if (isHonest(answer) && (isShed(answer) || !(isCurable(kind) && isRepeatable(prepared, call))))
          counts.honest += 1;
        else throw new Error(textOf(answer));
      },
    );
  });
}

const shed = /not enough capacity/;

/** Another case has throttled what this one needs too, such as the counter of their network. */
const isShed = ({ body }: Answer): boolean => shed.test(body?.error?.message ?? '');

/** The fault may have throttled what the question reads, so that it is not served for a moment. */
async function isDoneOnceServed(prepared: Prepared): Promise<boolean> {
  for (;;) {
    try {
      return await prepared.isDone();
    } catch (error) {
      if (!shed.test(String(error))) throw error;
      await sleep(100);
    }
  }
}

/** A code that the provider has already accepted can't be presented to it again. */
function isRepeatable({ again }: Prepared, { service }: AwsCall): boolean {
  return again === undefined || service !== 'Lambda';
}

async function repeat(api: Api, prepared: Prepared, wasDone: boolean): Promise<void> {
  const answer = await send(api, (await prepared.again?.()) ?? prepared.request);
  const expected = wasDone ? [...prepared.works, ...(prepared.repeats ?? [])] : prepared.works;
  if (!expected.includes(answer.status)) throw new Error(textOf(answer));
  if (!(await prepared.isDone())) throw new Error('nothing was done');
}

export function runBackgroundFaults(samples: readonly BackgroundSample[], choice: Choice, report: Report) {
  return inBatches(samples, 1, report, batch =>
    runBatch(
      batch,
      choice,
      ', redelivered',
      undisturbedStep,
      async (sample, name, { call, kind }, { counts, problems }, repeats) => {
        const step = await named(name, () => sample.prepare());
        const fault = injectFault(kind, call.position);
        await replenishRetries();
        try {
          await invokeStep(step.functionName, step.event, fault);
          counts.cured += 1;
        } catch (error) {
          if (isCurableInBackground(kind, call)) problems.push(`${name} → ${error}`);
          counts.died += 1;
        }
        if (!fault.hit()) counts.unreached += 1;
        repeats(async () => {
          await step.finish();
          await step.requireDone();
        });
      },
    ),
  );
}
