import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../lib/http/errors.ts';
import { parseJson } from '../../../lib/http/json.ts';

function problemsOf(text: string) {
  try {
    parseJson(text);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('It was accepted.');
}

describe('parsing a JSON body', () => {
  it('gives back what was written, for any JSON value', () => {
    fc.assert(
      fc.property(fc.json(), text => {
        expect(parseJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('refuses a member name that stands twice in one object, and says where', () => {
    const error = problemsOf('{"secrets":[{"key":"A"},{"key":"B","value":"1","value":"2"}]}');
    expect(error.code).toBe('invalid_request');
    expect(error.details).toEqual([{ path: 'secrets.1.value', message: 'stands twice in the same object' }]);
  });

  it('sees that two spellings are one name', () => {
    expect(problemsOf('{"A":1,"\\u0041":2}').details).toEqual([
      { path: 'A', message: 'stands twice in the same object' },
    ]);
  });

  it('takes the same name in different objects, and as a value', () => {
    expect(parseJson('{"a":{"b":"a"},"c":[{"b":1},{"b":"b"}],"b":2}')).toBeTypeOf('object');
  });

  it('is not misled by brackets, commas and quotes inside strings', () => {
    expect(parseJson('{"a":"},{\\"a\\":[,","b":"a"}')).toEqual({ a: '},{"a":[,', b: 'a' });
  });

  it('keeps __proto__ as a member of its own', () => {
    expect(Object.keys(parseJson('{"__proto__":"x"}') as object)).toEqual(['__proto__']);
  });

  it('says that a body is not JSON without quoting it', () => {
    const error = problemsOf('{"password": "hunter2-hunter2", oops}');
    expect(error.code).toBe('invalid_request');
    expect(JSON.stringify([error.message, error.details])).not.toContain('hunter2');
    expect(JSON.stringify(error.details)).toMatch(/not valid JSON/);
  });

  it('survives a body that is nothing but nesting', () => {
    const depth = 200_000;
    expect(() => parseJson('['.repeat(depth) + ']'.repeat(depth))).not.toThrow(RangeError);
    expect(problemsOf('['.repeat(depth)).code).toBe('invalid_request');
  });
});
