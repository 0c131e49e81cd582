import * as z from 'zod';

export interface Key {
  pk: string;
  sk: string;
}

/** An upgrade step: the attributes of format n → those of format n + 1. */
export type Upgrade = (attributes: Record<string, unknown>) => Record<string, unknown>;

/**
 * One kind of item, stored with its kind (`kind`) and format (`v`). Reading validates it and upgrades older formats.
 */
export interface Entity<R, KeyInput extends readonly unknown[]> {
  readonly kind: string;
  readonly formatVersion: number;
  readonly key: (...input: KeyInput) => Key;
  toItem(key: Key, record: R): Record<string, unknown>;
  /** @throws Error with the item's key and the names of invalid attributes, never their values */
  readonly parse: (item: Record<string, unknown>) => R;
}

type RecordOf<Attributes> = Attributes extends z.ZodType
  ? z.output<Attributes>
  : Attributes extends z.ZodRawShape
    ? z.output<z.ZodObject<Attributes>>
    : never;

/**
 * Declares a kind of item by the schemas of its attributes, or by one schema for all of them. In the bundles they are a
 * function, which most requests never call (`infra/build/lean-modules.ts`).
 */
export function entity<Attributes extends z.ZodRawShape | z.ZodType<object>, KeyInput extends readonly unknown[]>(
  kind: string,
  key: (...input: KeyInput) => Key,
  attributes: Attributes,
  { oldestFormat = 1, upgrades = [] }: { oldestFormat?: number; upgrades?: readonly Upgrade[] } = {},
): Entity<RecordOf<Attributes>, KeyInput> {
  const formatVersion = oldestFormat + upgrades.length;
  let schema: z.ZodType<RecordOf<Attributes>> | undefined;
  return {
    kind,
    formatVersion,
    key,
    toItem: (itemKey, record) => ({ ...itemKey, kind, v: formatVersion, ...record }),
    parse: item => {
      const { pk, sk, kind: itemKind, v, ...stored } = item;
      const name = `${String(pk)} / ${String(sk)}`;
      if (itemKind !== kind || typeof v !== 'number' || v < oldestFormat || v > formatVersion) {
        throw new Error(
          `The item ${name} is of kind ${String(itemKind)}, format ${String(v)}; expected ${kind} up to format ${formatVersion}.`,
        );
      }
      schema ??= schemaOf(attributes) as z.ZodType<RecordOf<Attributes>>;
      const upgraded = upgrades.slice(v - oldestFormat).reduce((older, upgrade) => upgrade(older), stored);
      const parsed = schema.safeParse(upgraded);
      if (parsed.success) return parsed.data;
      const where = parsed.error.issues.map(issue => `${issue.path.join('.')} (${issue.code})`).join(', ');
      throw new Error(`The item ${name} of kind ${kind} does not parse: ${where}.`);
    },
  };
}

type Attributes = z.ZodRawShape | z.ZodType;

function schemaOf(declared: Attributes | (() => Attributes)): z.ZodType {
  const attributes = typeof declared === 'function' ? declared() : declared;
  return 'safeParse' in attributes ? (attributes as z.ZodType) : z.object(attributes as z.ZodRawShape);
}

/** Bytes as DynamoDB returns them. */
export const Bytes = z.custom<Uint8Array>(value => value instanceof Uint8Array);

/** Epoch seconds after which DynamoDB removes the item. Removal is delayed, so readers must check this too. */
export const ExpiresAt = z.int().nonnegative();
