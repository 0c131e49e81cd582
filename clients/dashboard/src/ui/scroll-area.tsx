import type { ComponentChildren } from 'preact';

/** Scrolls content that is too wide. It can be focused, so that the arrow keys scroll it. */
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
    // biome-ignore lint/a11y/useSemanticElements: this groups no form fields
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable with the keyboard (WCAG 2.1.1)
    <div class={name} role="group" aria-label={label} tabIndex={0}>
      {children}
    </div>
  );
}
