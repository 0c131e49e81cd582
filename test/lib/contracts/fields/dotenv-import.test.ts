import { describe, expect, test } from 'vitest';
import { ChangesBody } from '#lib/contracts/fields/changes-body.ts';
import { type DotenvDialect, dotenvDialects, readDotenv } from '#lib/contracts/fields/dotenv-import.ts';
import { env } from '#lib/contracts/fields/formats/dotenv-files.ts';
import { ImportBody } from '#lib/contracts/fields/import-body.ts';
import { nastyValues } from '#test/clients/cli/formats/nasty-values.ts';
import { seed } from '#test/support/seed.ts';

const valuesOf = (text: string, dialect?: DotenvDialect) => {
  const { entries, problems } = readDotenv(text, dialect);
  return problems.length > 0 ? problems.map(({ line }) => line) : entries.map(({ key, value }) => `${key}=${value}`);
};
const host = `$\{HOST}`;

describe('a dialect', () => {
  test.each<[string, DotenvDialect, string[] | number[]]>([
    ['A=v#f', 'node', ['A=v']],
    ['A=v#f', 'docker', ['A=v#f']],
    ['A=`x`', 'node', ['A=x']],
    ['A=`x`', 'sh', [1]],
    ['A=a$$b', 'compose', ['A=a$b']],
    ['A=a$$b', 'sh', [1]],
    ['A="a\\$b"', 'node', ['A=a\\$b']],
    ['A="a\\$b"', 'compose', ['A=a$b']],
    ['A=foo\\ bar', 'sh', ['A=foo bar']],
    ['A=foo\\ bar', 'systemd', ['A=foo bar']],
    ["A='x\ny'", 'compose', ['A=x\ny']],
    ['A=1\rB=2\r', 'python', ['A=1', 'B=2']],
    ['A=1\rB=2\r', 'node', ['A=1B=2']],
    ['A="x" # c', 'docker', ['A="x" # c']],
    ['export A=1', 'docker', [1]],
    ['export A=1', 'systemd', [1]],
    ['export A=1 B=2', 'sh', ['A=1', 'B=2']],
    [`A=1\nB=${host}`, 'python', [2]],
    [`A=1\nB=${host}`, 'compose', [2]],
    ['B=$HOST', 'sh', [1]],
    ['HOST=h\nB=$HOST/x', 'sh', ['HOST=h', 'B=h/x']],
    [`HOST=h\nB=${host}/x`, 'python', ['HOST=h', 'B=h/x']],
    ['A=1\nword\nB=2', 'node', [2]],
    ['A=$(id)', 'sh', [1]],
    ['A=$((1+1))', 'sh', [1]],
    ['A=1; B=2', 'sh', [1]],
    ['A=1 & B=2', 'sh', [1]],
    ['A=1 >file', 'sh', [1]],
    ['A=1 ls', 'sh', [1]],
    ['A=1\nA=2', 'node', [2]],
    ['1A=1', 'node', [1]],
  ])('reads %j as %s: %j', (text, dialect, expected) => {
    expect(valuesOf(text, dialect)).toEqual(expected);
  });

  test('never names what may be a part of a value', () => {
    const { problems } = readDotenv('A=pass$ecret\nB=`geheim`', 'sh');
    expect(problems).toHaveLength(2);
    expect(JSON.stringify(problems)).not.toMatch(/ecret|geheim/);
  });

  test('reads text that refers to itself again and again without growing', () => {
    const doubling = Array.from({ length: 60 }, (_, at) => `A${at + 1}=$A${at}$A${at}`);
    expect(readDotenv(['A0=x', ...doubling].join('\n'), 'sh').problems.length).toBeGreaterThan(0);
  });
});

describe('without a dialect', () => {
  test('lines that tools read differently are listed, with who agrees with whom', () => {
    expect(readDotenv('A=1\nB=v#f # c\n').ambiguous).toEqual([
      { line: 2, key: 'B', readers: { node: 1, python: 2, docker: 3, compose: 2, systemd: 3, sh: 2 } },
    ]);
  });

  test.each(['A=`x`', 'A=a$$b', `A=${host}`, 'A=foo\\ bar', 'A="a\\$b"', 'A=1\rB=2\r', 'A=1\r\nB=2\r\n'])(
    '%j is ambiguous, and strict refuses it',
    text => {
      const { ambiguous = [], entries } = readDotenv(text);
      expect(ambiguous[0]).toMatchObject({ line: 1, key: 'A' });
      expect(entries.length).toBeGreaterThan(0);
      expect(valuesOf(text, 'strict')).toContain(1);
    },
  );

  test('a tool that skips or refuses a line, and docker, make none ambiguous', () => {
    expect(readDotenv('export A=1\nB="x"\nC=\'y z\'\n').ambiguous).toEqual([]);
    expect(readDotenv("A=1\nB=it's\n").ambiguous).toEqual([]);
  });

  test('what a pull writes in its default format reads back exactly, in every dialect, and is never ambiguous', () => {
    const values = nastyValues(400, seed).filter(value => value.length < 10_000 && !env.refuses?.('KEY', value));
    expect(values.length).toBeGreaterThan(50);
    for (const value of values) {
      const text = env.write([['KEY', value]], { project: 'shop', environment: 'dev' });
      const { entries, problems, ambiguous } = readDotenv(text);
      expect([text, problems, ambiguous, entries.map(one => one.value)]).toEqual([text, [], [], [value]]);
    }
    const all = env.write(
      values.map((value, index) => [`KEY_${index}`, value]),
      { project: 'shop', environment: 'dev' },
    );
    expect(readDotenv(all).ambiguous).toEqual([]);
    for (const dialect of dotenvDialects.filter(one => one !== 'docker')) {
      expect([dialect, ...readDotenv(all, dialect).entries.map(({ value }) => value)]).toEqual([dialect, ...values]);
    }
  });
});

describe('a body', () => {
  const pathsOf = (body: typeof ChangesBody | typeof ImportBody, value: unknown) =>
    (body.safeParse(value).error?.issues ?? []).map(({ path }) => path.join('.'));

  test('takes a dialect only with dotenv, and not both set and dotenv', () => {
    expect(pathsOf(ImportBody, { secrets: { A: '1' }, dialect: 'node' })).toEqual(['dialect']);
    expect(pathsOf(ImportBody, { dotenv: 'A=1', dialect: 'fish' })).toEqual(['dialect']);
    expect(pathsOf(ChangesBody, { delete: ['A'], dialect: 'node' })).toEqual(['dialect']);
    expect(pathsOf(ChangesBody, { set: [], dotenv: 'A=1' })).toEqual(['']);
    expect(pathsOf(ChangesBody, { dotenv: 'A=1\nB=2', delete: ['B'] })).toEqual(['delete.0']);
    expect(pathsOf(ChangesBody, { dotenv: 'A=`x`', dialect: 'strict' })).toEqual(['dotenv']);
  });

  test('of changes sets what the text sets', () => {
    expect(ChangesBody.parse({ dotenv: 'A=v#f', dialect: 'node', delete: ['B'] })).toEqual({
      set: [{ key: 'A', value: 'v' }],
      delete: ['B'],
    });
    expect(ChangesBody.parse({ dotenv: 'A=v#f' }).ambiguous).toHaveLength(1);
  });
});
