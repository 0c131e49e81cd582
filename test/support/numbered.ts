/** Secrets with the keys `K0`, `K1` and so on, with one value or one for each index. */
export function numbered(count: number, value: string | ((index: number) => string), prefix = 'K') {
  const entries = Array.from({ length: count }, (_, index): [string, string] => [
    `${prefix}${index}`,
    typeof value === 'string' ? value : value(index),
  ]);
  return Object.fromEntries(entries);
}
