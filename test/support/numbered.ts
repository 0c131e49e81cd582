/** Secrets with the keys `K0`, `K1` and so on, all with one value. */
export function numbered(count: number, value: string, prefix = 'K'): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, value]));
}
