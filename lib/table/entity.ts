import * as z from 'zod';

export interface Key {
  pk: string;
  sk: string;
}

type Stored = Readonly<Record<string, unknown>>;

/** Converts the attributes of format n to those of format n + 1. */
export type Upgrade = (attributes: Record<string, unknown>) => Record<string, unknown>;

/**
 * Names optional attributes whose absence grants something. Only items that have one are written in the new format, so
 * older code, which would ignore the attribute, rejects those items and still reads all others.
 */
type Restriction<Name> = readonly Name[];

/**
 * One kind of item, stored with its kind (`kind`) and format (`v`). Reading validates it and upgrades older formats.
 */
export interface Entity<R, KeyInput extends readonly unknown[]> {
  readonly kind: string;
  readonly formatVersion: number;
  /** The attributes whose absence grants something. */
  readonly restricting: readonly string[];
  readonly schema: () => z.ZodType<R>;
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
  { oldestFormat = 1, upgrades = [] }: Formats<Extract<keyof RecordOf<Attributes>, string>> = {},
): Entity<RecordOf<Attributes>, KeyInput> {
  const formatVersion = oldestFormat + upgrades.length;
  const conversions = upgrades.map(step => (typeof step === 'function' ? step : undefined));
  const restricting = upgrades.flatMap(step => (typeof step === 'function' ? [] : step));
  const formatOf = (record: Stored) =>
    oldestFormat + 1 + upgrades.findLastIndex(step => typeof step === 'function' || restricts(record, step));
  let created: z.ZodType<RecordOf<Attributes>> | undefined;
  const schema = () => {
    created ??= schemaOf(attributes) as z.ZodType<RecordOf<Attributes>>;
    return created;
  };
  return {
    kind,
    formatVersion,
    restricting,
    schema,
    key,
    toItem: (itemKey, record) => ({ ...itemKey, kind, v: formatOf(record as Stored), ...record }),
    parse: item => {
      const { pk, sk, kind: itemKind, v, ...stored } = item;
      const name = `${String(pk)} / ${String(sk)}`;
      if (itemKind !== kind || typeof v !== 'number' || v < oldestFormat || v > formatVersion) {
        throw new Error(
          `The item ${name} is of kind ${String(itemKind)}, format ${String(v)}; expected ${kind} up to format ${formatVersion}.`,
        );
      }
      // An update that sets a restricting attribute raises the format without converting the others.
      const first = restricting.length > 0 ? 0 : v - oldestFormat;
      const upgraded = conversions.slice(first).reduce((older, convert) => convert?.(older) ?? older, stored);
      const parsed = schema().safeParse(upgraded);
      if (parsed.success) return parsed.data;
      const where = parsed.error.issues.map(issue => `${issue.path.join('.')} (${issue.code})`).join(', ');
      throw new Error(`The item ${name} of kind ${kind} does not parse: ${where}.`);
    },
  };
}

interface Formats<Name> {
  oldestFormat?: number;
  /** What each later format changed: a conversion, or the names of its restricting attributes. */
  upgrades?: readonly (Upgrade | Restriction<Name>)[];
}

/** Whether one of the attributes is there. One that is false or null grants no less than one that is absent. */
export function restricts(attributes: Stored, names: readonly string[]): boolean {
  return names.some(name => ![undefined, null, false].includes(attributes[name] as undefined));
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
