import * as z from 'zod';

export interface Key {
  pk: string;
  sk: string;
}

/** An upgrade step: the attributes of format n → those of format n + 1. */
export type Upgrade = (attributes: Record<string, unknown>) => Record<string, unknown>;

/**
 * One kind of item. Every item stores its kind (`kind`) and format version (`v`). Reading validates the item and
 * converts older formats with `upgrades` (index 0 upgrades the oldest one).
 */
export interface Entity<R, KeyInput extends readonly unknown[]> {
  readonly kind: string;
  readonly formatVersion: number;
  readonly key: (...input: KeyInput) => Key;
  /** The item as stored, given its key's parts. */
  toItem(key: Key, record: R): Record<string, unknown>;
  /** @throws Error with the item's key and the names of invalid attributes, never their values */
  readonly parse: (item: Record<string, unknown>) => R;
}

export function entity<Schema extends z.ZodType<object>, KeyInput extends readonly unknown[]>(definition: {
  kind: string;
  key: (...input: KeyInput) => Key;
  schema: Schema;
  /** The oldest format that can still be read. */
  oldestFormat?: number;
  upgrades?: readonly Upgrade[];
}): Entity<z.output<Schema>, KeyInput> {
  const { upgrades = [], oldestFormat = 1 } = definition;
  const formatVersion = oldestFormat + upgrades.length;
  let schema: Schema | undefined;
  return {
    kind: definition.kind,
    formatVersion,
    key: definition.key,
    toItem: (key, record) => ({ ...key, kind: definition.kind, v: formatVersion, ...record }),
    parse: item => {
      const { pk, sk, kind, v, ...attributes } = item;
      if (kind !== definition.kind || typeof v !== 'number' || v < oldestFormat || v > formatVersion) {
        throw new Error(
          `The item ${String(pk)} / ${String(sk)} is of kind ${String(kind)}, format ${String(v)}; expected ${definition.kind} up to format ${formatVersion}.`,
        );
      }
      const current = upgrades.slice(v - oldestFormat).reduce((older, upgrade) => upgrade(older), attributes);
      // Read once: in the bundles this builds the schema, which most requests never do.
      schema ??= definition.schema;
      const parsed = schema.safeParse(current);
      if (!parsed.success) {
        const where = parsed.error.issues.map(issue => `${issue.path.join('.')} (${issue.code})`).join(', ');
        throw new Error(`The item ${String(pk)} / ${String(sk)} of kind ${definition.kind} does not parse: ${where}.`);
      }
      return parsed.data;
    },
  };
}

/** Bytes as DynamoDB returns them. */
export const Bytes = z.custom<Uint8Array>(value => value instanceof Uint8Array);

/** Epoch seconds after which DynamoDB removes the item. Removal is delayed, so readers must check this too. */
export const ExpiresAt = z.int().nonnegative();
