import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Rows that are rendered above and below those in sight. */
const beyondSight = 8;

/** The range of rows of this height in sight of the `.matrix-frame` around the body; the end is exclusive. */
export function useRowsInFrame(
  body: RefObject<HTMLElement | null>,
  { rows, rowPx }: { rows: number; rowPx: number },
): [first: number, end: number] {
  const [range, setRange] = useState<[first: number, end: number]>([0, 40]);
  useLayoutEffect(() => {
    const frame = body.current?.closest('.matrix-frame');
    if (!frame) return;
    const measure = () => {
      const first = Math.max(0, Math.floor(frame.scrollTop / rowPx) - beyondSight);
      const end = Math.ceil((frame.scrollTop + frame.clientHeight) / rowPx) + beyondSight;
      setRange(before => (before[0] === first && before[1] === end ? before : [first, end]));
    };
    const resized = new ResizeObserver(measure);
    resized.observe(frame);
    frame.addEventListener('scroll', measure, { passive: true });
    return () => {
      resized.disconnect();
      frame.removeEventListener('scroll', measure);
    };
  }, [rowPx]);
  const first = Math.min(range[0], Math.max(0, rows - 1));
  return [first, Math.max(first, Math.min(range[1], rows))];
}

/** Takes the place of rows that are not rendered. */
export function Spacer({ rows, rowPx }: { rows: number; rowPx: number }) {
  const element = useRef<HTMLTableRowElement>(null);
  // Set on the element: the content security policy allows no style in the markup.
  useLayoutEffect(() => element.current?.style.setProperty('height', `${rows * rowPx}px`));
  // biome-ignore lint/a11y/noAriaHiddenOnFocusable: an empty row takes no focus
  return <tr class="spacer" ref={element} aria-hidden="true" />;
}
