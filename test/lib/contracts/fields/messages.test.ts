import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { Contract } from '#lib/contracts/contract.ts';
import type { Problem } from '#lib/contracts/error-codes.ts';
import { problemsOf } from '#lib/contracts/fields/messages.ts';
import { formProblem } from '#lib/contracts/path-parameters.ts';
import { routes } from '#lib/contracts/routes.ts';

const problems = (schema: z.ZodType, value: unknown): Problem[] =>
  (schema.safeParse(value).error?.issues ?? []).flatMap(problemsOf);

describe('the message of a problem', () => {
  test.each<[string, z.ZodType, unknown, string]>([
    ['a missing text', z.string(), undefined, 'is required'],
    ['a missing choice', z.enum(['a', 'b']), undefined, 'is required'],
    ['a missing literal', z.literal(true), undefined, 'is required'],
    ['a missing list', z.array(z.string()), undefined, 'is required'],
    ['a missing id', z.guid(), undefined, 'is required'],
    ['a number for a text', z.string(), 1, 'must be text'],
    ['null for a text', z.string(), null, 'must be text'],
    ['a text for a number', z.number(), '1', 'must be a number'],
    ['no number', z.number(), Number.NaN, 'must be a number'],
    ['a text for a whole number', z.int(), '1', 'must be a whole number'],
    ['a fraction', z.int(), 1.5, 'must be a whole number'],
    ['a text for a flag', z.boolean(), 'true', 'must be true or false'],
    ['an object for a list', z.array(z.string()), {}, 'must be a list'],
    ['a list for an object', z.object({}), [], 'must be an object'],
    ['a list for a record', z.record(z.string(), z.int()), [], 'must be an object'],
    ['a text for null', z.null(), 'x', 'must be null'],
    ['what must not be there', z.undefined(), 1, 'must be left out'],
    ['a choice that is not in the list', z.enum(['a', 'b', 'c']), 'd', 'must be one of a, b, c'],
    ['another literal', z.literal('a'), 'd', 'must be a'],
    ['a malformed id', z.guid(), 'acme', 'must be a UUID'],
    ['a number for an id', z.guid(), 1, 'must be a UUID'],
    ['a malformed e-mail address', z.email(), 'ada', 'must be an e-mail address'],
    ['a malformed URL', z.url(), 'x', 'must be an absolute URL'],
    ['a malformed time', z.iso.datetime(), 'now', 'must be an ISO 8601 date and time in UTC'],
    ['a text without its beginning', z.string().startsWith('a'), 'b', 'does not have the right format'],
    ['a short text', z.string().min(2), 'a', 'must have at least 2 characters'],
    ['an empty text', z.string().min(1), '', 'must have at least 1 character'],
    ['a long text', z.string().max(2), 'abc', 'must have at most 2 characters'],
    ['a text of another length', z.string().length(3), 'ab', 'must have 3 characters'],
    ['a short list', z.array(z.int()).min(2), [1], 'must have at least 2 items'],
    ['a long list', z.array(z.int()).max(1), [1, 2], 'must have at most 1 item'],
    ['a small number', z.int().min(3), 2, 'must be at least 3'],
    ['a large number', z.int().max(3), 4, 'must be at most 3'],
    ['a number beyond the whole ones', z.int(), 2 ** 60, 'must be at most 9007199254740991'],
    ['another multiple', z.number().multipleOf(2), 3, 'must be a multiple of 2'],
    ['an unknown field', z.strictObject({}), { a: 1 }, 'is not a known field'],
    ['none of several forms', z.union([z.string(), z.int()]), true, 'does not match any of the allowed forms'],
    ['a malformed name', z.record(z.string().min(2), z.int()), { a: 1 }, 'has a name that is not allowed'],
    ['what a check refuses', z.string().refine(() => false), 'a', 'is not valid'],
    ['what a check refuses in words', z.string().refine(() => false, { message: 'must rhyme' }), 'a', 'must rhyme'],
  ])('for %s says what to do', (_, schema, value, message) => {
    expect(problems(schema, value).map(problem => problem.message)).toEqual([message]);
  });

  test('refers to the field as a person would look for it', () => {
    const schema = z.strictObject({ secrets: z.array(z.strictObject({ key: z.string() })) });
    expect(problems(schema, { secrets: [{ key: 'A' }, { kee: 'A' }] })).toEqual([
      { path: 'secrets.1.key', message: 'is required' },
      { path: 'secrets.1.kee', message: 'is not a known field' },
    ]);
  });
});

const texts = ['', ' ', 'x', 'x'.repeat(70_000), '\udc00'];
const junk = [undefined, null, ...texts, 0, -2, 1.5, 1e12, true, [], [1], {}, { x: 1 }];

/** The value with each member in turn replaced by something else, at any depth. */
function* spoiled(value: unknown): Generator<unknown> {
  yield* junk;
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    for (const other of spoiled(member)) {
      if (Array.isArray(value)) yield value.with(Number(name), other);
      else yield { ...value, [name]: other };
    }
  }
  if (!Array.isArray(value)) yield { ...value, zzUnknown: 1 };
}

const validatorsWords =
  /invalid|expected|received|too (?:small|big)|unrecognized|nan\b|input|undefined|string|boolean|array|integer/i;

/** A message continues a sentence that starts with the field. */
const startsLikeASentence = /^(?:must|is (?:required|not|a duplicate)|has |line \d+ |does not|appears )/;

describe.each(routes.map(contract => [contract.operationId, contract] as const))('%s', (_, contract: Contract) => {
  test('describes in its own words what is wrong with any input', () => {
    const samples: [z.ZodType | undefined, unknown][] = [
      [contract.body, contract.bodyExample],
      [contract.query, Object.fromEntries(Object.keys(contract.query?.shape ?? {}).map(name => [name, '1']))],
      [contract.headers, Object.fromEntries(Object.keys(contract.headers?.shape ?? {}).map(name => [name, '"1"']))],
    ];
    for (const [schema, sample] of samples) {
      if (schema === undefined) continue;
      const messages = new Set([...spoiled(sample)].flatMap(value => problems(schema, value).map(one => one.message)));
      expect([...messages].filter(message => validatorsWords.test(message))).toEqual([]);
      expect([...messages].filter(message => !startsLikeASentence.test(message))).toEqual([]);
      expect(messages.size).toBeGreaterThan(0);
    }
  });

  test('reports every required field of a body as required', () => {
    const required = Object.entries((contract.body as z.ZodObject | undefined)?.shape ?? {}).filter(
      ([, schema]) => !(schema as z.ZodType).safeParse(undefined).success,
    );
    for (const [name] of required) {
      const { [name]: _left, ...body } = contract.bodyExample as Record<string, unknown>;
      expect(problems(contract.body as z.ZodType, body)).toContainEqual({ path: name, message: 'is required' });
    }
  });
});

describe('the format of a path parameter', () => {
  test('says that an id is expected, and that a slug looks like one', () => {
    expect(formProblem('orgId', 'acme')).toBe('`orgId` must be its id, a UUID, and this looks like its slug');
    expect(formProblem('orgId', 'Not An Id')).toBe('`orgId` is not a well-formed id, which is a UUID');
    expect(formProblem('webhookId', undefined)).toBe('`webhookId` is not a well-formed id, which is a UUID');
  });

  test('says what a slug and a key look like', () => {
    expect(formProblem('orgSlug', 'Acme!')).toMatch(/^`orgSlug` must be 1 to 48 lower-case letters/);
    expect(formProblem('key', '1A')).toMatch(/^`key` must begin with a letter or underscore/);
  });

  test('never quotes the input', () => {
    expect(formProblem('key', 'not a key: hunter2')).not.toContain('hunter2');
  });
});
