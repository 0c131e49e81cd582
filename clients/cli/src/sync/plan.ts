import type { Entry } from '@holdfast/contracts/fields/formats/format.ts';
import { exitCodes, Failure, usage } from '../failure.ts';
import type { Held, Holding, Outcome, Source, Step } from './place.ts';
import { taken } from './target-failure.ts';

export interface SourceNames extends Source {
  /** Every name of the environment, even if only some are synced. */
  all: ReadonlySet<string>;
  /** Those to sync. The values are undefined if they were not read. */
  names: ReadonlyMap<string, string | undefined>;
}

export interface SyncPlan {
  steps: Step[];
  unchanged: string[];
  /** Owned names that the source no longer has, and that stay. */
  left: string[];
  outcome: Outcome;
  /** Whether names, values or the recorded revision differ from the source. */
  differs: boolean;
}

interface Choices {
  adopt: readonly string[];
  prune: boolean;
  /** Whether the place records one revision for all names. */
  hasRevision: boolean;
}

/** @throws Failure naming everything that the sync would have to take from others */
export function planOf(title: string, holding: Holding, source: SourceNames, choices: Choices): SyncPlan {
  requireOwnSource(title, holding, source);
  const entries = [...source.names];
  refuseForeign(title, holding, source, choices.adopt);
  const steps: Step[] = [];
  const unchanged: string[] = [];
  for (const [name, value] of entries) {
    const kind = stepFor(holding, holding.names.get(name), source, value);
    if (kind === undefined) unchanged.push(name);
    else steps.push({ kind, name, ...(value === undefined ? {} : { value }) });
  }
  const gone = [...holding.names].flatMap(([name, { owner }]) =>
    owner === source.name && !source.all.has(name) ? [name] : [],
  );
  if (choices.prune) steps.push(...gone.map(name => ({ kind: 'remove' as const, name })));
  // Names that --only leaves out stay as they are, and stay owned.
  const kept = [...holding.names].flatMap(([name, { owner }]) =>
    owner === source.name && !source.names.has(name) && !(choices.prune && gone.includes(name)) ? [name] : [],
  );
  const isAtRevision = holding.revision === source.revision;
  const isComplete = isAtRevision || !kept.some(name => source.all.has(name));
  return {
    steps,
    unchanged,
    left: choices.prune ? [] : gone,
    outcome: { source, names: new Map([...kept.map(name => [name, undefined] as const), ...entries]), isComplete },
    differs: steps.length > 0 || (choices.hasRevision && isComplete && !isAtRevision),
  };
}

function stepFor(
  holding: Holding,
  held: Held | undefined,
  source: SourceNames,
  value: string | undefined,
): Exclude<Step['kind'], 'remove'> | undefined {
  if (held === undefined) return 'create';
  if (held.owner !== source.name) return 'adopt';
  if (value !== undefined && held.value !== undefined) return held.value === value ? undefined : 'update';
  return (held.revision ?? holding.revision) === source.revision ? undefined : 'update';
}

/** The target alone can't tell two syncs of one place apart, so the place belongs to the source that it names. */
function requireOwnSource(title: string, { source: owner }: Holding, source: Source): void {
  if (owner === undefined || owner === source.name) return;
  throw taken(
    `${capitalized(title)} belongs to ${owner}, and is not synced from ${source.name}; nothing was written.`,
    'Sync to another place, or remove the mark of the other source there by hand.',
  );
}

function refuseForeign(title: string, holding: Holding, source: SourceNames, adopted: readonly string[]): void {
  const unknown = adopted.filter(name => !source.names.has(name));
  if (unknown.length > 0) throw usage(`--adopt names what the environment does not have: ${unknown.join(', ')}.`);
  const refusals = [...source.names.keys()].flatMap(name => {
    const held = holding.names.get(name);
    if (held === undefined || held.owner === source.name) return [];
    const reason = held.owner === undefined ? 'was not written by this sync' : `belongs to ${held.owner}`;
    if (!adopted.includes(name)) return [{ key: name, reason, isFixed: false }];
    return held.fixed === undefined ? [] : [{ key: name, reason: held.fixed, isFixed: true }];
  });
  if (refusals.length === 0) return;
  const named = refusals.map(({ key, reason }) => `${key} ${reason}`);
  const adoptable = refusals.filter(({ isFixed }) => !isFixed).map(({ key }) => `--adopt ${key}`);
  throw new Failure(
    exitCodes.conflict,
    'not_owned',
    `${capitalized(title)} has names that ${source.name} does not own; nothing was written.\n  ${named.join('\n  ')}`,
    {
      details: refusals.map(({ key, reason }) => ({ key, reason })),
      hint: adoptable.length === 0 ? undefined : `To overwrite them from now on: ${adoptable.join(' ')}`,
    },
  );
}

/** Whether nothing would happen that was not shown before. */
export function isWithin({ steps }: SyncPlan, shown: SyncPlan): boolean {
  const wasShown = new Map(shown.steps.map(({ name, kind }) => [name, kind === 'remove']));
  return steps.every(({ name, kind }) => wasShown.get(name) === (kind === 'remove'));
}

export const capitalized = (text: string): string => `${text[0]?.toUpperCase()}${text.slice(1)}`;

/** The entries whose values were read. */
export const entriesOf = ({ names }: SourceNames): Entry[] =>
  [...names].flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
