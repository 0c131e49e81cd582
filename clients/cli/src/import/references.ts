/* Values of Doppler and Infisical that name others: `${KEY}`, `${env.KEY}`, `${env.folder.KEY}`, `${project.config.KEY}`. */

/** A value that another one names, as far as it says where that is. */
export interface Reference {
  /** As it stands there. */
  text: string;
  project?: string;
  environment?: string;
  folder?: string;
  key: string;
}

/** What was set: text, and what it names. */
export type Template = readonly (string | Reference)[];

const opening = '\u0024{';
const pattern = /\$\{(@?[A-Za-z0-9_.-]+)\}/g;

/**
 * @param placeOf where the parts before the key lead
 * @returns undefined if the value names no other
 */
export function templateOf(
  value: string,
  placeOf: (parts: readonly string[]) => Omit<Reference, 'text' | 'key'>,
): Template | undefined {
  const template: (string | Reference)[] = [];
  let end = 0;
  for (const match of value.matchAll(pattern)) {
    const [text, way = ''] = match;
    const parts = way.split('.');
    template.push(value.slice(end, match.index), { text, key: parts.at(-1) ?? '', ...placeOf(parts.slice(0, -1)) });
    end = match.index + text.length;
  }
  if (template.length === 0) return undefined;
  return [...template, value.slice(end)];
}

/** Whether a reference stands in another, which decides what that one names: `${dev.${VENDOR}.KEY}`. */
export const isNested = (template: Template): boolean =>
  template.some((part, index) => {
    const before = template[index - 1];
    return typeof part !== 'string' && typeof before === 'string' && /\$\{[A-Za-z0-9_.@-]*$/.test(before);
  });

/**
 * The template as this service writes it.
 * @param keyOf the key of a reference, or undefined for one that stays text
 * @returns undefined if that isn't possible: `$` in front of a reference would make it text
 */
export function declared(template: Template, keyOf: (reference: Reference) => string | undefined): string | undefined {
  const parts = template.map(part => {
    const key = typeof part === 'string' ? undefined : keyOf(part);
    return { key, text: typeof part === 'string' ? part : part.text };
  });
  let written = '';
  for (const { key, text } of parts) {
    if (key !== undefined && written.endsWith('$')) return undefined;
    written += key === undefined ? text.replaceAll(opening, () => `$${opening}`) : `${opening}${key}}`;
  }
  return written;
}

/** The template's own text. */
export const plainText = (template: Template): string =>
  template.map(part => (typeof part === 'string' ? part : part.text)).join('');
