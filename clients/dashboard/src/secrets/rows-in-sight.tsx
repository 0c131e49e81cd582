import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Up to this many rows are all rendered. Longer tables only render the visible rows. */
const wholeUpTo = 200;
const beyondSight = 12;
const narrow = window.matchMedia('(max-width: 760px)');

/**
 * The heights of `.secrets tr` in the style sheet. Rows have a fixed height, so that 10,000 of them can be scrolled.
 */
export const rowHeightPx = () => (narrow.matches ? 84 : 48);

/** The range of rows to render; the end is exclusive. */
export function useRowsInSight(
  body: RefObject<HTMLTableSectionElement | null>,
  rows: number,
): [first: number, end: number] {
  const [range, setRange] = useState<[first: number, end: number]>([0, 60]);
  const whole = rows <= wholeUpTo;
  useLayoutEffect(() => {
    if (whole) return;
    const measure = () => {
      const top = body.current?.getBoundingClientRect().top ?? 0;
      const height = rowHeightPx();
      const first = Math.max(0, Math.floor(-top / height) - beyondSight);
      const end = Math.min(rows, Math.ceil((window.innerHeight - top) / height) + beyondSight);
      setRange(before => (before[0] === first && before[1] === end ? before : [first, end]));
    };
    measure();
    window.addEventListener('scroll', measure, { passive: true });
    window.addEventListener('resize', measure);
    return () => {
      window.removeEventListener('scroll', measure);
      window.removeEventListener('resize', measure);
    };
  }, [whole, rows]);
  if (whole) return [0, rows];
  const first = Math.min(range[0], Math.max(0, rows - 1));
  return [first, Math.max(first, Math.min(range[1], rows))];
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
