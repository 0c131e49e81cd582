import * as z from 'zod';
import { DotenvDialect, DotenvText, type ReadDotenv, readDotenvField } from './dotenv-text.ts';
import { problemsOf } from './messages.ts';
import { maxKeysPerChange } from './secret-rules.ts';
import { Expand, Message, SecretKey, SecretValue } from './text.ts';

export interface Import extends Omit<ReadDotenv, 'secrets'> {
  secrets: { key: string; value: string; expand?: boolean | undefined }[];
  message?: string | undefined;
}

const countMessage = `must have 1 to ${maxKeysPerChange} secrets`;

const ListEntry = z.strictObject({
  key: SecretKey.meta({ description: 'The secret’s key.', example: 'DATABASE_HOST' }),
  value: SecretValue.meta({ description: 'The value.', example: 'db.internal.example' }),
  expand: Expand.optional(),
});

/** The three forms, for the documentation only; `ImportBody` parses by hand. */
const documentedForms = () =>
  z.xor([
    documentedForm('A list of keys and values.', {
      secrets: z.array(ListEntry).min(1).max(maxKeysPerChange).describe('A list without duplicate keys.'),
    }),
    documentedForm('An object of values by key.', {
      secrets: z
        .record(SecretKey, SecretValue)
        .meta({ description: 'Values by key.', minProperties: 1, maxProperties: maxKeysPerChange }),
    }),
    documentedForm('The text of a dotenv file.', { dotenv: DotenvText, dialect: DotenvDialect.optional() }),
  ]);

function documentedForm(description: string, content: z.ZodRawShape) {
  return z.strictObject({ ...content, message: Message.optional() }).describe(description);
}

type Report = (path: (string | number)[], message: string) => void;

function fromList(list: unknown[], report: Report): Import['secrets'] {
  if (list.length < 1 || list.length > maxKeysPerChange) {
    report(['secrets'], countMessage);
    return [];
  }
  const secrets: Import['secrets'] = [];
  const seen = new Map<string, number>();
  for (const [index, item] of list.entries()) {
    const parsed = ListEntry.safeParse(item);
    if (!parsed.success) {
      for (const { path, message } of parsed.error.issues.flatMap(problemsOf)) {
        report(['secrets', index, ...(path === '' ? [] : [path])], message);
      }
      continue;
    }
    const first = seen.get(parsed.data.key);
    if (first !== undefined) report(['secrets', index, 'key'], `is a duplicate of secrets.${first}.key`);
    else seen.set(parsed.data.key, index);
    secrets.push(parsed.data);
  }
  return secrets;
}

/** Reads own entries, so that `__proto__`, which JSON.parse makes an own property, is treated like any other key. */
function fromMap(map: object, report: Report): Import['secrets'] {
  const entries = Object.entries(map);
  if (entries.length < 1 || entries.length > maxKeysPerChange) {
    report(['secrets'], countMessage);
    return [];
  }
  return entries.map(([key, value]) => {
    const path = ['secrets', key.slice(0, 256)];
    for (const schema of [SecretKey.safeParse(key), SecretValue.safeParse(value)]) {
      for (const issue of schema.error?.issues ?? []) report(path, issue.message);
    }
    return { key, value: value as string };
  });
}

function fromDotenv(source: unknown, dialect: unknown, report: Report): ReadDotenv {
  const read = readDotenvField(source, dialect, report);
  const count = read?.secrets.length;
  if (count !== undefined && (count < 1 || count > maxKeysPerChange)) report(['dotenv'], countMessage);
  return read ?? { secrets: [] };
}

const fields: readonly string[] = ['secrets', 'dotenv', 'dialect', 'message'];

/**
 * The body of an import in any of its three forms, with every problem reported at once. Parsed by hand, because zod's
 * record drops the key `__proto__`, and its union would report problems of forms that the caller didn't use.
 */
export const ImportBody = z
  .unknown()
  .transform((body, context): Import => {
    const report: Report = (path, message) => context.addIssue({ code: 'custom', path, message });
    if (typeof body !== 'object' || body === null || Array.isArray(body)) {
      report([], 'must be an object with secrets or dotenv');
      return z.NEVER;
    }
    const { secrets: given, dotenv, dialect, message }: Partial<Record<string, unknown>> = { ...body };
    const keys = Object.keys(body).filter(name => !fields.includes(name));
    if (keys.length > 0) context.issues.push({ code: 'unrecognized_keys', keys, input: body } as z.core.$ZodRawIssue);
    if ((given === undefined) === (dotenv === undefined)) report([], 'must have either secrets or dotenv');
    let read: Omit<Import, 'message'> = { secrets: [] };
    if (given !== undefined) {
      if (Array.isArray(given)) read = { secrets: fromList(given, report) };
      else if (typeof given === 'object' && given !== null) read = { secrets: fromMap(given, report) };
      else report(['secrets'], 'must be a list of {key, value} or an object of values by key');
    }
    if (dotenv !== undefined) read = fromDotenv(dotenv, dialect, report);
    else if (dialect !== undefined) report(['dialect'], 'must not be given without dotenv');
    const why = Message.optional().safeParse(message);
    for (const issue of why.error?.issues ?? []) report(['message'], issue.message);
    return { ...read, message: why.data };
  })
  .meta({ documentedAs: documentedForms });
