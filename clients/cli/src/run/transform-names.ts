import type { Entry, Refusal } from '@holdfast/contracts/fields/formats/format.ts';

/** How `--name-transformer` makes a variable's name of a key. */
export const nameTransformers: Readonly<Record<string, (key: string) => string>> = {
  /** An input variable of Terraform. Its names are lower-case by convention. */
  'tf-var': key => `TF_VAR_${key.toLowerCase()}`,
  /** .NET's configuration: `__` separates sections, and names have no underscores. */
  dotnet: key => key.split('__').map(pascalCase).join('__'),
  lower: key => key.toLowerCase(),
};

function pascalCase(section: string): string {
  return section
    .split('_')
    .map(word => word.slice(0, 1).toUpperCase() + word.slice(1).toLowerCase())
    .join('');
}

/** The entries under their new names, and the keys that would get the same one, which no order could decide between. */
export function transformNames(
  entries: readonly Entry[],
  transformer: string | undefined,
): { named: Entry[]; refusals: Refusal[] } {
  if (transformer === undefined) return { named: [...entries], refusals: [] };
  const transform = nameTransformers[transformer];
  if (transform === undefined) throw new Error(`There is no name transformer ${transformer}.`);
  const first = new Map<string, string>();
  const refusals: Refusal[] = [];
  const named = entries.map(([key, value]): Entry => {
    const name = transform(key);
    const other = first.get(name);
    if (name === '') refusals.push({ key, reason: `has no name left with --name-transformer ${transformer}` });
    if (other !== undefined) refusals.push({ key, reason: `and ${other} both become ${name}` });
    first.set(name, key);
    return [name, value];
  });
  return { named, refusals };
}
