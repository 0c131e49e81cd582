export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** Milliseconds until the work is done. */
export async function timed(work: () => unknown): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** Medians after `warmUps` rounds. Measured in turn, so that other load on the machine affects all of them. */
export async function medians<Name extends string>(
  rounds: number,
  measurements: Readonly<Record<Name, () => number | Promise<number>>>,
  warmUps = 0,
): Promise<Record<Name, number>> {
  const names = Object.keys(measurements) as Name[];
  const results = names.map((): number[] => []);
  for (let round = -warmUps; round < rounds; round += 1) {
    for (const [index, name] of names.entries()) {
      const result = await measurements[name]();
      if (round >= 0) results[index]?.push(result);
    }
  }
  return Object.fromEntries(names.map((name, index) => [name, median(results[index] ?? [])])) as Record<Name, number>;
}
