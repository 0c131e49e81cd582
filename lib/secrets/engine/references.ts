import { partsOf } from '../../contracts/fields/references.ts';
import type { HeadRecord } from '../../table/records/secret.ts';

type Expands = NonNullable<HeadRecord['expands']>;

/** What a head keeps about a value that names other keys, so that a later change is checked without any value. Pure. */
export function expandsOf(template: string): Expands {
  const names = new Map<string, number>();
  let text = '';
  for (const part of partsOf(template)) {
    if (typeof part === 'string') text += part;
    else names.set(part.key, (names.get(part.key) ?? 0) + 1);
  }
  return { names: [...names], bytes: Buffer.byteLength(text), jsonBytes: Buffer.byteLength(JSON.stringify(text)) - 2 };
}

/** Room for a count and the overhead of a list entry. */
const bytesBesideName = 24;

/** An upper bound on what `expands` takes in an item. */
export function expandsBytes(expands: Expands | undefined): number {
  if (expands === undefined) return 0;
  return expands.names.reduce((sum, [key]) => sum + key.length + bytesBesideName, 100);
}

/** How many of the heads name other keys; undefined for none, as the state stores it. Pure. */
export function expandingAmong(heads: Iterable<Pick<HeadRecord, 'deleted' | 'expands'>>): number | undefined {
  let count = 0;
  for (const { deleted, expands } of heads) if (deleted === undefined && expands !== undefined) count += 1;
  return count === 0 ? undefined : count;
}

/**
 * The given heads and all that they name, directly or through others, which `find` knows. Pure.
 * @returns also the names that `find` doesn't know
 */
export function withNamed(
  heads: readonly HeadRecord[],
  find: (key: string) => HeadRecord | undefined,
): { needed: HeadRecord[]; unknown: string[] } {
  const needed = new Map(heads.map(head => [head.key, head]));
  const unknown = new Set<string>();
  // A Map is iterated over what is added during the iteration, too.
  for (const { expands } of needed.values()) {
    for (const [key] of expands?.names ?? []) {
      const head = needed.get(key) ?? find(key);
      if (head === undefined) unknown.add(key);
      else needed.set(key, head);
    }
  }
  return { needed: [...needed.values()], unknown: [...unknown] };
}
