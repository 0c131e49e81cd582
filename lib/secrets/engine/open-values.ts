import { expansionOf, type StoredValue } from '../../contracts/fields/references.ts';
import type { HeadRecord } from '../../table/records/secret.ts';
import type { KeyRing } from './key-ring.ts';
import { withNamed } from './references.ts';
import { StaleRead } from './stale-read.ts';

/**
 * The heads whose values are needed to show those of `shown`.
 * @param live the heads of the same revision
 * @throws StaleRead if they lack a key that one of the others names
 */
export function headsToOpen(shown: readonly HeadRecord[], live: readonly HeadRecord[]): readonly HeadRecord[] {
  if (shown.every(({ expands }) => expands === undefined)) return shown;
  const byKey = new Map(live.map(head => [head.key, head]));
  const { needed, unknown } = withNamed(shown, key => byKey.get(key));
  const [missing] = unknown;
  if (missing !== undefined) throw new StaleRead(`The key ${missing}, which another one names, was not read.`);
  return needed;
}

/** The values as stored, by key. */
export async function openStored(
  environmentId: string,
  heads: readonly HeadRecord[],
  ring: KeyRing,
): Promise<Map<string, StoredValue>> {
  const open = async (head: HeadRecord) => {
    return [head.key, { value: await ring.open(environmentId, head), expand: head.expands !== undefined }] as const;
  };
  return new Map(await Promise.all(heads.map(open)));
}

/** Opens and expands values. @param heads those of `headsToOpen` */
export async function openExpanded(environmentId: string, heads: readonly HeadRecord[], ring: KeyRing) {
  return expansionOf(await openStored(environmentId, heads, ring));
}
