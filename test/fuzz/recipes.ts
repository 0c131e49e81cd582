import fc from 'fast-check';
import { words } from '../support/words.ts';
import { type Operation, resolve } from './openapi.ts';

// biome-ignore lint/suspicious/noExplicitAny: any JSON
type Json = any;

/** One change to a request. Plain data, so that a recipe can be printed, stored and replayed. */
export type Change =
  | { kind: 'caller'; as: (typeof callers)[number] }
  /** A whole body that is generated from the operation's schema. */
  | { kind: 'body'; value: Json }
  /** Replaces one value in the body, by its index. */
  | { kind: 'value'; place: number; value: Json }
  | { kind: 'drop'; place: number }
  | { kind: 'member'; place: number; name: string; value: Json }
  /** Hits one of the schema's limits, by its index, or misses it by one. */
  | { kind: 'bound'; number: number }
  | { kind: 'raw'; base64: string }
  | { kind: 'header'; name: string; value: string }
  | { kind: 'query'; text: string }
  | { kind: 'segment'; number: number; text: string };

export type Recipe = readonly Change[];

export const callers = [
  'nobody',
  'stranger',
  'admin',
  'token',
  'read-token',
  'no-csrf-header',
  'junk-cookie',
  'junk-token',
] as const;

const awkwardStrings = [
  '',
  ' ',
  '\u0000',
  '\ud800',
  '\udc00x',
  '__proto__',
  'constructor',
  'x'.repeat(257),
  '\u202Eevil',
  'e\u0301'.repeat(64),
  '👩‍👩‍👧‍👦'.repeat(20),
  ...words(`../.. %00 null {"a":1} A#B * 00000000-0000-0000-0000-000000000000 2026-02-30T25:61:61Z
    http://169.254.169.254/ javascript:alert(1) a@b`),
];
const awkwardNumbers = [0, -1, 1, 0.5, -0, 1e21, 1e308, -1e308, 2 ** 53, 2 ** 53 + 2, 2 ** 31, 4294967296, 1e-7];

const awkward: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom(...awkwardStrings),
  fc.constantFrom(...awkwardNumbers),
  fc.constantFrom(null, true, false, [], {}, [[]], [null], { a: { b: {} } }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.array(fc.constantFrom('A', 'A', 'B', '', 1, null), { maxLength: 6 }),
  fc.jsonValue({ maxDepth: 3 }),
);

const texts = fc.oneof(
  fc.constantFrom(...awkwardStrings.filter(text => text.isWellFormed())),
  fc.string({ maxLength: 30 }),
);

const headerText = fc.oneof(
  fc.constantFrom(
    '',
    ...words('* "1" "0" W/"1" 1'),
    '"1", "2"',
    ...words('" "" "99999999999999999999" ,'),
    'x'.repeat(600),
  ),
  fc.string({ unit: fc.constantFrom(...'abcXYZ019"*,;=/ -_.~!%'.split('')), maxLength: 40 }),
);

const headerNames = words(`if-match if-none-match content-type accept authorization cookie x-requested-with
  x-request-id stripe-signature content-encoding x-forwarded-for user-agent origin`);

const contentTypes = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'application/json; charset=latin1',
  'application/jsonx',
  'APPLICATION/JSON',
  'multipart/form-data; boundary=x',
  ';',
  'application/json;',
];

const queries = fc.oneof(
  fc.constantFrom(
    ...words('limit=0 limit=501 limit=500 limit=1&limit=2 limit= limit=1e2 limit=+1'),
    'limit= 1',
    ...words(`limit=0x10 limit=1&offset=-1 limit=1&offset=99999999999999999999 limit=1&offset=1.5 offset=3 search=
      search=% search=%ff search=%F0%9F%92%A9 search=a&search=b values=true values=TRUE values=1 action=secret.pulled
      action=nope hours=0 hours=168 hours=169 unknown=1 __proto__=1 =&= &&& a[b]=c %00=%00 ?`),
  ),
  fc.string({ unit: fc.constantFrom(...'limitofsearch=&%+0159._-[]'.split('')), maxLength: 30 }),
);

const segments = fc.oneof(
  fc.constantFrom(
    ...words('% %zz %ff %00 %2F %2e%2e .. .'),
    '',
    ...words('%20 %F0%9F%92%A9'),
    'A'.repeat(300),
    ...words(`00000000-0000-0000-0000-000000000000 ffffffff-ffff-ffff-ffff-ffffffffffff
      FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF __proto__ keys dev shop ;a=b a:b * ~ %23 %3F`),
  ),
  fc.string({ unit: fc.constantFrom(...'abcXYZ019%-_.~:@!$&()*+,;='.split('')), minLength: 1, maxLength: 20 }),
);

const places = fc.nat(30);

function change<Kind extends Change['kind'], Parts extends object>(
  kind: Kind,
  parts: { [Name in keyof Parts]: fc.Arbitrary<Parts[Name]> },
): fc.Arbitrary<{ kind: Kind } & Parts> {
  return fc.record({ kind: fc.constant(kind), ...parts }) as unknown as fc.Arbitrary<{ kind: Kind } & Parts>;
}

/** A request of the operation with up to four changes; sometimes none, to try valid requests as well. */
export function recipes(operation: Operation): fc.Arbitrary<Recipe> {
  const general: fc.Arbitrary<Change>[] = [
    change('caller', { as: fc.constantFrom(...callers) }),
    change('query', { text: queries }),
    change('segment', { number: fc.nat(6), text: segments }),
    change('header', { name: fc.constantFrom(...headerNames), value: headerText }),
    change('header', { name: fc.constant('content-type'), value: fc.constantFrom(...contentTypes) }),
    change('raw', { base64: rawBodies }),
  ];
  const ofBody: fc.Arbitrary<Change>[] =
    operation.bodySchema === undefined
      ? []
      : [
          change('body', { value: fitting(operation.bodySchema) }),
          change('body', { value: fitting(operation.bodySchema) }),
          change('value', { place: places, value: awkward }),
          change('value', { place: places, value: awkward }),
          change('drop', { place: places }),
          change('member', { place: places, name: texts, value: awkward }),
          change('bound', { number: fc.nat(60) }),
          change('bound', { number: fc.nat(60) }),
        ];
  return fc.array(fc.oneof(...general, ...ofBody), { maxLength: 4 });
}

/** Tried in every run: each caller, a body that is not JSON, and each path parameter with a missing resource. */
export function fixedRecipes({ path, bodySchema }: Operation): Recipe[] {
  const parameters = path.match(/\{\w+\}/g) ?? [];
  const asText: Recipe = [{ kind: 'header', name: 'content-type', value: 'text/plain' }];
  return [
    [],
    ...(bodySchema === undefined ? [] : [asText]),
    ...callers.map((as): Recipe => [{ kind: 'caller', as }]),
    ...parameters.flatMap((_, number) =>
      words('not-there NOT_THERE 00000000-0000-4000-8000-000000000000 %').map(
        (text): Recipe => [{ kind: 'segment', number, text }],
      ),
    ),
  ];
}

const rawBodies = fc.oneof(
  fc
    .constantFrom(
      '',
      ...words('{ [] null "text" 1 {"a":1,"a":2} {"__proto__":{"isAdmin":true}}'),
      '\ufeff{}',
      ...words(`{"a":1}} {'a':1} {"a":NaN} {"a":1e400} [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[`),
      `${'['.repeat(5000)}${']'.repeat(5000)}`,
      '{"a":"\\ud800"}',
      '{"a":"\u0000"}',
    )
    .map(text => Buffer.from(text).toString('base64')),
  fc.uint8Array({ maxLength: 40 }).map(bytes => Buffer.from(bytes).toString('base64')),
);

/** Values that match the schema, if they can be generated from it. */
export function fitting(schema: Json, depth = 0): fc.Arbitrary<Json> {
  const node = resolve(schema) ?? {};
  if (node.const !== undefined) return fc.constant(node.const);
  if (node.enum !== undefined) return fc.constantFrom(...node.enum);
  const choices: Json[] | undefined = node.anyOf ?? node.oneOf;
  if (choices !== undefined) return fc.oneof(...choices.map(choice => fitting(choice, depth)));
  const type = Array.isArray(node.type) ? node.type[0] : node.type;
  const examples: Json[] = node.examples ?? [];
  if (type === 'object' || node.properties !== undefined) {
    const required: string[] = node.required ?? [];
    const members = Object.fromEntries(
      Object.entries((node.properties ?? {}) as Record<string, Json>).map(([name, inner]) => [
        name,
        fitting(inner, depth + 1),
      ]),
    );
    const named = fc.record(members, { requiredKeys: required });
    if (typeof node.additionalProperties !== 'object' || Object.keys(members).length > 0) return named;
    const names = fc.constantFrom('A', 'B_2', 'c.d', '__proto__');
    return fc.dictionary(names, fitting(node.additionalProperties, depth + 1), { minKeys: 1, maxKeys: 3 });
  }
  if (type === 'array') {
    const minLength = node.minItems ?? 0;
    return fc.array(fitting(node.items, depth + 1), { minLength, maxLength: minLength + 3 });
  }
  if (type === 'integer' || type === 'number') {
    return fc.integer({ min: node.minimum ?? -1000, max: node.maximum ?? 1_000_000 });
  }
  if (type === 'boolean') return fc.boolean();
  if (type === 'null') return fc.constant(null);
  const candidates: fc.Arbitrary<Json>[] = examples.map(example => fc.constant(example));
  if (node.format === 'uuid') candidates.push(fc.uuid());
  else if (node.format === 'email') candidates.push(fc.uuid().map(id => `${id}@example.com`));
  else if (node.format === 'uri') candidates.push(fc.webUrl());
  else if (node.pattern !== undefined) candidates.push(matching(node.pattern));
  else {
    const minLength = node.minLength ?? 0;
    candidates.push(fc.string({ minLength, maxLength: Math.min(node.maxLength ?? 50, minLength + 50) }));
  }
  return fc.oneof(...candidates);
}

/** Some patterns can't be used to generate values. */
function matching(pattern: string): fc.Arbitrary<string> {
  try {
    return fc.stringMatching(new RegExp(pattern));
  } catch {
    return fc.constantFrom(...awkwardStrings);
  }
}

interface Edit {
  path: (string | number)[];
  value: Json;
}

/** The limits that the schema declares for the body's values, and values just beyond. */
export function boundEdits(schema: Json, path: (string | number)[] = []): Edit[] {
  const node = resolve(schema) ?? {};
  const edits: Edit[] = [];
  const at = (value: Json) => edits.push({ path, value });
  if (typeof node.maxLength === 'number' && node.maxLength <= 70_000) {
    for (const length of [node.maxLength, node.maxLength + 1]) at('x'.repeat(length));
    at('é'.repeat(node.maxLength));
    at('😀'.repeat(Math.min(node.maxLength, 1000)));
  }
  if (typeof node.minLength === 'number') {
    for (const length of [node.minLength - 1, node.minLength]) if (length >= 0) at('x'.repeat(length));
  }
  for (const bound of [node.minimum, node.maximum]) {
    if (typeof bound === 'number') for (const value of [bound - 1, bound, bound + 1]) at(value);
  }
  if (typeof node.maxItems === 'number' && node.maxItems <= 1000) {
    for (const length of [node.maxItems, node.maxItems + 1]) at(Array.from({ length }, (_, index) => `KEY_${index}`));
  }
  if (typeof node.minItems === 'number' && node.minItems > 0) at([]);
  for (const choice of [...(node.anyOf ?? []), ...(node.oneOf ?? []), ...(node.allOf ?? [])]) {
    edits.push(...boundEdits(choice, path));
  }
  for (const [name, inner] of Object.entries((node.properties ?? {}) as Record<string, Json>)) {
    edits.push(...boundEdits(inner, [...path, name]));
  }
  if (node.items !== undefined) edits.push(...boundEdits(node.items, [...path, 0]));
  return edits;
}

/** The body after a change. The index counts all values of the body, starting with the body itself. */
export function changeBody(operation: Operation, body: Json, change: Change): Json {
  const copy = body === undefined ? {} : structuredClone(body);
  if (change.kind === 'body') return change.value;
  if (change.kind === 'bound') {
    const edits = boundEdits(operation.bodySchema);
    const edit = edits[change.number % Math.max(1, edits.length)];
    return edit === undefined ? copy : setAt(copy, edit.path, edit.value);
  }
  if (change.kind !== 'value' && change.kind !== 'drop' && change.kind !== 'member') return copy;
  const all = placesOf(copy);
  const path = all[change.place % all.length] ?? [];
  if (change.kind === 'value') return setAt(copy, path, change.value);
  if (change.kind === 'drop') return path.length === 0 ? undefined : setAt(copy, path, undefined);
  const target = path.reduce((inner: Json, name) => inner?.[name], copy);
  if (typeof target !== 'object' || target === null || Array.isArray(target)) return copy;
  Object.defineProperty(target, change.name, { value: change.value, enumerable: true, configurable: true });
  return copy;
}

function placesOf(value: Json, path: (string | number)[] = []): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return [path];
  const members = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [path, ...members.slice(0, 20).flatMap(([name, inner]) => placesOf(inner, [...path, name]))];
}

function setAt(body: Json, path: (string | number)[], value: Json): Json {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  const target = typeof body === 'object' && body !== null ? body : typeof name === 'number' ? [] : {};
  Object.defineProperty(target, name, {
    value: setAt(target[name], rest, value),
    enumerable: true,
    configurable: true,
    writable: true,
  });
  return target;
}
