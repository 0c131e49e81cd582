/** Does the work for each item, at most `limit` at a time, until one fails or the signal aborts. */
export async function atMost<T>(
  limit: number,
  items: Iterable<T>,
  signal: AbortSignal,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const left = [...items];
  const next = async () => {
    for (let item = left.shift(); item !== undefined && !signal.aborted; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: limit }, next));
}
