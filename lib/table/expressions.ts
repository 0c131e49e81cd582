/**
 * Conditions and updates as data. They become DynamoDB expressions with generated placeholders in one place, so that
 * no reserved word and no value ever stands in an expression's text.
 */
export type Test = { op: '=' | '<' | '<=' | '>' | '>='; value: unknown } | { op: 'exists' } | { op: 'absent' };

/** Each attribute path (dots go into maps) with its test; all must hold. A list of such objects: any may hold. */
export type Condition = Readonly<Record<string, Test>>;
export type Conditions = Condition | readonly Condition[];

export const equals = (value: unknown): Test => ({ op: '=', value });
export const lessThan = (value: number | string): Test => ({ op: '<', value });
export const atMost = (value: number | string): Test => ({ op: '<=', value });
export const greaterThan = (value: number | string): Test => ({ op: '>', value });
export const atLeast = (value: number | string): Test => ({ op: '>=', value });
export const exists: Test = { op: 'exists' };
export const absent: Test = { op: 'absent' };

/** The item does not exist yet. */
export const isNew: Condition = { pk: absent };
/** The item exists. */
export const isThere: Condition = { pk: exists };

/** What an update does. `set` of undefined removes the attribute; `add` adds to a number, from 0 where absent. */
export interface Changes {
  set?: Readonly<Record<string, unknown>>;
  /** Set where the attribute is not there yet, else left as it is. */
  setIfAbsent?: Readonly<Record<string, unknown>>;
  add?: Readonly<Record<string, number>>;
  remove?: readonly string[];
}

export interface Expressions {
  ConditionExpression?: string;
  UpdateExpression?: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Record<string, unknown>;
}

/** Renders a condition and an update with one shared set of placeholders. Pure. */
export function render(conditions: Conditions | undefined, changes?: Changes): Expressions {
  const names = new Map<string, string>();
  const values: Record<string, unknown> = {};
  const name = (path: string) =>
    path
      .split('.')
      .map(part => {
        const known = names.get(part);
        if (known !== undefined) return known;
        const placeholder = `#${names.size}`;
        names.set(part, placeholder);
        return placeholder;
      })
      .join('.');
  const value = (content: unknown) => {
    const placeholder = `:${Object.keys(values).length}`;
    values[placeholder] = content;
    return placeholder;
  };
  const test = (path: string, { op, ...rest }: Test) => {
    if (op === 'exists') return `attribute_exists(${name(path)})`;
    if (op === 'absent') return `attribute_not_exists(${name(path)})`;
    return `${name(path)} ${op} ${value('value' in rest ? rest.value : undefined)}`;
  };
  const all = (condition: Condition) =>
    Object.entries(condition)
      .map(([path, wanted]) => test(path, wanted))
      .join(' AND ');

  const expressions: Expressions = {};
  if (conditions !== undefined) {
    const alternatives = Array.isArray(conditions) ? (conditions as readonly Condition[]) : [conditions as Condition];
    expressions.ConditionExpression = alternatives
      .map(alternative => (alternatives.length > 1 ? `(${all(alternative)})` : all(alternative)))
      .join(' OR ');
  }
  if (changes !== undefined) {
    const set = Object.entries(changes.set ?? {}).filter(([, content]) => content !== undefined);
    const removed = [
      ...(changes.remove ?? []),
      ...Object.entries(changes.set ?? {})
        .filter(([, content]) => content === undefined)
        .map(([path]) => path),
    ];
    const clauses: string[] = [];
    const assignments = [
      ...set.map(([path, content]) => `${name(path)} = ${value(content)}`),
      ...Object.entries(changes.setIfAbsent ?? {}).map(
        ([path, content]) => `${name(path)} = if_not_exists(${name(path)}, ${value(content)})`,
      ),
    ];
    if (assignments.length > 0) clauses.push(`SET ${assignments.join(', ')}`);
    const added = Object.entries(changes.add ?? {});
    if (added.length > 0) clauses.push(`ADD ${added.map(([path, by]) => `${name(path)} ${value(by)}`).join(', ')}`);
    if (removed.length > 0) clauses.push(`REMOVE ${removed.map(name).join(', ')}`);
    expressions.UpdateExpression = clauses.join(' ');
  }
  if (names.size > 0) {
    expressions.ExpressionAttributeNames = Object.fromEntries(
      [...names].map(([path, placeholder]) => [placeholder, path]),
    );
  }
  if (Object.keys(values).length > 0) expressions.ExpressionAttributeValues = values;
  return expressions;
}
