import { createHash } from 'node:crypto';
import type { Entry, Refusal } from '@holdfast/contracts/fields/formats/format.ts';
import { refuseDangerous } from '@holdfast/contracts/fields/refuse-dangerous.ts';
import { exitCodes, Failure, usage } from '../failure.ts';
import type { Output } from '../output.ts';
import type { Terminal } from '../terminal.ts';
import { carryOut, type Lent, type SyncFlags, shownOf } from './carry-out.ts';
import type { Kit, Place } from './place.ts';
import { capitalized, entriesOf, isWithin, planOf, type SourceNames, type SyncPlan } from './plan.ts';
import { createRequester, maxAttempts } from './request.ts';
import { hasMoved } from './target-failure.ts';

/** How often a sync starts over because somebody else changes the place at the same time. */
const maxRounds = 5;

export function createKit(lent: {
  userAgent: string;
  waitMs: number;
  output: Output;
  parseYaml: Kit['parseYaml'];
  /** After the first failed attempt; it doubles with each further one. */
  pauseMs?: number;
}): Kit {
  const { userAgent, waitMs, output, pauseMs, ...rest } = lent;
  const onWait = (seconds: number) => output.note(`holdfast: the target limits requests; waiting ${seconds} s.`);
  return {
    ...rest,
    variables: process.env,
    awsOptions: { maxAttempts },
    request: createRequester(userAgent, { leftMs: waitMs, onWait }, pauseMs),
  };
}

/** Compares the place with the source. @throws Failure with code 7 if they differ */
export async function checkPlace(lent: Pick<Lent, 'output'>, place: Place, source: SourceNames, flags: SyncFlags) {
  const { output } = lent;
  const holding = await place.read(source);
  const plan = planOf(place.title, holding, source, choicesOf(place, flags));
  const { created, updated, deleted } = shownOf(plan);
  if (!plan.differs) {
    if (output.json) output.document({ differs: false, created, updated, deleted });
    else output.note(`${capitalized(place.title)} is in sync with ${source.name}@${source.revision}.`);
    return;
  }
  const names = [
    ...created.map(name => `+ ${name}`),
    ...updated.map(name => `~ ${name}`),
    ...deleted.map(n => `- ${n}`),
  ];
  const what = names.length === 0 ? `is not marked as synced` : `differs`;
  throw new Failure(
    exitCodes.checkFailed,
    'sync_differs',
    [`${capitalized(place.title)} ${what} (${source.name}@${source.revision}).`, ...names].join('\n  '),
    { details: { created, updated, deleted } },
  );
}

/** Makes the place hold what the source has, or shows what that would change. */
export async function syncPlace(lent: Lent, place: Place, source: SourceNames, flags: SyncFlags): Promise<void> {
  refuseUnholdable(place, source, flags.allowName ?? []);
  if (flags.restart !== undefined && place.restart === undefined) throw usage('--restart is for kubernetes.');
  const title = `sync ${source.name}@${source.revision} to ${place.title}`;
  let shown: SyncPlan | undefined;
  for (let round = 1; ; round += 1) {
    const plan = planOf(place.title, await place.read(source), source, choicesOf(place, flags));
    if (shown === undefined) {
      if (flags.dryRun) return report(lent, plan, title, flags);
      requireYes(lent.terminal, plan, title);
      lent.showPlan(shownOf(plan), title, flags.all ?? false);
      if (plan.steps.length > 0) await lent.requireConfirmed();
      shown = plan;
    } else if (!isWithin(plan, shown)) throw movedAside(place, plan, shown);
    try {
      await carryOut(lent, place, plan, flags);
      return;
    } catch (error) {
      if (!hasMoved(error) || round === maxRounds) throw error;
    }
  }
}

const choicesOf = ({ hasRevision }: Place, { adopt = [], prune = false }: SyncFlags) => ({ adopt, prune, hasRevision });

function movedAside(place: Place, { steps }: SyncPlan, shown: SyncPlan): Failure {
  const before = new Set(shown.steps.map(({ name }) => name));
  const names = steps.map(({ name }) => name).filter(name => !before.has(name));
  return new Failure(
    exitCodes.conflict,
    'target_moved',
    `${capitalized(place.title)} has changed meanwhile (${names.join(', ')}); nothing more was written.`,
    { hint: 'Run the command again.' },
  );
}

/** @throws Failure naming every value or name that the target can't hold */
function refuseUnholdable(place: Place, source: SourceNames, allowed: readonly string[]): void {
  const entries = entriesOf(source);
  const single = entries.flatMap(([key, value]: Entry): Refusal[] => {
    const reason = place.refuses(key, value);
    return reason === undefined ? [] : [{ key, reason }];
  });
  const option = (key: string) => `--allow-name ${key}`;
  const dangerous = place.namesVariables
    ? refuseDangerous([...source.names.keys()], { allowed, option }, { ignoresCase: false })
    : [];
  const refusals = [...single, ...dangerous, ...(place.refusesTogether?.(entries) ?? [])];
  if (refusals.length === 0) return;
  const named = refusals.map(({ key, reason }) => `${key} ${reason}`);
  throw new Failure(
    exitCodes.notRepresentable,
    'not_representable',
    `${capitalized(place.title)} can’t hold all values; nothing was written.\n  ${named.join('\n  ')}`,
    { details: refusals, hint: 'Leave keys out with --only.' },
  );
}

/** @throws Failure if names would be removed, nobody can be asked, and there is no --yes */
function requireYes({ isUnattended }: Terminal, { steps }: SyncPlan, title: string): void {
  const removed = steps.flatMap(({ kind, name }) => (kind === 'remove' ? [name] : []));
  if (!isUnattended || removed.length === 0) return;
  throw usage(
    `To ${title} would remove ${removed.join(', ')}. Nothing was written.`,
    'Without a terminal, removing requires --yes.',
  );
}

function report(lent: Lent, plan: SyncPlan, title: string, flags: SyncFlags): void {
  const { output } = lent;
  const { revision: _, skipped, ...changes } = shownOf(plan);
  if (output.json) {
    output.document({ dryRun: true, plan: { ...changes, left: skipped }, revision: plan.outcome.source.revision });
    return;
  }
  const { lines, summary } = lent.planLines(shownOf(plan), `Would ${title}`, flags.all ?? !output.isTerminal);
  output.data(lines);
  output.note(summary);
}

/** Of a source's name and revisions. Long revisions, of many layers, are hashed: targets limit what they keep. */
export function describeSource(
  name: string,
  revisions: string,
  entries: readonly (readonly [name: string, value: string | undefined])[],
  only: readonly string[] | undefined,
): SourceNames {
  const revision =
    revisions.length <= 100 ? revisions : `layers-${createHash('sha256').update(revisions).digest('hex').slice(0, 32)}`;
  return {
    name,
    revision,
    all: new Set(entries.map(([key]) => key)),
    names: new Map(entries.filter(([key]) => only === undefined || only.includes(key))),
  };
}

interface Followed<Snapshot> {
  sources: (signal: AbortSignal, onError: (error: unknown) => void) => AsyncIterable<Snapshot>;
  ofSnapshot: (snapshot: Snapshot) => SourceNames;
}

/** Syncs each new revision, until a signal ends it. What the target refuses is tried again, also without a new one. */
export async function followSource<Snapshot>(
  lent: Lent,
  place: Place,
  { sources, ofSnapshot }: Followed<Snapshot>,
  flags: SyncFlags & { interval: number },
): Promise<void> {
  const { output, messageOf } = lent;
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stop.abort());
  let latest: SourceNames | undefined;
  let wake = () => {};
  let told: string | undefined;
  const tell = (message: string) => {
    if (message !== told) output.warn(`holdfast: ${message} Trying again.`);
    told = message;
  };
  stop.signal.addEventListener('abort', () => wake());
  const following = (async () => {
    for await (const snapshot of sources(stop.signal, error => tell(messageOf(error)))) {
      latest = ofSnapshot(snapshot);
      wake();
    }
  })();
  let synced: SourceNames | undefined;
  const ended = following.finally(() => stop.abort());
  ended.catch(() => undefined);
  while (!stop.signal.aborted) {
    const source = latest;
    // Without a new revision, a failed sync waits as long as the next poll.
    let pauseMs: number | undefined;
    if (source !== undefined && source !== synced) {
      try {
        await syncPlace(lent, place, source, flags);
        synced = source;
        told = undefined;
      } catch (error) {
        tell(messageOf(error));
        pauseMs = flags.interval * 1000;
      }
    }
    if (latest === source && !stop.signal.aborted) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>(resolve => {
        wake = resolve;
        if (pauseMs !== undefined) timer = setTimeout(resolve, pauseMs);
      });
      clearTimeout(timer);
    }
  }
  await ended;
}
