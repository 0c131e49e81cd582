import type { Node, ObjectExpression } from 'oxc-parser';

/** A range of a source and its replacement. */
export interface Edit {
  start: number;
  end: number;
  text: string;
}

/** Removes a range but keeps its line breaks, so that stack traces still point to the source. */
export function removal(source: string, start: number, end: number): Edit {
  return { start, end, text: source.slice(start, end).replace(/[^\n]/g, '') };
}

/** Removes members of an object, each with its trailing comma. */
export function memberRemovals(
  source: string,
  { properties, end }: ObjectExpression,
  isUnwanted: (name: string) => boolean,
): Edit[] {
  return properties.flatMap((property, index) =>
    isUnwanted(nameOf(property)) ? [removal(source, property.start, properties[index + 1]?.start ?? end - 1)] : [],
  );
}

/** `name` of `{ name: … }`, `{ 'name': … }` and `….name`; empty for computed names. */
export function nameOf(node: Node): string {
  const named = node.type === 'Property' ? node.key : node.type === 'MemberExpression' ? node.property : undefined;
  if (named?.type === 'Literal') return String(named.value);
  return named?.type === 'Identifier' && !('computed' in node && node.computed) ? named.name : '';
}

/** Applies the edits to the source. An edit inside a removed range is dropped with it. */
export function applyEdits(source: string, edits: readonly Edit[]): string {
  let result = '';
  let position = 0;
  for (const { start, end, text } of edits.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    if (start < position) continue;
    result += source.slice(position, start) + text;
    position = end;
  }
  return result + source.slice(position);
}
