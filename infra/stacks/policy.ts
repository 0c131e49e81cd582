/** A statement of a role's policy, as in the template. */
export interface Statement {
  Effect: 'Allow' | 'Deny';
  Sid: string;
  Action: string | string[];
  Resource: unknown;
  Condition?: Record<string, Record<string, unknown>>;
}

interface RoleInTemplate {
  Properties: { Policies: { PolicyDocument: { Statement: Statement[] } }[] };
}

export function statementsOf({ Properties }: RoleInTemplate): Statement[] {
  return Properties.Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
}

/** What IAM checks for a call: the action, with the condition keys that the policies test. */
export interface AskedRight {
  action: string;
  keys: Readonly<Record<string, readonly string[]>>;
  /** The table or key that is called, by `resourceName`. Not compared if it is left out. */
  resource?: string;
}

/** The condition keys of a call to KMS with an encryption context. */
export function contextKeys(context: Readonly<Record<string, string>>): AskedRight['keys'] {
  return {
    'kms:EncryptionContextKeys': Object.keys(context),
    ...Object.fromEntries(Object.entries(context).map(([name, value]) => [`kms:EncryptionContext:${name}`, [value]])),
  };
}

/**
 * The name of a table or key, from its name or ARN in a template. An import is named after its resource, because the same
 * one is imported by its name in one place and by its ARN in another. Pure.
 */
export function resourceName(value: unknown): string {
  if (typeof value === 'string') return value.slice(value.lastIndexOf('/') + 1);
  const text = JSON.stringify(value);
  const [, named] = /:(?:table|key)\/([\w.-]+)"/.exec(text) ?? [];
  const [, imported] = /ExportsOutput(?:FnGetAtt|Ref)([A-Za-z]+?[0-9A-F]{8})/.exec(text) ?? [];
  return named ?? imported ?? text;
}

/** Whether a role's statements allow a call, as IAM evaluates it: one allows it and none denies it. */
export function isAllowed(statements: readonly Statement[], asked: AskedRight): boolean {
  const speaking = statements.filter(statement => speaksOf(statement, asked));
  return speaking.some(({ Effect }) => Effect === 'Allow') && speaking.every(({ Effect }) => Effect === 'Allow');
}

/** Whether a statement names the action and all its conditions hold. */
function speaksOf({ Action, Resource, Condition = {} }: Statement, { action, keys, resource }: AskedRight): boolean {
  return (
    [Action].flat().includes(action) &&
    (resource === undefined || [Resource].flat().some(one => resourceName(one) === resource)) &&
    Object.entries(Condition).every(([operator, tests]) =>
      Object.entries(tests).every(([key, wanted]) => holds(operator, keys[key] ?? [], [wanted].flat() as string[])),
    )
  );
}

function holds(operator: string, values: readonly string[], wanted: readonly string[]): boolean {
  switch (operator) {
    case 'ForAllValues:StringLike':
      return values.every(value => wanted.some(pattern => isLike(value, pattern)));
    case 'ForAllValues:StringEquals':
      return values.every(value => wanted.includes(value));
    case 'ForAnyValue:StringEquals':
      return values.some(value => wanted.includes(value));
    case 'StringEquals':
      return values.length > 0 && values.every(value => wanted.includes(value));
    case 'Null':
      return wanted[0] === String(values.length === 0);
    default:
      throw new Error(`The policies have an operator that the tests do not know: ${operator}.`);
  }
}

function isLike(value: string, pattern: string): boolean {
  return pattern.endsWith('*') ? value.startsWith(pattern.slice(0, -1)) : value === pattern;
}
