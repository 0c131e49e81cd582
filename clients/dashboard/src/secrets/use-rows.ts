import { useMemo, useRef, useState } from 'preact/hooks';
import { fits } from './key-filter.ts';
import type { Row } from './row.tsx';
import { useFilter } from './use-filter.ts';

export type Sorting = { by: 'key' | 'changed'; descending: boolean };

export type Rows = ReturnType<typeof useRows>;

/** The rows of a table that fit the filter, in the chosen order, and the selected ones. */
export function useRows(all: readonly Row[], slug: string) {
  const [filter, setFilter] = useState('');
  const [sorting, setSorting] = useState<Sorting>({ by: 'key', descending: false });
  const { filter: conditions, people } = useFilter(filter, slug);
  const shown = useMemo(() => {
    const fitting = ({ key, entry }: Row) => fits(conditions, { ...entry, key }, people);
    return sorted(filter.trim() === '' ? all : all.filter(fitting), sorting);
  }, [all, filter, conditions, people, sorting]);
  return {
    all,
    shown,
    filter,
    setFilter,
    problem: conditions.problem,
    sorting,
    /** Sorts by a column, or the other way round if it already does. The newest changes come first. */
    sortBy: (by: Sorting['by']) =>
      setSorting({ by, descending: sorting.by === by ? !sorting.descending : by === 'changed' }),
    selection: useSelection(all, shown),
  };
}

/** A key that is only staged counts as the newest. */
function sorted(rows: readonly Row[], { by, descending }: Sorting): readonly Row[] {
  const changedAt = ({ entry }: Row) => entry?.updatedAt ?? '9';
  const ordered = by === 'key' ? rows : rows.toSorted((a, b) => (changedAt(a) < changedAt(b) ? -1 : 1));
  return descending ? ordered.toReversed() : ordered;
}

/** The selected rows. They stay selected when the filter hides them, so that a selection can grow over several filters. */
function useSelection(all: readonly Row[], shown: readonly Row[]) {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set());
  /** Where a range begins, and what was selected besides it. */
  const anchor = useRef<{ key: string; besides: ReadonlySet<string> }>(undefined);
  const selected = useMemo(() => all.filter(({ key }) => keys.has(key)), [all, keys]);
  const isAll = shown.length > 0 && shown.every(({ key }) => keys.has(key));
  const begin = (key: string, besides: ReadonlySet<string>) => {
    anchor.current = { key, besides };
    setKeys(besides);
  };
  const toggle = (key: string) => begin(key, keys.has(key) ? without(keys, [key]) : new Set([...keys, key]));
  return {
    selected,
    isAll,
    has: (key: string) => keys.has(key),
    toggle,
    /** Selects the rows from where the range began up to this one. */
    extend: (key: string, from = anchor.current?.key) => {
      const begins = shown.findIndex(row => row.key === from);
      if (from === undefined || begins < 0) return toggle(key);
      if (from !== anchor.current?.key && !keys.has(from)) anchor.current = { key: from, besides: keys };
      const { key: start, besides } = anchor.current ?? { key: from, besides: keys };
      const ends = [start, key].map(one => shown.findIndex(row => row.key === one)).toSorted((a, b) => a - b);
      const [first = 0, last = 0] = ends;
      setKeys(new Set([...besides, ...shown.slice(first, last + 1).map(row => row.key)]));
    },
    /** Selects or releases every row that fits the filter. */
    toggleAll: () => {
      const named = shown.map(({ key }) => key);
      begin('', isAll ? without(keys, named) : new Set([...keys, ...named]));
    },
    clear: () => begin('', new Set()),
  };
}

export type Selection = ReturnType<typeof useSelection>;

function without(keys: ReadonlySet<string>, released: readonly string[]): ReadonlySet<string> {
  const left = new Set(keys);
  for (const key of released) left.delete(key);
  return left;
}
