import { isSlug } from './settings/settings-file.ts';

const mostNames = 20;

/** A hint: "There are dev, staging." and what to do, unless one of them is close to what was asked for. */
export function namesThere(sent: readonly string[], asked: readonly string[], otherwise = ''): string {
  const names = sent.filter(isSlug);
  const [nearest] = asked.flatMap(word => nearestTo(word, names) ?? []);
  return `${listOf(names)} ${nearest === undefined ? otherwise : `Did you mean ${nearest}?`}`.trim();
}

/** The existing name of which a new one may be a slip or a short form. `dev-ada` beside `dev` is neither. */
export const slipOf = (word: string, names: readonly string[]): string | undefined =>
  nearestTo(
    word,
    names.filter(name => !word.startsWith(name) || word.length - name.length <= 2),
  );

function listOf(names: readonly string[]): string {
  if (names.length === 0) return '';
  const more = names.length > mostNames ? ` and ${names.length - mostNames} more` : '';
  return `There ${names.length === 1 ? 'is' : 'are'} ${names.slice(0, mostNames).join(', ')}${more}.`;
}

function nearestTo(word: string, names: readonly string[]): string | undefined {
  if (names.includes(word)) return undefined;
  const begins = names.filter(name => name.startsWith(word) || word.startsWith(name));
  if (begins[0] !== undefined) return begins[0];
  const near = names
    .map(name => ({ name, edits: editsBetween(word, name) }))
    .filter(({ name, edits }) => edits <= Math.max(1, Math.floor(Math.min(word.length, name.length) / 3)))
    .toSorted((a, b) => a.edits - b.edits);
  return near[0]?.name ?? names.find(name => isAbbreviation(word, name));
}

/** `stg` for `staging`. */
function isAbbreviation(word: string, name: string): boolean {
  let at = -1;
  const isWithin = [...word].every(character => {
    at = name.indexOf(character, at + 1);
    return at !== -1;
  });
  return isWithin && word.length > 1 && word[0] === name[0];
}

/** Levenshtein's distance. */
function editsBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [line, character] of [...a].entries()) {
    const next = [line + 1];
    for (let column = 1; column <= b.length; column += 1) {
      const replaced = (row[column - 1] ?? 0) + (character === b[column - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
