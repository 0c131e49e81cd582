/** Which texts the runner hides. `auto`: those whose masks hide no harmless text. */
export type MaskMode = 'auto' | 'all';

/** A shorter text is part of too many others, such as times, versions and words. */
const shortest = 4;
/** From this length on, a text is masked whatever it is. */
const alwaysFrom = 8;
/** What a text of up to 7 characters must have: `true`, `8080` and `Prod` have less, `x7Kq` has more. */
const enoughBits = 23;

/**
 * What the runner must hide for one value: the value, its lines with and without the space around them, and all of these
 * as they look inside a JSON string. The runner compares line by line, so it would not find a value of several lines as
 * a whole.
 */
export function masksOf(value: string, mode: MaskMode): string[] {
  const lines = value.split(/[\r\n]+/);
  const trimmed = lines.map(line => line.trim());
  if (mode === 'auto') return unique([...lines, ...trimmed].filter(line => isWorthMasking(line.trim())));
  return unique([value, ...lines, ...trimmed]);
}

function unique(texts: readonly string[]): string[] {
  const inJson = texts.map(text => JSON.stringify(text).slice(1, -1));
  // A mask that is only white space would blank out the whole log.
  return [...new Set([...texts, ...inJson])].filter(text => text.trim() !== '');
}

export function isWorthMasking(text: string): boolean {
  const { length } = [...text];
  if (length >= alwaysFrom) return true;
  // Sizes and times, such as 512Mi and 1h30m.
  return length >= shortest && !/^(?:\d+[A-Za-z]{1,3})+$/.test(text) && bitsOf(text) >= enoughBits;
}

/** An estimate: the bits of a random text of these kinds of characters. Separators and brackets don't count, nor does one kind alone. */
function bitsOf(text: string): number {
  // A first capital letter is how names are written.
  const plain = text
    .replace(/^[A-Z](?=[a-z]+$)/, first => first.toLowerCase())
    .replaceAll(/[-_./:;,=\s"'(){}[\]<>]/g, '');
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9]/].flatMap((kind, index) =>
    kind.test(plain) ? ([26, 26, 10, 33][index] ?? 0) : [],
  );
  if (kinds.length < 2 || new Set(plain).size < shortest) return 0;
  return plain.length * Math.log2(kinds.reduce((sum, size) => sum + size, 0));
}
