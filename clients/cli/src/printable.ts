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
