import type { Output } from './output.ts';
import { shown } from './printable.ts';

export interface KeyDifferences {
  created: readonly { key: string; after?: string }[];
  updated: readonly { key: string; before?: string; after?: string }[];
  deleted: readonly { key: string; before?: string }[];
}

/** One line for each key that differs, in key order, with the values that there are. */
export function differenceLines({ paint }: Output, { created, updated, deleted }: KeyDifferences): string[] {
  const value = (text: string | undefined) => (text === undefined ? '' : ` ${shown(text)}`);
  const lines = [
    ...created.map(one => ({ key: one.key, style: 'green' as const, line: `+ ${one.key}${value(one.after)}` })),
    ...updated.map(one => {
      const arrow = one.after === undefined ? '' : ' →';
      return {
        key: one.key,
        style: 'yellow' as const,
        line: `~ ${one.key}${value(one.before)}${arrow}${value(one.after)}`,
      };
    }),
    ...deleted.map(one => ({ key: one.key, style: 'red' as const, line: `- ${one.key}${value(one.before)}` })),
  ];
  return lines.toSorted((a, b) => (a.key < b.key ? -1 : 1)).map(({ style, line }) => paint(style, line));
}
