/** The seed of every random test, the same in each run. `npm run proof -- NAME --full` chooses another, and `SEED=…` repeats one. */
export const seed = Number(process.env.SEED ?? 1);

/** Numbers from 0 to below 1 that depend on the seed alone (mulberry32). */
export function randomFrom(start: number): () => number {
  let state = start >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
