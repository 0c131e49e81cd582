import * as z from 'zod';
import { Slug, Timestamp, UserId } from './text.ts';

/** How a template describes a key for all environments of its project. */
interface Described {
  maxAgeDays?: number | undefined;
  /** By environment id. */
  expiresAt?: Readonly<Record<string, string>> | undefined;
}

const dayMs = 24 * 60 * 60 * 1000;

/** Whether the template says when values of the key are due, in some environment. */
export function canBeDue({ maxAgeDays, expiresAt }: Described): boolean {
  return maxAgeDays !== undefined || expiresAt !== undefined;
}

/** When the current value of a key is due: at the end of its age, or when it expires, whichever is earlier. Pure. */
export function dueAtOf({ maxAgeDays, expiresAt }: Described, environmentId: string, writtenAt: string): string | null {
  const ends = [
    ...(maxAgeDays === undefined ? [] : [Date.parse(writtenAt) + maxAgeDays * dayMs]),
    ...(expiresAt?.[environmentId] === undefined ? [] : [Date.parse(expiresAt[environmentId])]),
  ];
  return ends.length === 0 ? null : new Date(Math.min(...ends)).toISOString();
}

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
