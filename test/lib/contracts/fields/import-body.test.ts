import { describe, expect, test } from 'vitest';
import { ImportBody } from '#lib/contracts/fields/import-body.ts';

/** Parses JSON text like a request's body, so that `__proto__` arrives as it would there. */
const parsed = (json: string) => ImportBody.parse(JSON.parse(json));

function pathsOf(body: unknown): string[] {
  const result = ImportBody.safeParse(body);
  return (result.error?.issues ?? []).map(issue => issue.path.join('.'));
}

describe('an import', () => {
  test('has the same parsed shape in all of its forms', () => {
    const secrets = [
      { key: 'A', value: '1' },
      { key: 'B', value: '' },
    ];
    expect(parsed('{"secrets":[{"key":"A","value":"1"},{"key":"B","value":""}]}')).toEqual({ secrets });
    expect(parsed('{"secrets":{"A":"1","B":""}}')).toEqual({ secrets });
    expect(parsed('{"dotenv":"A=1\\nB="}')).toEqual({ secrets, ambiguous: [] });
  });

  test('treats __proto__ like any other key, in every form', () => {
    const secrets = [{ key: '__proto__', value: 'x' }];
    expect(parsed('{"secrets":[{"key":"__proto__","value":"x"}]}')).toEqual({ secrets });
    expect(parsed('{"secrets":{"__proto__":"x"}}')).toEqual({ secrets });
    expect(parsed('{"dotenv":"__proto__=x"}')).toEqual({ secrets, ambiguous: [] });
  });

  test('preserves any well-formed Unicode, including NUL', () => {
    const value = '\u0000\r\n\t"\\ 🔑 e\u0301';
    expect(ImportBody.parse({ secrets: { A: value } })).toEqual({ secrets: [{ key: 'A', value }] });
  });

  test('reports every problem of a list at once', () => {
    const [valid, withNote] = [
      { key: 'B', value: '' },
      { key: 'A', value: '', note: '' },
    ];
    const paths = pathsOf({ secrets: [{ key: '1', value: 2 }, null, withNote, valid, valid] });
    expect(paths).toEqual(['secrets.0.key', 'secrets.0.value', 'secrets.1', 'secrets.2.note', 'secrets.4.key']);
  });

  test('reports every problem of an object at once, by key', () => {
    const paths = pathsOf({ secrets: { A: 1, 'not a key': '', B: '\ud800' } });
    expect(paths).toEqual(['secrets.A', 'secrets.not a key', 'secrets.B']);
  });

  test('reports the lines of problems in dotenv text', () => {
    const result = ImportBody.safeParse({ dotenv: 'A=1\n?\nA=2' });
    expect(result.error?.issues.map(issue => [issue.path, issue.message])).toEqual([
      [['dotenv'], 'line 2 is neither KEY=value, a comment nor blank'],
      [['dotenv'], 'line 3 sets A again, after line 1'],
    ]);
  });

  test.each([
    [{ secrets: [] }, ['secrets']],
    [{ secrets: {} }, ['secrets']],
    [{ dotenv: '# nothing' }, ['dotenv']],
    [{}, ['']],
    [{ secrets: [{ key: 'A', value: '' }], dotenv: 'A=' }, ['']],
    [{ secrets: 'A=1' }, ['secrets']],
    [{ secrets: null }, ['secrets']],
    [{ dotenv: 1 }, ['dotenv']],
    [[], ['']],
    [null, ['']],
    ['A=1', ['']],
  ])('%j is rejected', (body, paths) => {
    expect(pathsOf(body)).toEqual(paths);
  });

  test('rejects an unknown field', () => {
    const result = ImportBody.safeParse({ secrets: { A: '1' }, overwrite: true });
    expect(result.error?.issues).toMatchObject([{ code: 'unrecognized_keys', keys: ['overwrite'], path: [] }]);
  });

  test('accepts up to 1,000 keys, and reports more as one problem, however many are invalid', () => {
    const keys = (count: number) => Array.from({ length: count }, (_, index) => `K${index}`);
    const forms = (names: string[]) => [
      { secrets: names.map(key => ({ key, value: '' })) },
      { secrets: Object.fromEntries(names.map(key => [key, ''])) },
      { dotenv: names.map(key => `${key}=`).join('\n') },
    ];
    for (const body of forms(keys(1000))) expect(ImportBody.parse(body).secrets).toHaveLength(1000);
    for (const body of forms(keys(1001))) expect(pathsOf(body)).toHaveLength(1);
    expect(pathsOf({ secrets: Array.from({ length: 100_000 }, () => 1) })).toEqual(['secrets']);
  });

  test('never quotes a value in a problem', () => {
    const result = ImportBody.safeParse({ secrets: [{ key: 'hunter2!', value: 'hunter2\ud800' }], dotenv: 'hunter2' });
    expect(JSON.stringify(result.error?.issues)).not.toContain('hunter2');
  });
});
