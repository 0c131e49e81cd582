/** The first keys that fit in `maximumBytes` of JSON, and how many are left out. Keys are ASCII. Pure. */
export function keysThatFit(keys: readonly string[], maximumBytes: number) {
  let bytes = 0;
  for (const [index, key] of keys.entries()) {
    // Two quotes and a comma.
    bytes += key.length + 3;
    if (bytes > maximumBytes) return { keys: keys.slice(0, index), keysOmitted: keys.length - index };
  }
  return { keys, keysOmitted: 0 };
}

/** DynamoDB's unit of reading, which is also the unit in which audit entries use up an organization's share. */
const shortListBytes = 4096;

/**
 * The keys for the entry of a read or comparison, unless their list is long and the entry's revision determines them,
 * because they are all keys of the environment. Pure.
 */
export function keysUnlessAll(keys: readonly string[], secretCount: number): { keys?: readonly string[] } {
  const isShort = keysThatFit(keys, shortListBytes).keysOmitted === 0;
  return keys.length < secretCount || isShort ? { keys } : {};
}
