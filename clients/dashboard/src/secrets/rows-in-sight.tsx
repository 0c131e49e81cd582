import type { RefObject } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Row } from './row.tsx';

/** Up to this many rows are all in the page, so that the browser's search finds them. */
export const drawnUpTo = 4000;
const beyondSight = 12;
/** The range moves in steps, so that scrolling by a row renders nothing. */
const step = 8;
const narrow = window.matchMedia('(max-width: 760px)');

/**
 * The heights of `.secrets tr` in the style sheet. Rows have a fixed height, so that 10,000 of them can be scrolled.
 */
export const rowHeightPx = () => (narrow.matches ? 84 : 48);

/** The range of rows in sight, and some around them; the end is exclusive. */
export function useRowsInSight(
  body: RefObject<HTMLTableSectionElement | null>,
  rows: number,
): [first: number, end: number] {
  // Before the first paint nothing is measured, so that it waits for no layout. A window holds no more rows than these.
  const [range, setRange] = useState<readonly [first: number, end: number]>(() => [
    0,
    Math.ceil(window.innerHeight / rowHeightPx()),
  ]);
  const isPainted = useRef(false);
  const measure = useCallback(() => {
    const top = body.current?.getBoundingClientRect().top ?? 0;
    const height = rowHeightPx();
    const first = Math.floor((-top / height - beyondSight) / step) * step;
    const end = Math.ceil(((window.innerHeight - top) / height + beyondSight) / step) * step;
    setRange(before => (before[0] === first && before[1] === end ? before : [first, end]));
  }, []);
  useLayoutEffect(() => {
    if (isPainted.current) measure();
  }, [rows]);
  useEffect(() => {
    isPainted.current = true;
    measure();
    window.addEventListener('scroll', measure, { passive: true });
    window.addEventListener('resize', measure);
    return () => {
      window.removeEventListener('scroll', measure);
      window.removeEventListener('resize', measure);
    };
  }, []);
  const first = Math.max(0, Math.min(range[0], rows - 1));
  return [first, Math.max(first, Math.min(range[1], rows))];
}

export interface Block {
  /** The index of its first row. */
  start: number;
  rows: readonly Row[];
  /** Whether all of its rows are drawn: always, if one of them is in sight, or not yet. */
  drawn: 'always' | 'near' | 'in sight';
}

const blockSize = 50;
const blocksAtOnce = 4;

/** The rows in blocks. Those in sight are drawn first, and the other ones a few at a time, so that the page responds. */
export function useBlocks(rows: readonly Row[]): Block[] {
  const blocks = useMemo(
    () =>
      Array.from({ length: Math.ceil(rows.length / blockSize) }, (_, index) => ({
        start: index * blockSize,
        rows: rows.slice(index * blockSize, (index + 1) * blockSize),
      })),
    [rows],
  );
  const [state, setState] = useState({ of: blocks, drawn: -1 });
  /** The number of blocks that are always drawn; -1 while only the rows in sight are. */
  const drawn = state.of === blocks ? state.drawn : -1;
  const most = rows.length > drawnUpTo ? 0 : blocks.length;
  const isDone = drawn >= most;
  useEffect(() => {
    if (isDone) return;
    const timer = window.setTimeout(() => setState({ of: blocks, drawn: Math.min(most, drawn + blocksAtOnce) }));
    return () => window.clearTimeout(timer);
  }, [blocks, drawn, isDone]);
  return blocks.map((block, index) => ({
    ...block,
    drawn: index < drawn ? 'always' : drawn < 0 ? 'in sight' : 'near',
  }));
}

/** Takes the place of rows that are not rendered. */
export function Spacer({ rows }: { rows: number }) {
  const element = useRef<HTMLTableRowElement>(null);
  // Set on the element: the content security policy allows no style in the markup.
  useLayoutEffect(() => {
    element.current?.style.setProperty('height', `${rows * rowHeightPx()}px`);
  });
  // biome-ignore lint/a11y/noAriaHiddenOnFocusable: an empty row takes no focus
  return <tr class="spacer" ref={element} aria-hidden="true" />;
}
