import type { RefObject } from 'preact';
import { useState } from 'preact/hooks';
import { rowHeightPx } from './rows-in-sight.tsx';

interface Handlers {
  /** Shift was held while the focus moved from one row to another. */
  move: (from: number, to: number) => void;
  /** Any other key. Returns whether it was handled. */
  act: (key: string, row: number, event: KeyboardEvent) => boolean;
}

/** The current row, and the keys that move between rows. */
export function useRowKeys(body: RefObject<HTMLTableSectionElement | null>, rows: number, { move, act }: Handlers) {
  const [at, setAt] = useState(0);
  const current = Math.min(at, rows - 1);
  const focusRow = (index: number) => {
    const next = Math.max(0, Math.min(rows - 1, index));
    setAt(next);
    const top = (body.current?.getBoundingClientRect().top ?? 0) + next * rowHeightPx();
    if (top < 160 || top > window.innerHeight - 160) window.scrollBy(0, top - window.innerHeight / 2);
    // The row may not be rendered until the page has scrolled.
    requestAnimationFrame(() =>
      requestAnimationFrame(() => body.current?.querySelector<HTMLElement>(`[data-index="${next}"]`)?.focus()),
    );
    return next;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.metaKey || event.ctrlKey || event.altKey) return;
    const target = targetOf(event.key, current, rows);
    if (target !== undefined) {
      const next = focusRow(target);
      if (event.shiftKey) move(current, next);
    } else if (!act(event.key, current, event)) return;
    event.preventDefault();
  };
  return { current, setCurrent: setAt, focusRow, onKeyDown };
}

function targetOf(key: string, current: number, rows: number): number | undefined {
  const page = Math.max(1, Math.floor(window.innerHeight / rowHeightPx()) - 4);
  const targets: Readonly<Record<string, number>> = {
    ArrowDown: current + 1,
    ArrowUp: current - 1,
    PageDown: current + page,
    PageUp: current - page,
    Home: 0,
    End: rows - 1,
  };
  return targets[key];
}
