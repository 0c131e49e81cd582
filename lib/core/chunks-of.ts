export function chunksOf<T>(size: number, values: readonly T[]): T[][] {
  const chunks: T[][] = [];
  for (let start = 0; start < values.length; start += size) chunks.push(values.slice(start, start + size));
  return chunks;
}

interface Size {
  count: number;
  bytes: number;
}

/** Splits values, in order, into chunks of at most `maximum` in total; a larger value gets a chunk of its own. Pure. */
export function chunksWithin<T>(maximum: Size, values: readonly T[], sizeOf: (value: T) => Size): T[][] {
  const chunks: T[][] = [];
  let total: Size = { count: 0, bytes: 0 };
  for (const value of values) {
    const size = sizeOf(value);
    const sum = { count: total.count + size.count, bytes: total.bytes + size.bytes };
    const last = chunks.at(-1);
    const fits = last !== undefined && sum.count <= maximum.count && sum.bytes <= maximum.bytes;
    if (fits) last.push(value);
    else chunks.push([value]);
    total = fits ? sum : size;
  }
  return chunks;
}
