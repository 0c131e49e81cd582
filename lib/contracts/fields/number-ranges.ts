/** Whole numbers as text, such as `1-3, 7`. Pure. */
export function toRanges(numbers: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const number of [...new Set(numbers)].toSorted((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] + 1 === number) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`)).join(', ');
}

/** The numbers of a text that `toRanges` wrote, in ascending order. Pure. */
export function fromRanges(text: string): number[] {
  if (text === '') return [];
  return text.split(', ').flatMap(range => {
    const [from = Number.NaN, to = from] = range.split('-').map(Number);
    return Array.from({ length: to - from + 1 }, (_, index) => from + index);
  });
}
