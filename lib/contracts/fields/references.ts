import { secretKeyPattern } from './secret-rules.ts';

/*
 * A value that is set with `expand` may name other keys of its environment as `${KEY}`, and `$${` is a literal `${`.
 * Everything else is literal: `${}`, `${a b}` and a `${` without its end.
 */

/** Text, or the key whose value stands there. */
type Part = string | { key: string };

const opening = '\u0024{';

/** A name has no `$` or `{`, so an attempt that fails ends before the next one begins. */
const token = new RegExp(`\\$\\$\\{|\\$\\{(${secretKeyPattern.source.slice(1, -1)})\\}`, 'g');

export function partsOf(template: string): Part[] {
  const parts: Part[] = [];
  let text = '';
  let end = 0;
  for (const match of template.matchAll(token)) {
    const [whole, key] = match;
    text += template.slice(end, match.index);
    end = match.index + whole.length;
    if (key === undefined) text += opening;
    else {
      parts.push(text, { key });
      text = '';
    }
  }
  parts.push(text + template.slice(end));
  return parts;
}

export interface StoredValue {
  value: string;
  expand: boolean;
}

/**
 * The values of keys as they are after expansion. Each is expanded once, so what it costs is the sum of the results.
 * @throws Error for a key that is missing or names itself, which no change can store
 */
export function expansionOf(stored: ReadonlyMap<string, StoredValue>): (key: string) => string {
  const expanded = new Map<string, string>();
  const begun = new Set<string>();
  const textOf = (key: string): string => {
    const known = expanded.get(key);
    if (known !== undefined) return known;
    const found = stored.get(key);
    if (found === undefined || begun.has(key)) throw new Error(`The value of ${key} can't be expanded.`);
    begun.add(key);
    const partText = (part: Part) => (typeof part === 'string' ? part : textOf(part.key));
    const value = found.expand ? partsOf(found.value).map(partText).join('') : found.value;
    expanded.set(key, value);
    return value;
  };
  return textOf;
}
