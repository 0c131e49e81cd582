import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson } from '#lib/core/json.ts';

describe('parsing a JSON body', () => {
  it('returns any JSON value as it was written', () => {
    fc.assert(
      fc.property(fc.json(), text => {
        expect(parseJson(text).value).toEqual(JSON.parse(text));
      }),
    );
  });

  it('rejects a member that appears twice in one object, and says where', () => {
    const { problems } = parseJson('{"secrets":[{"key":"A"},{"key":"B","value":"1","value":"2"}]}');
    expect(problems).toEqual([{ path: 'secrets.1.value', message: 'appears twice in the same object' }]);
  });

  it('recognizes two spellings of one name', () => {
    expect(parseJson('{"A":1,"\\u0041":2}').problems).toEqual([
      { path: 'A', message: 'appears twice in the same object' },
    ]);
  });

  it('accepts the same name in different objects, and as a value', () => {
    expect(parseJson('{"a":{"b":"a"},"c":[{"b":1},{"b":"b"}],"b":2}').problems).toEqual([]);
  });

  it('is not confused by brackets, commas and quotes inside strings', () => {
    expect(parseJson('{"a":"},{\\"a\\":[,","b":"a"}')).toEqual({ value: { a: '},{"a":[,', b: 'a' }, problems: [] });
  });

  it('rejects text that nests too deeply before parsing it, closed or not', () => {
    const problems = [{ path: '', message: 'the body nests arrays and objects deeper than 20 levels' }];
    for (const deep of ['['.repeat(21) + ']'.repeat(21), '{"a":'.repeat(2_000_000), `{"a":"\\"",${'['.repeat(21)}`]) {
      expect(parseJson(deep)).toEqual({ value: undefined, problems });
    }
    expect(parseJson('['.repeat(20) + ']'.repeat(20)).problems).toEqual([]);
    expect(parseJson(`[${'[],'.repeat(100)}"${'['.repeat(100)}\\\\","${'{\\"'.repeat(100)}"]`).problems).toEqual([]);
  });

  it('keeps __proto__ as an own member', () => {
    expect(Object.keys(parseJson('{"__proto__":"x"}').value as object)).toEqual(['__proto__']);
  });

  it('says that a body is not JSON without quoting it', () => {
    const { value, problems } = parseJson('{"password": "hunter2-hunter2", oops}');
    expect(value).toBeUndefined();
    expect(JSON.stringify(problems)).not.toContain('hunter2');
    expect(JSON.stringify(problems)).toMatch(/not valid JSON/);
  });

  it('survives a body that consists only of nesting', () => {
    const depth = 200_000;
    expect(() => parseJson('['.repeat(depth) + ']'.repeat(depth))).not.toThrow();
    expect(parseJson('['.repeat(depth)).problems).toHaveLength(1);
  });
});
