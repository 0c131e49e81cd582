import { signal } from '@preact/signals';
import { openDialogs } from './toast.tsx';

/** What is open over any page. */
export const overPage = signal<'palette' | 'shortcuts' | undefined>(undefined);

export function openOverPage(what: 'palette' | 'shortcuts' | undefined): void {
  overPage.value = what;
}

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** How this platform writes the shortcut of the search. */
export const searchShortcut = isApple ? '⌘K' : 'Ctrl K';

export const isSearchShortcut = ({ metaKey, ctrlKey, key }: KeyboardEvent): boolean =>
  (isApple ? metaKey : ctrlKey) && key.toLowerCase() === 'k';

const storageKey = 'holdfast-single-keys';

/** Whether `/` and `?` work. People who speak to their computer turn them off (WCAG 2.1.4). */
export const singleKeys = signal(localStorage.getItem(storageKey) !== 'off');

export function setSingleKeys(on: boolean): void {
  singleKeys.value = on;
  if (on) localStorage.removeItem(storageKey);
  else localStorage.setItem(storageKey, 'off');
}

/** Elements that take what is typed. A checkbox in a table does not. */
const fields = 'input:not([type="checkbox"], [type="radio"]), textarea, select, [contenteditable]';

/** The shortcut of one character that was pressed, unless it was typed into a field or a dialog is open. */
export function singleKeyOf(event: KeyboardEvent): '/' | '?' | undefined {
  const { key, target } = event;
  if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey) return undefined;
  if (!singleKeys.value || openDialogs.value.length > 0 || (key !== '/' && key !== '?')) return undefined;
  return target instanceof Element && target.closest(fields) !== null ? undefined : key;
}

/** Focuses the filter of the page, and returns whether it has one. */
export function focusFilter(): boolean {
  const filter = document.querySelector<HTMLInputElement>('#content input[type="search"]');
  filter?.focus();
  return filter !== null;
}
