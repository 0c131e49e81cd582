import * as z from 'zod';
import { maxKeysPerChange } from './secret-rules.ts';
import { Message, SecretKey, SecretValue } from './text.ts';

export const ExpectedVersion = z
  .int()
  .min(0, { message: 'must be 0 or more' })
  .meta({ description: 'The version that the key must have; 0 if it must not exist.', example: 2 });

const SetEntry = z.strictObject({
  key: SecretKey.meta({ description: 'The secret’s key.', example: 'DATABASE_HOST' }),
  value: SecretValue.meta({ description: 'The value.', example: 'db.internal.example' }),
  expectedVersion: ExpectedVersion.optional(),
});

/** The length is checked before any item, so that a body with a million wrong items yields one problem. */
function boundedList<Item extends z.ZodType>(item: Item) {
  const message = `must have at most ${maxKeysPerChange} items`;
  return z
    .array(z.unknown())
    .max(maxKeysPerChange, { message, abort: true })
    .pipe(z.array(item))
    .meta({ documentedAs: () => z.array(item).max(maxKeysPerChange) });
}

/** Sets and deletions, from 1 to 1,000 together, that name each key once. */
export const ChangesBody = z
  .strictObject({
    set: boundedList(SetEntry)
      .default([])
      .meta({
        description: 'The secrets to set.',
        example: [{ key: 'DATABASE_HOST', value: 'db.internal.example', expectedVersion: 2 }],
      }),
    delete: boundedList(SecretKey)
      .default([])
      .meta({ description: 'The keys to delete. All of them must exist.', example: ['LOG_LEVEL'] }),
    message: Message.optional(),
  })
  .superRefine(({ set, delete: deletions }, context) => {
    const count = set.length + deletions.length;
    if (count < 1 || count > maxKeysPerChange) {
      context.addIssue({ code: 'custom', message: `must set and delete 1 to ${maxKeysPerChange} secrets` });
    }
    const named = [
      ...set.map(({ key }, index) => ({ key, path: ['set', index, 'key'] })),
      ...deletions.map((key, index) => ({ key, path: ['delete', index] })),
    ];
    const seen = new Map<string, string>();
    for (const { key, path } of named) {
      const first = seen.get(key);
      if (first === undefined) seen.set(key, path.join('.'));
      else context.addIssue({ code: 'custom', path, message: `is a duplicate of ${first}` });
    }
  });
export type Changes = z.infer<typeof ChangesBody>;
