/** Text of others on a terminal: a control character could move its cursor or worse. */
export function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\u2028\u2029]/gu,
    c => `\\u${(c.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
}

/** A value in one line, as JSON without anything that a terminal would obey. */
export const shown = (value: string): string => printable(JSON.stringify(value));
