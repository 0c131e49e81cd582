import { signal } from '@preact/signals';

export const themes = ['system', 'light', 'dark'] as const;
type Theme = (typeof themes)[number];
const storageKey = 'holdfast-theme';

export const theme = signal<Theme>('system');

export function startTheme(): void {
  const stored = localStorage.getItem(storageKey);
  setTheme(themes.find(name => name === stored) ?? 'system');
}

export function setTheme(next: Theme): void {
  theme.value = next;
  document.documentElement.dataset.theme = next;
  if (next === 'system') localStorage.removeItem(storageKey);
  else localStorage.setItem(storageKey, next);
}
