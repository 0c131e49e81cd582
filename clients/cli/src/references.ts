import { type Environment, type ExpandingValue, HoldfastError, type Plan } from '@holdfast/sdk';
import { given } from './given.ts';
import { mostNamedKeys } from './snapshot.ts';

/*
 * A pull shows values that name other keys expanded, and a file has no way to say that a value names some. So a file
 * that was pulled and is pushed again would turn them into plain text.
 */

/** A line about values that would no longer name other keys. */
export function plainNote(keys: readonly string[]): string[] {
  if (keys.length === 0) return [];
  const verbs = keys.length === 1 ? 'names other keys, and becomes' : 'name other keys, and become';
  return [`${keys.join(', ')}: ${verbs} plain text. To keep the names, use: holdfast edit`];
}

interface References {
  /** Those that are pushed as they are pulled, with their values as they were set. */
  kept: Record<string, ExpandingValue>;
  /** Those that the push changes. */
  plain: string[];
}

/** Finds the keys of a push whose values name other keys. Who may not read finds none, and has pulled no file. */
export async function findReferences(
  environment: Environment,
  values: ReadonlyMap<string, string>,
  plan: Plan<unknown>,
): Promise<References> {
  try {
    return await readReferences(environment, values, plan);
  } catch (error) {
    if (error instanceof HoldfastError && error.status === 403) return { kept: {}, plain: [] };
    throw error;
  }
}

async function readReferences(
  environment: Environment,
  values: ReadonlyMap<string, string>,
  { updated, revision }: Plan<unknown>,
): Promise<References> {
  const listed = updated.length === 0 ? [] : (await environment.keys({ revision })).keys;
  const pushed = new Set(updated);
  const expanding = listed.filter(({ key, expand }) => expand === true && pushed.has(key)).map(({ key }) => key);
  if (expanding.length === 0) return { kept: {}, plain: [] };
  const named = given({ keys: expanding.length <= mostNamedKeys ? expanding : undefined });
  const [expanded, asSet] = await Promise.all([false, true].map(raw => environment.pull({ ...named, revision, raw })));
  const isKept = (key: string) => expanded?.get(key) === values.get(key);
  const kept = expanding.filter(isKept).map(key => [key, { value: asSet?.require(key) ?? '', expand: true }] as const);
  return { kept: Object.fromEntries(kept), plain: expanding.filter(key => !isKept(key)) };
}
