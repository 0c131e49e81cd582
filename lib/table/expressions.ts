/**
 * Conditions and updates as data, checked against their record's type. One function renders them with generated
 * placeholders, so that no expression contains a reserved word or a value.
 */

type Name<R> = keyof R & string;

type IsMap<V> = V extends readonly unknown[] | Uint8Array | ReadonlySet<unknown>
  ? false
  : V extends object
    ? true
    : false;

/** The attributes of a record, and those of its maps, one level deep: `pending`, `pending.heartbeat`. */
export type Path<R> =
  | Name<R>
  | {
      [N in Name<R>]: true extends IsMap<NonNullable<R[N]>> ? `${N}.${Name<NonNullable<R[N]>>}` : never;
    }[Name<R>];

export type ValueAt<R, P extends string> = P extends keyof R
  ? R[P]
  : P extends `${infer N extends Name<R>}.${infer Inner}`
    ? NonNullable<R[N]>[Inner & keyof NonNullable<R[N]>]
    : never;

type PathTo<R, V> = { [P in Path<R>]: NonNullable<ValueAt<R, P>> extends V ? P : never }[Path<R>];

export type Test<V> =
  | { readonly op: '='; readonly value: Exclude<V, undefined> }
  | { readonly op: '<' | '<=' | '>' | '>='; readonly value: Extract<V, number | string> }
  | Presence
  | (V extends ReadonlySet<infer Element> ? SetTest<Element> : never);
type SetTest<Element> = { readonly op: 'includes'; readonly value: Element };
type Presence = { readonly op: 'exists' } | { readonly op: 'absent' };

/**
 * Tests by path; all must hold. Annotate a condition that is built apart from its write with this type, because
 * TypeScript only reports unknown names in literals.
 */
export type Condition<R> = TestsByPath<R> & { readonly pk?: Presence };
type TestsByPath<R> = { readonly [P in Path<R>]?: Test<ValueAt<R, P>> | readonly Test<ValueAt<R, P>>[] };
export type Conditions<R> = Condition<R> | readonly Condition<R>[];

export const equals = <const V>(value: V) => ({ op: '=', value }) as const;
export const lessThan = <const V extends number | string>(value: V) => ({ op: '<', value }) as const;
export const atMost = <const V extends number | string>(value: V) => ({ op: '<=', value }) as const;
export const greaterThan = <const V extends number | string>(value: V) => ({ op: '>', value }) as const;
export const atLeast = <const V extends number | string>(value: V) => ({ op: '>=', value }) as const;
export const exists = { op: 'exists' } as const;
export const absent = { op: 'absent' } as const;
export const includes = <const V>(value: V) => ({ op: 'includes', value }) as const;

export const isNew = { pk: absent } as const;
export const isThere = { pk: exists } as const;

/** The item belongs to this resource, which is not being erased. */
export const isActive = (id: string) => ({ id: equals(id), status: equals('active') }) as const;

export function asRead<R, N extends Name<R>>(record: R, names: readonly N[]): Condition<R> {
  const tests = names.map(name => [name, record[name] === undefined ? absent : equals(record[name])]);
  return Object.fromEntries(tests) as Condition<R>;
}

/** One attribute with a name chosen at run time, from names derived from the record (see `Condition`). */
export function attribute<N extends string, V>(name: N, value: V): { readonly [Chosen in N]: V } {
  return { [name]: value } as { readonly [Chosen in N]: V };
}

export interface Changes<R> {
  /** Setting undefined removes the attribute, which only optional attributes allow. */
  readonly set?: { readonly [P in Path<R>]?: ValueAt<R, P> };
  readonly setIfAbsent?: { readonly [P in Path<R>]?: ValueAt<R, P> };
  /** Adds to a number, which counts as 0 if it is absent. */
  readonly add?: { readonly [P in PathTo<R, number>]?: number };
  readonly discard?: { readonly [P in PathTo<R, ReadonlySet<unknown>>]?: NonNullable<ValueAt<R, P>> };
}

/** Conditions and changes for any record, already checked as `Conditions` and `Changes`. */
export type AnyConditions = AnyCondition | readonly AnyCondition[];
type AnyCondition = Readonly<Record<string, AnyTest | readonly AnyTest[] | undefined>>;
interface AnyTest {
  readonly op: string;
  readonly value?: unknown;
}
export type AnyChanges = { readonly [Kind in keyof Changes<never>]?: Readonly<Record<string, unknown>> };

export interface Expressions {
  ConditionExpression?: string;
  UpdateExpression?: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Record<string, unknown>;
}

export function render(conditions: AnyConditions | undefined, changes?: AnyChanges): Expressions {
  const names: string[] = [];
  const values: unknown[] = [];
  const nameOf = (part: string) => `#${names.includes(part) ? names.indexOf(part) : names.push(part) - 1}`;
  const placeholders: Placeholders = {
    path: path => path.split('.').map(nameOf).join('.'),
    value: content => `:${values.push(content) - 1}`,
  };
  const numbered = <T>(sign: string, contents: readonly T[]) =>
    Object.fromEntries(contents.map((content, index) => [`${sign}${index}`, content]));
  return {
    ...(conditions === undefined ? {} : { ConditionExpression: conditionText(conditions, placeholders) }),
    ...(changes === undefined ? {} : { UpdateExpression: updateText(changes, placeholders) }),
    ...(names.length === 0 ? {} : { ExpressionAttributeNames: numbered('#', names) }),
    ...(values.length === 0 ? {} : { ExpressionAttributeValues: numbered(':', values) }),
  };
}

type Placeholders = { path(path: string): string; value(content: unknown): string };

function conditionText(conditions: AnyConditions, { path, value }: Placeholders): string {
  const test = (name: string, { op, value: operand }: AnyTest): string => {
    switch (op) {
      case 'exists':
        return `attribute_exists(${path(name)})`;
      case 'absent':
        return `attribute_not_exists(${path(name)})`;
      case 'includes':
        return `contains(${path(name)}, ${value(operand)})`;
      default:
        return `${path(name)} ${op} ${value(operand)}`;
    }
  };
  const alternatives = [conditions].flat().map(condition =>
    entriesOf(condition)
      .flatMap(([name, tests]) => [tests].flat().map(each => test(name, each)))
      .join(' AND '),
  );
  return alternatives.length === 1 ? alternatives.join() : alternatives.map(text => `(${text})`).join(' OR ');
}

function updateText(changes: AnyChanges, { path, value }: Placeholders): string {
  const { set = {}, setIfAbsent = {}, add = {}, discard = {} } = changes;
  const unlessThere = (name: string, content: unknown) => `if_not_exists(${path(name)}, ${value(content)})`;
  const assignments = [
    ...entriesOf(set).map(([name, content]) => `${path(name)} = ${value(content)}`),
    ...entriesOf(setIfAbsent).map(([name, content]) => `${path(name)} = ${unlessThere(name, content)}`),
  ];
  const operands = (of: Readonly<Record<string, unknown>>) =>
    entriesOf(of).map(([name, content]) => `${path(name)} ${value(content)}`);
  const removals = Object.keys(set).filter(name => set[name] === undefined);
  const clauses = { SET: assignments, ADD: operands(add), DELETE: operands(discard), REMOVE: removals.map(path) };
  return entriesOf(clauses)
    .filter(([, parts]) => parts.length > 0)
    .map(([clause, parts]) => `${clause} ${parts.join(', ')}`)
    .join(' ');
}

function entriesOf<T>(of: Readonly<Record<string, T | undefined>>): [string, T][] {
  return Object.entries(of).filter((entry): entry is [string, T] => entry[1] !== undefined);
}
