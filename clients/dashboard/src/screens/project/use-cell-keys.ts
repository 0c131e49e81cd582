import type { RefObject } from 'preact';
import { useState } from 'preact/hooks';

/** The height of `.matrix tbody tr` in the style sheet. */
export const gridRowPx = 40;

interface Size {
  rows: number;
  columns: number;
}

/** The current cell of a grid, and the keys that move between cells. Only the current cell is reached with Tab. */
export function useCellKeys(body: RefObject<HTMLTableSectionElement | null>, { rows, columns }: Size) {
  const [at, setAt] = useState<readonly [row: number, column: number]>([0, 0]);
  const row = Math.max(0, Math.min(at[0], rows - 1));
  const column = Math.min(at[1], columns - 1);
  const focusCell = (toRow: number, toColumn: number) => {
    const next = [Math.max(0, Math.min(rows - 1, toRow)), Math.max(0, Math.min(columns - 1, toColumn))] as const;
    setAt(next);
    const frame = body.current?.closest('.matrix-frame');
    if (!frame) return;
    const head = body.current?.offsetTop ?? 0;
    const top = next[0] * gridRowPx;
    // The row may not be rendered until the frame has scrolled.
    if (top < frame.scrollTop) frame.scrollTop = top;
    const below = top + gridRowPx - (frame.scrollTop + frame.clientHeight - head);
    if (below > 0) frame.scrollTop += below;
    requestAnimationFrame(() =>
      requestAnimationFrame(() => body.current?.querySelector<HTMLElement>(`[data-cell="${next.join()}"]`)?.focus()),
    );
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor((body.current?.closest('.matrix-frame')?.clientHeight ?? 0) / gridRowPx) - 2);
    const targets: Readonly<Record<string, readonly [row: number, column: number]>> = {
      ArrowDown: [row + 1, column],
      ArrowUp: [row - 1, column],
      ArrowRight: [row, column + 1],
      ArrowLeft: [row, column - 1],
      PageDown: [row + page, column],
      PageUp: [row - page, column],
      Home: [row, 0],
      End: [row, columns - 1],
    };
    const inCorners: typeof targets = { Home: [0, 0], End: [rows - 1, columns - 1] };
    const target = (event.ctrlKey ? inCorners : targets)[event.key];
    if (target === undefined) return;
    event.preventDefault();
    focusCell(...target);
  };
  const onFocusIn = ({ target }: FocusEvent) => {
    const cell = target instanceof Element ? target.getAttribute('data-cell') : null;
    const [focusedRow = 0, focusedColumn = 0] = (cell ?? '').split(',').map(Number);
    if (cell !== null) setAt([focusedRow, focusedColumn]);
  };
  return { isCurrent: (inRow: number, inColumn: number) => inRow === row && inColumn === column, onKeyDown, onFocusIn };
}
