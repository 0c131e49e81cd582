import type { Environment } from '@holdfast/contracts/projects/projects.ts';
import type { TemplateKey } from '@holdfast/contracts/templates/templates.ts';

/** What can be said about a key in all environments; null for nothing. */
export interface DescriptionFields<None = null> {
  description: string | None;
  pattern: string | None;
  owner: string | None;
  tags: string[] | None;
  renewUrl: string | None;
  maxAgeDays: number | None;
  expiresAt: Record<string, string> | None;
  note: string | None;
}

/** The name of the field for the expiry in an environment, like the path of its problems. */
export const expiryField = (environmentId: string) => `expiresAt.${environmentId}`;

/** A time as the date of a form's field, in the user's time zone. */
export const dayOf = (time: string | undefined) =>
  time === undefined ? '' : new Date(time).toLocaleDateString('sv-SE');

/** The time at which a day begins for the user. */
const beginningOf = (day: string) => new Date(`${day}T00:00`).toISOString();

/**
 * The fields of a form that was filled in. A date that nobody changed keeps its time of day, and those of environments
 * that no longer exist are dropped.
 */
export function fieldsOf(
  values: Readonly<Record<string, string>>,
  environments: readonly Pick<Environment, 'id'>[],
  known: Pick<TemplateKey, 'expiresAt'> | undefined,
): DescriptionFields {
  const { description, pattern, owner, tags = '', renewUrl, maxAgeDays, note } = values;
  const expiresAt = Object.fromEntries(
    environments.flatMap(({ id }) => {
      const day = values[expiryField(id)] ?? '';
      const before = known?.expiresAt?.[id];
      if (day === '') return [];
      return [[id, before !== undefined && day === dayOf(before) ? before : beginningOf(day)]];
    }),
  );
  const words = [...new Set(tags.split(/[\s,]+/).filter(tag => tag !== ''))];
  return {
    description: description || null,
    pattern: pattern || null,
    owner: owner || null,
    tags: words.length === 0 ? null : words,
    renewUrl: renewUrl || null,
    maxAgeDays: maxAgeDays ? Number(maxAgeDays) : null,
    expiresAt: Object.keys(expiresAt).length === 0 ? null : expiresAt,
    note: note?.replaceAll('\r\n', '\n') || null,
  };
}

/** The fields that differ from what is known, so that a change that somebody else makes meanwhile stays. Pure. */
export function changesOf(fields: DescriptionFields, known: TemplateKey | undefined): Partial<DescriptionFields> {
  const isSame = (name: keyof DescriptionFields) =>
    JSON.stringify(sorted(fields[name])) === JSON.stringify(sorted(known?.[name] ?? null));
  return Object.fromEntries(
    Object.entries(fields).filter(([name]) => !isSame(name as keyof DescriptionFields)),
  ) as Partial<DescriptionFields>;
}

/** Times are compared whatever the order of their environments. */
const sorted = (value: DescriptionFields[keyof DescriptionFields]) =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
    ? Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
    : value;
