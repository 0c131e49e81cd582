import * as z from 'zod';
import { type Described, dueAtOf } from './due-dates.ts';
import { Slug, Timestamp, UserId } from './text.ts';

export const maximumTags = 10;

export const Tag = Slug.meta({ description: 'A tag.', example: 'payments' });

/** What `describe=true` adds to a key. */
export const describedFields = {
  description: z
    .string()
    .nullable()
    .optional()
    .meta({ description: 'The template’s description of the key. Only with `describe`.', example: 'Main database.' }),
  tags: z
    .array(z.string())
    .optional()
    .meta({ description: 'The key’s tags. Only with `describe`.', example: ['payments'] }),
  owner: UserId.nullable().optional().describe('Who renews its values; null for nobody. Only with `describe`.'),
  dueAt: Timestamp.nullable()
    .optional()
    .describe('When the value has to be renewed; null for never. Only with `describe`.'),
};

interface Catalogued extends Described {
  key: string;
  description?: string | undefined;
  tags?: readonly string[] | undefined;
  owner?: string | undefined;
}

/** Adds to keys what the template says about them. Pure. */
export function describeKeys<K extends { key: string; updatedAt: string }>(
  secrets: readonly K[],
  template: readonly Catalogued[],
  environmentId: string,
) {
  const byKey = new Map(template.map(catalogued => [catalogued.key, catalogued]));
  return secrets.map(secret => {
    const found = byKey.get(secret.key);
    return {
      ...secret,
      description: found?.description ?? null,
      tags: [...(found?.tags ?? [])],
      owner: found?.owner ?? null,
      dueAt: found === undefined ? null : dueAtOf(found, environmentId, secret.updatedAt),
    };
  });
}
