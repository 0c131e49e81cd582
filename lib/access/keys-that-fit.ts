/** The first keys that fit in `maximumBytes` of JSON, and how many are left out. Keys are ASCII. Pure. */
export function keysThatFit(
  keys: readonly string[],
  maximumBytes: number,
): { keys: readonly string[]; keysOmitted: number } {
  let bytes = 0;
  for (const [index, key] of keys.entries()) {
    // Two quotes and a comma.
    bytes += key.length + 3;
    if (bytes > maximumBytes) return { keys: keys.slice(0, index), keysOmitted: keys.length - index };
  }
  return { keys, keysOmitted: 0 };
}
