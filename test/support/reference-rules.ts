/*
 * The rules about values that name other keys, read slowly: one character after the other, and every question by walking
 * all names again. Shares no code with the service.
 */

export interface Stored {
  value: string;
  expand: boolean;
}

/** What an environment holds, as it was set. */
export type Templates = ReadonlyMap<string, Stored>;

/** Text, or a key that is named. */
type Piece = string | { key: string };

const opening = '\u0024{';
export const referenceTo = (key: string): string => `${opening}${key}}`;

export function piecesOf(text: string): Piece[] {
  const found: Piece[] = [];
  let at = 0;
  while (at < text.length) {
    if (text.startsWith(`$${opening}`, at)) {
      found.push(opening);
      at += 3;
      continue;
    }
    const end = text.indexOf('}', at);
    const key = text.startsWith(opening, at) && end > 0 ? text.slice(at + 2, end) : '';
    if (key !== '' && /^[a-zA-Z_]/.test(key) && key.length <= 256 && [...key].every(one => /[\w.-]/.test(one))) {
      found.push({ key });
      at = end + 1;
    } else {
      found.push(text.charAt(at));
      at += 1;
    }
  }
  return found;
}

/** The keys that a value names, each as often as it does. */
export function namesIn({ value, expand }: Stored): string[] {
  return expand ? piecesOf(value).flatMap(piece => (typeof piece === 'string' ? [] : [piece.key])) : [];
}

type Broken = 'dangling' | 'reference_cycle' | 'reference_too_deep';

/** What is wrong with the names of an environment, and the keys that name what is missing. */
export function brokenIn(templates: Templates): { problem: Broken; dangling: string[] } | undefined {
  const named = (key: string) => {
    const stored = templates.get(key);
    return stored === undefined ? [] : namesIn(stored);
  };
  const keys = [...templates.keys()];
  const dangling = keys.filter(key => named(key).some(name => !templates.has(name)));
  if (dangling.length > 0) return { problem: 'dangling', dangling };
  const reached = (key: string, seen: Set<string>): Set<string> => {
    for (const name of named(key)) if (!seen.has(name)) reached(name, seen.add(name));
    return seen;
  };
  if (keys.some(key => reached(key, new Set()).has(key))) return { problem: 'reference_cycle', dangling };
  const depths = new Map<string, number>();
  const depth = (key: string): number => {
    const known = depths.get(key) ?? Math.max(0, ...named(key).map(name => 1 + depth(name)));
    depths.set(key, known);
    return known;
  };
  return keys.some(key => depth(key) > 10) ? { problem: 'reference_too_deep', dangling } : undefined;
}

/**
 * The expanded values of an environment without broken names.
 * @param longest a value that becomes longer is cut
 */
export function expanded(templates: Templates, longest: number): Map<string, string> {
  const results = new Map<string, string>();
  const expand = (key: string): string => {
    const known = results.get(key);
    if (known !== undefined) return known;
    const { value, expand: isTemplate } = templates.get(key) as Stored;
    let result = isTemplate ? '' : value;
    for (const piece of isTemplate ? piecesOf(value) : []) {
      result += typeof piece === 'string' ? piece : expand(piece.key);
      if (result.length > longest) break;
    }
    results.set(key, result);
    return result;
  };
  return new Map([...templates.keys()].map(key => [key, expand(key)]));
}
