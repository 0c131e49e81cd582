import { secretKeyPattern, secretKeyRule, valueProblem } from '@holdfast/contracts/fields/secret-rules.ts';
import type { NewValues } from '@holdfast/sdk';
import type { Destination } from './destination.ts';
import type { Exported, SourceValue } from './exported.ts';
import { declared, plainText, type Reference, type Template } from './references.ts';

/** References lead through at most so many keys. */
const mostDeep = 10;

type Kept = Map<string, SourceValue>;

/** What a value is imported as, or why it isn't. */
type Outcome = { set: NewValues[string]; isCopy?: boolean } | { refused: string };

/**
 * The values that an environment gets. References become declared references where they stay inside the environment.
 * Where they don't, the value is what programs get today, if the export has that. Adds to the export what is refused.
 */
export function settle(destination: Destination, { refused, left }: Pick<Exported, 'refused' | 'left'>): NewValues {
  const kept: Kept = new Map();
  const refuse = ({ place, key }: SourceValue, reason: string) => refused.push({ place: place.name, key, reason });
  const counts = new Map<string, number>();
  for (const { key } of destination.values) counts.set(key, (counts.get(key) ?? 0) + 1);
  for (const value of destination.values) {
    if (!secretKeyPattern.test(value.key)) refuse(value, `is not a key: a key ${secretKeyRule}`);
    else if ((counts.get(value.key) ?? 0) > 1) refuse(value, 'is there twice');
    else kept.set(value.key, value);
  }
  const outcomes = outcomesOf(destination, kept);
  const entries: [string, NewValues[string]][] = [];
  for (const [key, value] of kept) {
    const outcome = outcomes.get(key) as Outcome;
    if ('refused' in outcome) {
      refuse(value, outcome.refused);
      continue;
    }
    entries.push([key, outcome.set]);
    if (outcome.isCopy) left.push(`${value.place.name}: the references of ${key}, whose present value is imported`);
  }
  return Object.fromEntries(entries);
}

/** Again until nothing changes, because a refused value takes those along that name it. */
function outcomesOf(destination: Destination, kept: Kept): Map<string, Outcome> {
  const outcomes = new Map<string, Outcome>();
  const isThere = (key: string) => kept.has(key) && !('refused' in (outcomes.get(key) ?? {}));
  for (const [key, value] of kept) outcomes.set(key, checked(value.template ? { set: '' } : textOf(value)));
  let isSettled = false;
  while (!isSettled) {
    isSettled = true;
    const depths = depthsOf(destination, kept, outcomes);
    for (const [key, value] of kept) {
      const before = outcomes.get(key) as Outcome;
      if (value.template === undefined || 'refused' in before || before.isCopy) continue;
      const outcome = checked(expanding(destination, value, value.template, { isThere, kept, depths }));
      if ('refused' in outcome || outcome.isCopy) isSettled = false;
      outcomes.set(key, outcome);
    }
  }
  return outcomes;
}

function textOf({ value }: SourceValue): Outcome {
  return value === undefined ? { refused: 'has no value' } : { set: value };
}

function checked(outcome: Outcome): Outcome {
  if ('refused' in outcome) return outcome;
  const { set } = outcome;
  const problem = valueProblem(typeof set === 'string' ? set : set.value);
  return problem === undefined ? outcome : { refused: problem };
}

interface Surroundings {
  kept: Kept;
  isThere: (key: string) => boolean;
  depths: ReadonlyMap<string, number>;
}

function expanding(destination: Destination, from: SourceValue, template: Template, all: Surroundings): Outcome {
  const copyOr = (reason: string): Outcome =>
    from.value === undefined ? { refused: reason } : { set: from.value, isCopy: true };
  for (const part of template) {
    if (typeof part === 'string') continue;
    const key = keyOf(destination, from, part);
    if (key === outside) return copyOr(`names ${part.text}, which is outside of its environment`);
    if (key !== undefined && !all.isThere(key)) return copyOr(`names ${key}, which is not imported`);
  }
  const depth = all.depths.get(from.key) ?? 0;
  if (depth === Number.POSITIVE_INFINITY) return copyOr('names itself, directly or through others');
  if (depth > mostDeep) return copyOr(`names others through more than ${mostDeep} keys`);
  const keys = template.flatMap(part => (typeof part === 'string' ? [] : [keyOf(destination, from, part)]));
  if (keys.every(key => key === undefined)) return { set: plainText(template) };
  const value = declared(template, reference => keyOf(destination, from, reference));
  return value === undefined ? copyOr('has a $ in front of a reference') : { set: { value, expand: true } };
}

/** Stands for a key of another environment, and is no key itself. */
const outside = '';

/** The key that a reference leads to; undefined for text that only looks like a reference; or `outside`. */
function keyOf(destination: Destination, { place }: SourceValue, reference: Reference): string | undefined {
  const { values, places, environment: own } = destination;
  if (reference.environment === undefined) {
    // Both products leave it as it is if there is no such key.
    const isThere = values.some(value => value.place.name === place.name && value.key === reference.key);
    return isThere ? reference.key : undefined;
  }
  const { environment, folder = '', project = place.project } = reference;
  const isInside = places.some(
    one =>
      (one.environment ?? own) === environment && (one.folder ?? '') === folder && (one.project ?? project) === project,
  );
  return isInside && values.some(value => value.key === reference.key) ? reference.key : outside;
}

/** How many keys each reference leads through: infinite for a circle. Values that are copied name nothing. */
function depthsOf(destination: Destination, kept: Kept, outcomes: ReadonlyMap<string, Outcome>): Map<string, number> {
  const depths = new Map<string, number>();
  const open = new Set<string>();
  const depthOf = (key: string): number => {
    const known = depths.get(key);
    if (known !== undefined) return known;
    if (open.has(key)) return Number.POSITIVE_INFINITY;
    const value = kept.get(key);
    const outcome = outcomes.get(key);
    if (value?.template === undefined || outcome === undefined || 'refused' in outcome || outcome.isCopy) return 0;
    open.add(key);
    const named = value.template.flatMap(part =>
      typeof part === 'string' ? [] : (keyOf(destination, value, part) ?? []),
    );
    const depth = named.length === 0 ? 0 : 1 + Math.max(...named.map(depthOf));
    open.delete(key);
    depths.set(key, depth);
    return depth;
  };
  for (const key of kept.keys()) depthOf(key);
  return depths;
}
