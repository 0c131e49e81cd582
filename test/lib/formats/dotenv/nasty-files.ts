import fc from 'fast-check';
import { words } from '#test/support/words.ts';

/* Dotenv files that tools read differently: quotes, escapes, comments, references, line ends, odd blanks and keys. */

const references = ['A', 'HOST', 'A:-d', 'B-d', 'A:+y', 'E:-d', 'E-d', 'E:?no', ':-$', 'A:x'].map(
  inner => `$\{${inner}}`,
);

const visible =
  words(String.raw`v x 1 é 🐟 postgres://u:p@h/db?a=b&c /usr/lib a=b # #f ' " '' "" \' \" \ \\ \n \r \t \$ \x \a
  \0 \012 \0101 \# $ $$ $A $HOST } $(x) $1 $A$A ; & | < > ( ) ~ * [a] {a,b} : , ! % ^ - =`);
const quotesAndReferences = ['`', '\\`', '${', '${A', ...references];
const comments = [' #', '\t#', ' # c'];
const blanks = [' ', '  ', '\t', '\u00a0', '\u2028', '\f', '\v', '\x1c', '\x85', '\ufeff', '\ufffe', 'a b', '\\ '];
const lineEnds = ['\n', '\r', '\r\n', '\\\n', '\n#', '\n  ', '\nQ=1\n'];
const pieces = [...visible, ...quotesAndReferences, ...comments, ...blanks, ...lineEnds];
const text = (max: number) => fc.array(fc.constantFrom(...pieces), { maxLength: max }).map(parts => parts.join(''));
const word = fc.stringMatching(/^[A-Za-z0-9_./:@%+,-]{1,12}$/);
const singleQuoted = text(5).map(value => `'${value.replaceAll("'", '')}'`);
const doubleQuoted = text(5).map(value => `"${value.replaceAll('"', '')}"`);

const value = fc.oneof(
  { weight: 3, arbitrary: word },
  { weight: 1, arbitrary: fc.constant('') },
  { weight: 3, arbitrary: text(4) },
  { weight: 3, arbitrary: singleQuoted },
  { weight: 3, arbitrary: doubleQuoted },
  { weight: 1, arbitrary: text(4).map(inner => `\`${inner}\``) },
  { weight: 1, arbitrary: fc.tuple(singleQuoted, doubleQuoted, word).map(parts => parts.join('')) },
  { weight: 1, arbitrary: fc.tuple(fc.constantFrom('"', "'", '`'), text(3)).map(parts => parts.join('')) },
);

const ordinary = <T>(usual: T, ...others: T[]) =>
  fc.oneof({ weight: 6, arbitrary: fc.constant(usual) }, { weight: 2, arbitrary: fc.constantFrom(usual, ...others) });

const oddKeys = ['a-b', 'A.B', '1A', 'é', "'Q'", 'A B', '', 'A[0]', 'A+', '__proto__', '"A"'];
const assignment = fc
  .tuple(
    ordinary('', 'export ', 'export\t', ' ', '\t', 'export  '),
    fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom('A', 'B', 'C', 'D', 'E', 'F', 'KEY_1', 'k') },
      { weight: 1, arbitrary: fc.constantFrom(...oddKeys) },
    ),
    ordinary('=', ' = ', '= ', ' =', '=\t', ': ', ':', '', '==', '=\u00a0'),
    value,
    ordinary('', ' ', '\t', ' # c', '#c', '\t# c', '\u00a0', " # it's", ' x', '  # "'),
  )
  .map(parts => parts.join(''));

const ignored = ['', '# comment', '  # A=1', '; A=1', '   ', "# it's", '# x \\', '#\rA=1'];
const line = fc.oneof(
  { weight: 8, arbitrary: assignment },
  { weight: 1, arbitrary: fc.constantFrom(...ignored, '=', '=A=1', 'export', 'word', "'") },
);

export const dotenvLine = assignment.map(text => `${text}\n`);

/** Text of one to six lines with mixed or uniform line ends. */
export const dotenvFile: fc.Arbitrary<string> = fc
  .tuple(
    ordinary('', '\ufeff', '\n', ' '),
    fc.array(fc.tuple(line, fc.constantFrom('\n', '\n', '\n', '\n', '\r\n', '\r', '\n\n')), {
      minLength: 1,
      maxLength: 6,
    }),
    fc.boolean(),
  )
  .map(([start, lines, endsOpen]) => {
    const whole = start + lines.flat().join('');
    return endsOpen ? whole.replace(/[\r\n]+$/, '') : whole;
  });
