const kinds: readonly (readonly [pattern: RegExp, note: string])[] = [
  [/^(?:\r\n|[\n\r])/, 'begins with a line break'],
  [/^[\p{Zs}\t]/u, 'begins with white space'],
  [/[\n\r]$/, 'ends with a line break'],
  [/[\p{Zs}\t]$/u, 'ends with white space'],
  [/[\u00a0\u2007\u202f]/, 'contains a no-break space'],
  [/[\u00ad\u180e\u200b-\u200d\u2060-\u2064\ufeff]/, 'contains an invisible character of no width'],
  [/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/, 'contains a character that changes the direction of text'],
  [/\0/, 'contains a NUL character, so it can never be an environment variable'],
  // Tabs and line breaks are usual. A carriage return alone is not.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
  [/[\u0001-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028\u2029]|\r(?!\n)/, 'contains a control character'],
  [/[\u2018-\u201f]/, 'contains typographic quotes'],
  [/^(["'`])[\s\S]*\1$/, 'begins and ends with the same quote'],
];

/** What a reader can't see in a value, as phrases after “It”. Never quotes the value. Pure. */
export function invisibleIn(value: string): string[] {
  return kinds.flatMap(([pattern, note]) => (pattern.test(value) ? [note] : []));
}
