import { useLayoutEffect, useRef } from 'preact/hooks';
import { rowHeightPx } from './rows-in-sight.ts';

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
