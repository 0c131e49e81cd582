import { exitCodes, Failure } from './failure.ts';

/** A key and its value as in the file, which may not be a string. */
export interface Field {
  key: string;
  value: unknown;
}

export function unreadable(name: string, reason: string): Failure {
  return new Failure(exitCodes.other, 'invalid_file', `${name} ${reason}; nothing was changed.`, {
    hint: 'Expected one object of keys and strings, or an export of Doppler, Infisical or AWS Secrets Manager.',
  });
}

interface Document {
  value: unknown;
  /** Keys that one object of the document has more than once. */
  repeated: readonly string[];
}

/** @throws Failure that never quotes the text, as the parser's own errors do */
export function readJson(text: string, name: string): Document {
  try {
    return { value: JSON.parse(text), repeated: repeatedKeys(text) };
  } catch {
    throw unreadable(name, 'is not valid JSON');
  }
}

/** Of valid JSON. The parser silently keeps only the last of several. */
function repeatedKeys(text: string): string[] {
  const repeated: string[] = [];
  const open: (Set<string> | undefined)[] = [];
  for (const [token, isKey] of text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?|[{}[\]]/g)) {
    if (token === '{') open.push(new Set());
    else if (token === '[') open.push(undefined);
    else if (token === '}' || token === ']') open.pop();
    else if (isKey !== undefined) {
      const key = JSON.parse(token.slice(0, token.lastIndexOf('"') + 1)) as string;
      if (open.at(-1)?.has(key)) repeated.push(key);
      open.at(-1)?.add(key);
    }
  }
  return repeated;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The fields of a flat object, or of an export. */
export function fieldsOf({ value, repeated }: Document, name: string): Field[] {
  if (isObject(value) && 'ARN' in value && 'VersionId' in value) return awsFields(value, name);
  return ownFields({ value, repeated }, name);
}

/** A repeated key comes twice, so that it is refused like one that two lines of another format have. */
function ownFields({ value, repeated }: Document, name: string): Field[] {
  return [...knownFields(value, name), ...repeated.map(key => ({ key, value: '' }))];
}

function knownFields(value: unknown, name: string): Field[] {
  if (Array.isArray(value)) return infisicalFields(value, name);
  if (!isObject(value)) throw unreadable(name, 'is neither an object nor a list');
  const fields = Object.entries(value).map(([key, own]) => ({ key, value: own }));
  // `doppler secrets --json`: a value is null if its visibility is restricted.
  const isDoppler = fields.length > 0 && fields.every(field => isObject(field.value) && 'computed' in field.value);
  return isDoppler
    ? fields.map(field => ({ key: field.key, value: (field.value as { computed: unknown }).computed }))
    : fields;
}

/** `infisical export --format=json` */
function infisicalFields(list: readonly unknown[], name: string): Field[] {
  return list.map((one, index) => {
    if (isObject(one) && typeof one.key === 'string' && 'value' in one) return { key: one.key, value: one.value };
    throw unreadable(name, `is a list whose item ${index + 1} has no key and value`);
  });
}

/** `aws secretsmanager get-secret-value` */
function awsFields({ SecretString: secret }: Record<string, unknown>, name: string): Field[] {
  if (typeof secret !== 'string') throw unreadable(name, 'has no SecretString; a binary secret has no keys');
  const { value, repeated } = readJson(secret, `The SecretString of ${name}`);
  if (!isObject(value)) throw unreadable(name, 'has a SecretString that is not an object');
  return ownFields({ value, repeated }, name);
}
