import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseDotenv } from '#lib/contracts/fields/dotenv.ts';

function entriesOf(source: string): [string, string][] {
  const { entries, problems } = parseDotenv(source);
  expect(problems).toEqual([]);
  return entries.map(({ key, value }) => [key, value]);
}

const problemsOf = (source: string): [number, string][] =>
  parseDotenv(source).problems.map(({ line, message }) => [line, message]);

describe('lines', () => {
  test('empty text has no entries and no problems', () => {
    expect(parseDotenv('')).toEqual({ entries: [], problems: [] });
  });

  test.each<[string, string, [string, string][]]>([
    ['blank lines and comment lines are skipped', '\n  \n# one\n\t# two\nA=1\n\n#last', [['A', '1']]],
    [
      'an export prefix is removed, and `export` may itself be a key',
      'export A=1\nexport\tB=2\n  export C=3\nexport=4',
      Object.entries({ A: '1', B: '2', C: '3', export: '4' }),
    ],
    [
      'white space around the key and the equals sign is ignored',
      '  A = 1  \nB\t=\t2',
      Object.entries({ A: '1', B: '2' }),
    ],
    ['the last line needs no line end', 'A=1', [['A', '1']]],
    [
      'CRLF line ends are read like LF, and a byte order mark is skipped',
      '\uFEFFA=1\r\nB="2"\r\n\r\n# c\r\nC=\'3\' # d\r\nD=4\r',
      Object.entries({ A: '1', B: '2', C: '3', D: '4' }),
    ],
    ['__proto__ is a key like any other', '__proto__=x', [['__proto__', 'x']]],
  ])('%s', (_, source, entries) => {
    expect(entriesOf(source)).toEqual(entries);
  });

  test('every entry has the number of the line it starts on', () => {
    const { entries } = parseDotenv('A="1\n2\n3"\n\nB=4');
    expect(entries.map(({ key, line }) => `${key} in line ${line}`)).toEqual(['A in line 1', 'B in line 5']);
  });
});

test.each([
  ['A=', ''],
  ['A=   ', ''],
  ['A= one two ', 'one two'],
  ['A=a=b==', 'a=b=='],
  ['A=x#y', 'x#y'],
  ['A=#y', '#y'],
  ['A= # comment', ''],
  ['A=x # comment', 'x'],
  ['A=x\t#comment', 'x'],
  ['A=x # one # two', 'x'],
  ['A=it\'s "so"', 'it\'s "so"'],
  ['A=a\\nb$C$(D)', 'a\\nb$C$(D)'],
  ['A=http://example.com/#top', 'http://example.com/#top'],
  ['A=\u00a0x\u00a0', '\u00a0x\u00a0'],
])('unquoted values %j gives %j', (source, value) => {
  expect(entriesOf(source)).toEqual([['A', value]]);
});

describe('single quotes', () => {
  test.each([
    ["A=''", ''],
    ["A='  x  '", '  x  '],
    ["A='a # b'", 'a # b'],
    ["A='a\\nb\\\\'", 'a\\nb\\\\'],
    ['A=\'$X "y"\'', '$X "y"'],
    ["A='x'   # comment", 'x'],
  ])('%j gives %j, literally', (source, value) => {
    expect(entriesOf(source)).toEqual([['A', value]]);
  });

  test('they do not span lines', () => {
    expect(problemsOf("A='one\ntwo'\nB=1")).toEqual([
      [1, 'has a single quote that is not closed on its line'],
      [2, 'is neither KEY=value, a comment nor blank'],
    ]);
  });
});

describe('double quotes', () => {
  test.each([
    ['A=""', ''],
    ['A="  x  "', '  x  '],
    ['A="a # b" # c', 'a # b'],
    ['A="\\n\\r\\t\\"\\\\\\$"', '\n\r\t"\\$'],
    ['A="\\\\n"', '\\n'],
    ['A="$X $(Y)"', '$X $(Y)'],
    ['A="one\ntwo\n"', 'one\ntwo\n'],
    ['A="one\r\ntwo"', 'one\ntwo'],
    ['A="\\q"', '\\q'],
    ['A="# no\n# comment"', '# no\n# comment'],
    ['A="it\'s"', "it's"],
  ])('%j gives %j', (source, value) => {
    expect(entriesOf(source)).toEqual([['A', value]]);
  });

  test('one that is never closed is reported on the line it starts on', () => {
    expect(problemsOf('A=1\nB="x\nC=2')).toEqual([[2, 'has a double quote that is never closed']]);
    expect(problemsOf('A="x\\"')).toEqual([[1, 'has a double quote that is never closed']]);
  });
});

describe('problems', () => {
  test.each(['word', 'A', 'export A', '=x', 'A: x', 'two words=x', '"A"=x', 'A#B=x', '- A=x'])(
    'the line %j can’t be parsed',
    source => {
      expect(problemsOf(`X=1\n${source}\nY=2`)).toEqual([[2, 'is neither KEY=value, a comment nor blank']]);
    },
  );

  test.each(['1A=x', 'A-Ä=x', 'A/B=x', `${'A'.repeat(257)}=x`])('the key of %j is not valid', source => {
    expect(problemsOf(source)).toEqual([[1, expect.stringContaining('has an invalid key')]]);
  });

  test.each(['A="x"y', "A='x'y", 'A="x"#y', 'A="x" y # z'])(
    'text after the closing quote of %j is rejected',
    source => {
      expect(problemsOf(source)).toEqual([[1, 'has text after the closing quote']]);
    },
  );

  test('a duplicate key is reported with both lines', () => {
    expect(problemsOf('A=1\nB=2\nA=1')).toEqual([[3, 'sets A again, after line 1']]);
  });

  test('a value that is too long or not well-formed is rejected, but not one at the limit', () => {
    expect(entriesOf(`A=${'x'.repeat(65_536)}`)[0]?.[1]).toHaveLength(65_536);
    expect(problemsOf(`A=${'x'.repeat(65_537)}`)).toEqual([[1, expect.stringContaining('at most 65536 bytes')]]);
    expect(problemsOf(`A=${'ä'.repeat(32_769)}`)).toEqual([[1, expect.stringContaining('at most 65536 bytes')]]);
    expect(problemsOf('A="\ud800"')).toEqual([[1, expect.stringContaining('well-formed')]]);
  });

  test('all problems are reported at once, even after multi-line values', () => {
    expect(problemsOf('A="1\n2"\nbad\nB=1\nB=2\nC="x" y\n9=1').map(([line]) => line)).toEqual([3, 5, 6, 7]);
  });

  test('a message never quotes the text', () => {
    const { problems } = parseDotenv('hunter2\nA="hunter2"hunter2\nB=\'hunter2\nhunter2!=1\nC="hunter2');
    expect(problems).toHaveLength(5);
    expect(JSON.stringify(problems)).not.toContain('hunter2');
  });

  // In quadratic time, this would take hours.
  test('megabytes of text are parsed in linear time, well-formed or not', () => {
    for (const source of [
      `A=${' '.repeat(2_000_000)}x`,
      `A="${'\\"'.repeat(1_000_000)}`,
      `A="${'\n'.repeat(2_000_000)}"`,
      'A="\n'.repeat(500_000),
      'a '.repeat(1_000_000),
      ' '.repeat(2_000_000),
      `A="x"${' '.repeat(2_000_000)}y`,
      `${'A'.repeat(2_000_000)} `,
      `export${' '.repeat(2_000_000)}`,
      'x\n'.repeat(1_000_000),
    ]) {
      parseDotenv(source);
    }
  });
});

describe('properties', () => {
  const key = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_.-]{0,20}$/);
  const value = fc.string({ unit: 'binary', maxLength: 40 });

  test('any value round-trips in double quotes', () => {
    const escaped = (text: string) =>
      text.replace(/[\\"$\r]/g, character => (character === '\r' ? '\\r' : `\\${character}`));
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(key, value), { selector: ([name]) => name }), pairs => {
        const source = pairs.map(([name, text]) => `${name}="${escaped(text)}"\n`).join('');
        expect(entriesOf(source)).toEqual(pairs);
      }),
    );
  });

  test('parsing any text never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'A=#"\'\\ \t\r\n$x'), maxLength: 60 }), source => {
        const { entries, problems } = parseDotenv(source);
        const lines = source.split('\n').length;
        for (const { line } of [...entries, ...problems]) {
          expect(line).toBeGreaterThanOrEqual(1);
          expect(line).toBeLessThanOrEqual(lines);
        }
      }),
    );
  });
});
