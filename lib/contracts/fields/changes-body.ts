import * as z from 'zod';
import { DotenvDialect, DotenvText, type ReadDotenv, readDotenvField } from './dotenv-text.ts';
import { type Generate, newSecret } from './generate.ts';
import { ExpectedVersion } from './preconditions.ts';
import { maxKeysPerChange } from './secret-rules.ts';
import { Message, SecretKey } from './text.ts';

const SetEntry = newSecret({ expectedVersion: ExpectedVersion.optional() });

/** The length is checked before any item, so that a body with a million wrong items yields one problem. */
function boundedList<Item extends z.ZodType>(item: Item) {
  const message = `must have at most ${maxKeysPerChange} items`;
  return z
    .array(z.unknown())
    .max(maxKeysPerChange, { message, abort: true })
    .pipe(z.array(item))
    .meta({ documentedAs: () => z.array(item).max(maxKeysPerChange) });
}

const changesFields = {
  delete: boundedList(SecretKey)
    .default([])
    .meta({ description: 'Existing keys to delete.', example: ['LOG_LEVEL'] }),
  message: Message.optional(),
};
const setList = boundedList(SetEntry).meta({
  description: 'The secrets to set.',
  example: [{ key: 'DATABASE_HOST', value: 'db.internal.example', expectedVersion: 2 }],
});

/** A key, and either its value or how to generate one. */
export interface NewSecret {
  key: string;
  value?: string | undefined;
  expand?: boolean | undefined;
  generate?: Generate | undefined;
  expectedVersion?: number | undefined;
}

export interface Changes extends Omit<ReadDotenv, 'secrets'> {
  set: NewSecret[];
  delete: string[];
  message?: string | undefined;
}

/** The fields before they are read, for bodies that may hold something else instead. */
export const changesBodyFields = {
  ...changesFields,
  set: setList.optional(),
  dotenv: DotenvText.optional(),
  dialect: DotenvDialect.optional(),
};
const BodyFields = z.strictObject(changesBodyFields);

/** What such a body sets and deletes. */
export function readChanges(body: z.output<typeof BodyFields>, report: Report): Changes {
  const { dotenv, dialect, set: listed = [], ...rest } = body;
  if (dotenv !== undefined && body.set !== undefined) report([], 'must not have both set and dotenv');
  if (dotenv === undefined && dialect !== undefined) report(['dialect'], 'must not be given without dotenv');
  const read = dotenv === undefined ? { secrets: listed } : readDotenvField(dotenv, dialect, report);
  if (read === undefined) return { ...rest, set: [] };
  const { secrets, ...ambiguity } = read;
  requireEachOnce({ set: secrets, delete: rest.delete }, dotenv !== undefined, report);
  return { ...rest, set: secrets, ...ambiguity };
}

/** The two ways to write it, for the documentation. @param more fields that it may have in addition */
export const documentedChanges = (more: z.ZodRawShape = {}) => [
  z
    .strictObject({ ...changesFields, ...more, set: setList.default([]) })
    .describe('Lists of what to set and what to delete.'),
  z
    .strictObject({ ...changesFields, ...more, dotenv: DotenvText, dialect: DotenvDialect.optional() })
    .describe('What to set as the text of a dotenv file.'),
];

/** Sets and deletions, from 1 to 1,000 together, that name each key once. What is set is a list or dotenv text. */
export const ChangesBody = BodyFields.transform(
  (body, context): Changes => readChanges(body, (path, message) => context.addIssue({ code: 'custom', path, message })),
).meta({ documentedAs: () => z.xor(documentedChanges()) });

export type Report = (path: (string | number)[], message: string) => void;

function requireEachOnce(
  { set: entries, delete: deletions }: Pick<Changes, 'set' | 'delete'>,
  isText: boolean,
  report: Report,
): void {
  const count = entries.length + deletions.length;
  if (count < 1 || count > maxKeysPerChange) report([], `must set and delete 1 to ${maxKeysPerChange} secrets`);
  const named = [
    ...entries.map(({ key }, index) => ({ key, path: isText ? ['dotenv'] : ['set', index, 'key'] })),
    ...deletions.map((key, index) => ({ key, path: ['delete', index] })),
  ];
  const seen = new Map<string, string>();
  for (const { key, path } of named) {
    const first = seen.get(key);
    if (first === undefined) seen.set(key, path.join('.'));
    else report(path, first === 'dotenv' ? 'is also set by dotenv' : `is a duplicate of ${first}`);
  }
}
