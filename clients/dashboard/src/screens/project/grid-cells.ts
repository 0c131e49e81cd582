import type { Environment } from '@holdfast/contracts/projects/projects.ts';
import type { ListedKey } from '@holdfast/contracts/secrets/secrets.ts';

/** The keys of one environment, and how they compare with the reference environment if one was chosen. */
export interface Column {
  environment: Environment;
  /** The environment's secrets without their values, and its revision when they were listed. */
  listed: readonly ListedKey[];
  revision: number;
  keys: ReadonlySet<string>;
  compared: { same: ReadonlySet<string>; different: ReadonlySet<string> } | undefined;
}

/** `set` says nothing about the value: nothing was compared, or the reference does not have the key. */
export type CellState = 'same' | 'different' | 'set' | 'missing';

export function cellOf(key: string, { keys, compared }: Column): CellState {
  if (!keys.has(key)) return 'missing';
  if (compared?.same.has(key)) return 'same';
  return compared?.different.has(key) ? 'different' : 'set';
}

export const shownKeys = ['all', 'different', 'missing', 'required'] as const;
export type ShownKeys = (typeof shownKeys)[number];

interface Filter {
  /** Whether a key fits the text of the filter. */
  fits: (key: string) => boolean;
  show: ShownKeys;
  /** The keys that the template requires. */
  required: ReadonlySet<string>;
}

/** The keys to show, in key order. Keys that the template requires are shown even if no environment has them. */
export function keysToShow(columns: readonly Column[], { fits, show, required }: Filter): string[] {
  const all = new Set([...columns.flatMap(({ keys }) => [...keys]), ...required]);
  const has = (key: string, state: CellState) => columns.some(column => cellOf(key, column) === state);
  return [...all]
    .filter(fits)
    .filter(key => {
      if (show === 'different') return has(key, 'different');
      if (show === 'missing') return has(key, 'missing');
      return show === 'all' || (required.has(key) && has(key, 'missing'));
    })
    .toSorted();
}
