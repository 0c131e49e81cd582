import type { ComponentChildren } from 'preact';

/** Scrolls content that is wider than its place. It takes the focus, so that the arrow keys scroll it. */
export function ScrollArea({
  label,
  class: name,
  children,
}: {
  label: string;
  class: string;
  children: ComponentChildren;
}) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset groups fields, and these are none
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard (WCAG 2.1.1)
    <div class={name} role="group" aria-label={label} tabIndex={0}>
      {children}
    </div>
  );
}
