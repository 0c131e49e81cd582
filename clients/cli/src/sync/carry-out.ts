import { exitCodes, Failure } from '../failure.ts';
import type { Output } from '../output.ts';
import type { Terminal } from '../terminal.ts';
import type { Outcome, Place, Source, Step } from './place.ts';
import type { SyncPlan } from './plan.ts';
import { hasStopped } from './target-failure.ts';

export interface SyncFlags {
  adopt?: readonly string[] | undefined;
  allowName?: readonly string[] | undefined;
  prune?: boolean | undefined;
  dryRun?: boolean | undefined;
  check?: boolean | undefined;
  all?: boolean | undefined;
  restart?: readonly string[] | undefined;
}

/** As `showPlan` of `change.ts` takes it. */
export interface ShownPlan {
  revision: number;
  created: string[];
  updated: string[];
  deleted: string[];
  unchanged: string[];
  skipped: string[];
}

/** What the command lends to this module, which is loaded on demand. */
export interface Lent {
  output: Output;
  terminal: Terminal;
  showPlan: (plan: ShownPlan, title: string, all: boolean) => void;
  /** The lines of the plan for standard output, with its summary. */
  planLines: (plan: ShownPlan, title: string, all: boolean) => { lines: string; summary: string };
  requireConfirmed: () => Promise<void>;
  messageOf: (error: unknown) => string;
}

type Failures = Map<string, string>;

export function shownOf({ steps, unchanged, left, outcome }: SyncPlan): ShownPlan {
  const names = (...kinds: Step['kind'][]) => steps.flatMap(({ kind, name }) => (kinds.includes(kind) ? [name] : []));
  return {
    revision: Number(outcome.source.revision) || 0,
    created: names('create'),
    updated: names('update', 'adopt'),
    deleted: names('remove'),
    unchanged,
    skipped: left,
  };
}

/** @throws Failure naming what was not written, after everything else was */
export async function carryOut(lent: Lent, place: Place, plan: SyncPlan, flags: SyncFlags): Promise<void> {
  let failures: Failures = new Map();
  if (plan.differs) {
    // An unchanged place needs no mark that it is about to change.
    if (plan.steps.length > 0) await place.begin?.(plan.steps, plan.outcome);
    await writeAll(lent, place, plan, failures);
    await place.end?.(plan.outcome, new Set(failures.keys())).catch((error: unknown) => {
      // The summary of what failed says more.
      if (failures.size === 0) throw error;
    });
  }
  if (failures.size === 0) failures = await restartAll(lent, place, plan.outcome.source, flags.restart ?? []);
  summarize(lent, place, plan, failures);
}

async function writeAll({ messageOf }: Lent, place: Place, plan: SyncPlan, failures: Failures): Promise<void> {
  const { outcome } = plan;
  const batches = batchesOf(plan.steps, place.batchSize);
  for (let batch = batches.shift(); batch !== undefined; batch = batches.shift()) {
    try {
      await place.write(batch, outcome, batches.length === 0 && failures.size === 0 && outcome.isComplete);
    } catch (error) {
      // Nothing at all was written.
      if (!Number.isFinite(place.batchSize) || batch.length === 0) throw error;
      if (hasStopped(error) && !(await doesAnswer(place, outcome))) {
        for (const { name } of batch) failures.set(name, messageOf(error));
        for (const { name } of batches.flat()) failures.set(name, `was not tried: ${messageOf(error)}`);
        return;
      }
      // The target may refuse only one of them.
      if (batch.length > 1) batches.unshift(...batch.map(step => [step]));
      else for (const { name } of batch) failures.set(name, messageOf(error));
    }
  }
}

/** A target that fails to write one name may still write the others, unless it is down. */
const doesAnswer = (place: Place, { source }: Outcome): Promise<boolean> =>
  place.read(source).then(
    () => true,
    () => false,
  );

/** At least one, even if only the revision is to be recorded. */
function batchesOf(steps: readonly Step[], size: number): Step[][] {
  const count = Math.max(1, Math.ceil(steps.length / size));
  return Array.from({ length: count }, (_, index) => steps.slice(index * size, (index + 1) * size));
}

/** @returns the workloads that were not restarted, with the reasons */
async function restartAll(
  { messageOf }: Lent,
  place: Place,
  source: Source,
  workloads: readonly string[],
): Promise<Failures> {
  const failures: Failures = new Map();
  for (const workload of workloads) {
    await place.restart?.(workload, source).catch((error: unknown) => {
      failures.set(workload, `was not restarted: ${messageOf(error)}`);
    });
  }
  return failures;
}

function summarize({ output }: Lent, place: Place, plan: SyncPlan, failures: Failures): void {
  const { revision: _, skipped, ...changes } = shownOf(plan);
  const done = (names: readonly string[]) => names.filter(name => !failures.has(name));
  const summary = {
    revision: plan.outcome.source.revision,
    created: done(changes.created),
    updated: done(changes.updated),
    deleted: done(changes.deleted),
    unchanged: changes.unchanged,
    left: skipped,
  };
  const failed = [...failures].map(([name, reason]) => ({ name, reason }));
  if (failed.length === 0) {
    if (output.json) output.document(summary);
    else output.note(`Done; ${place.title} has revision ${summary.revision} of ${plan.outcome.source.name}.`);
    return;
  }
  const written = [...summary.created, ...summary.updated, ...summary.deleted];
  const lines = [
    `${failed.length} of ${plan.steps.length} changes to ${place.title} failed.`,
    ...failed.map(({ name, reason }) => `${name}: ${reason}`),
    ...(written.length === 0 ? [] : [`Done: ${written.join(', ')}`]),
  ];
  throw new Failure(exitCodes.other, 'sync_incomplete', lines.join('\n  '), {
    details: { ...summary, failed },
    hint: 'Run the command again: it does what is left.',
  });
}
