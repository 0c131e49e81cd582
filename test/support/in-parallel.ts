/** Runs at most `width` tasks at a time. Most of the time is spent waiting for retries. */
export async function inParallel(width: number, work: readonly (() => Promise<unknown>)[]): Promise<void> {
  const queue = [...work];
  await Promise.all(
    Array.from({ length: width }, async () => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) await next();
    }),
  );
}
