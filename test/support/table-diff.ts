import { allItems } from './table-dump.ts';

export type Snapshot = ReadonlyMap<string, string>;

/** The metrics of requests, which are written in the background. */
const metrics = ['routeHour', 'countedBatch'];

/**
 * Every item of the table, without the metrics, the kinds that requests write whatever comes of them, and attributes
 * that never have the same value twice.
 */
export async function snapshotOf(
  ignoredKinds: readonly string[],
  ignoredAttributes: readonly string[] = [],
): Promise<Snapshot> {
  const ignored = [...metrics, ...ignoredKinds];
  const items = (await allItems()).filter(({ kind }) => !ignored.includes(String(kind)));
  return new Map(items.map(item => [`${item.kind} ${item.pk} ${item.sk}`, textOf(item, ignoredAttributes)]));
}

/** The items that were added, changed or removed, each as a line. */
export function changesBetween(before: Snapshot, after: Snapshot): string[] {
  const added = [...after.keys()].filter(key => !before.has(key)).map(key => `added ${key}`);
  const changed = [...after].filter(([key, text]) => before.has(key) && before.get(key) !== text);
  const removed = [...before.keys()].filter(key => !after.has(key)).map(key => `removed ${key}`);
  return [...added, ...changed.map(([key]) => `changed ${key}`), ...removed];
}

function textOf(item: unknown, ignoredAttributes: readonly string[]): string {
  return JSON.stringify(item, (name, value) => {
    if (ignoredAttributes.includes(name)) return undefined;
    if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
    return value instanceof Set ? [...value].toSorted() : value;
  });
}
