import { dueAtOf } from '@holdfast/contracts/fields/due-dates.ts';
import type { TemplateKey } from '@holdfast/contracts/templates/templates.ts';
import { fits } from '../../secrets/key-filter.ts';
import { useFilter } from '../../secrets/use-filter.ts';
import type { Column } from './grid-cells.ts';

interface Options {
  text: string;
  /** By key. */
  template: ReadonlyMap<string, TemplateKey> | undefined;
  slug: string;
}

/** Which keys of a project fit the filter. A key is due as soon as its value is in one of the environments. */
export function useGridFilter(columns: readonly Column[], { text, template, slug }: Options) {
  const { filter, people } = useFilter(text, slug);
  const times = () =>
    columns.map(({ environment, listed }) => ({
      environment,
      at: new Map(listed.map(({ key, updatedAt }) => [key, updatedAt])),
    }));
  // Only if it is asked for.
  const writtenAt = filter.until === undefined ? [] : times();
  const dueAtIn = (described: TemplateKey) =>
    writtenAt
      .flatMap(({ environment, at }) => {
        const written = at.get(described.key);
        return written === undefined ? [] : (dueAtOf(described, environment.id, written) ?? []);
      })
      .toSorted()[0];
  return {
    problem: filter.problem,
    fits: (key: string): boolean => {
      const described = template?.get(key);
      const dueAt = described === undefined ? undefined : dueAtIn(described);
      return fits(filter, { key, tags: described?.tags, owner: described?.owner, dueAt }, people);
    },
  };
}
