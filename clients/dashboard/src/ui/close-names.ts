/** How many characters differ, as in a typo (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j += 1) {
      next.push(Math.min((next[j] ?? 0) + 1, (row[j + 1] ?? 0) + 1, (row[j] ?? 0) + (letter === b[j] ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/** The names that somebody who typed `wrong` may have meant, the closest first, at most three. Pure. */
export function closeNames(wrong: string, names: readonly string[]): string[] {
  const typed = wrong.toLowerCase();
  const isClose = (name: string) =>
    (typed.length > 1 && (name.startsWith(typed) || typed.startsWith(name))) ||
    distance(typed, name) <= Math.max(1, Math.floor(name.length / 3));
  return names
    .filter(isClose)
    .toSorted((a, b) => distance(typed, a) - distance(typed, b))
    .slice(0, 3);
}
