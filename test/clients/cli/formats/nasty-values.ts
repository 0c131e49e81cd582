import fc from 'fast-check';

/** Texts that some reader interprets, separated by blanks. */
const interpreted = String.raw`
  ' " \ \n \r \t \" \' \\ \x41 \u0041 \0101 $ $$ $HOME $(id) # = : ; & | ! !! * ? ~ [a] {a,b} <<EOF EOF % %0A %s
  true null ~ 1e3 0x1f 2026-01-31 --- ... ::add-mask::x a Zz9 / . , @ + -
  postgres://u:p@h:5432/db?x=1&y=2`;

/** Control, invisible and unassigned characters, quotes of other languages, and others that readers treat specially. */
const codePoints = `b c 0 1 7 7f 80 85 9f a0 ad 2028 2029 200b 202e feff fffd fffe ffff fdd0 e000 2018 2019 201b 1f642
  1fffe 10ffff e9 212b`;
/** One grapheme cluster with whatever follows, a quote for example. */
const joining = '602 f600 f6ff';
const wordsIn = (text: string) => text.trim().split(/\s+/);
const lines = ['export A=b', '\nB=c', '\n', '\n\n', '\r', '\r\n', '\t', ' ', '  ', '\u001b[31m', 'e\u0301'];
const scripts = [
  '`',
  '`id`',
  '$' + '{HOME}',
  '$' + '{X:-y}',
  ' #',
  ' # c',
  '- a',
  '{"a": 1}',
  '::set-output name=a::b',
];
const fragments = [
  ...wordsIn(interpreted),
  ...wordsIn(`${codePoints} ${joining}`).map(hex => String.fromCodePoint(Number.parseInt(hex, 16))),
  ...lines,
  ...scripts,
];

const piece = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...fragments) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 6 }) },
);

const pem = '-----BEGIN KEY-----\nabc=\n-----END KEY-----\n';
const value = fc.oneof(
  { weight: 40, arbitrary: fc.array(piece, { maxLength: 8 }).map(pieces => pieces.join('')) },
  { weight: 3, arbitrary: fc.string({ unit: 'grapheme', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.constantFrom('', ' ', "''", '""', pem, '{\n  "a": "b c"\n}') },
);

/** 64 KiB of each kind, the service's limit, and docker's limit. */
export const longValues = [
  'x'.repeat(65_536),
  'y'.repeat(65_532),
  "it's ".repeat(13_107),
  'line\n'.repeat(13_107),
  '"\\$`'.repeat(16_384),
  '\u{1f642}'.repeat(16_384),
  'a b#'.repeat(16_384),
];

export function nastyValues(count: number, seed: number): string[] {
  return fc.sample(value, { numRuns: count, seed }).filter(text => text.isWellFormed());
}
