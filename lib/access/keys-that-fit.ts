/** The first names that fit into so many bytes of JSON, and how many are left out. Names of keys are ASCII. Pure. */
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
