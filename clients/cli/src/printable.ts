const escaped = (character: string): string => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;

/** Escapes text from others for a terminal, where control characters could move the cursor or worse. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, escaped);
}

/**
 * For everything printed to a terminal: like `printable`, but keeps line breaks, tabs, and the few styles that the
 * command line itself uses (bold, dim, red, green, yellow).
 */
export function forTerminal(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the styles begin with one
  return text.replace(/\u001b\[(?:[12]|22|3[1239])m|[\n\t]|[\p{Cc}\p{Cf}\u2028\u2029]/gu, found =>
    found.length > 1 || found === '\n' || found === '\t' ? found : escaped(found),
  );
}

/** A value in one line, as JSON without control characters. */
export const shown = (value: string): string => printable(JSON.stringify(value));

const wide =
  /[\p{Emoji_Presentation}\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u;

/** How many columns of a terminal a text takes. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += /\p{M}/u.test(character) ? 0 : wide.test(character) ? 2 : 1;
  return width;
}

/** The keys of a change, each with its sign. */
export const keyChanges = (
  { created, updated, deleted }: Readonly<Record<'created' | 'updated' | 'deleted', readonly string[]>>,
  gap = '',
): string[] => [
  ...created.map(key => `+${gap}${key}`),
  ...updated.map(key => `~${gap}${key}`),
  ...deleted.map(key => `-${gap}${key}`),
];

/** The first few, and how many there are besides. */
export const someOf = (all: readonly string[]): string =>
  all.length > 5 ? `${all.slice(0, 5).join(' ')} and ${all.length - 5} more` : all.join(' ');
