import { signal } from '@preact/signals';
import './toast.css';

const shown = signal<{ text: string; at: number } | undefined>(undefined);

/** Confirms an action briefly, also to screen readers. It never contains a secret value. */
export function showToast(text: string): void {
  const at = Date.now();
  shown.value = { text, at };
  window.setTimeout(() => {
    if (shown.value?.at === at) shown.value = undefined;
  }, 5000);
}

/** The open dialogs, topmost last. The toast is rendered in the topmost one, whose backdrop covers everything else. */
export const openDialogs = signal<readonly symbol[]>([]);

export function Toasts({ within }: { within?: symbol }) {
  const isOnTop = openDialogs.value.at(-1) === within;
  return (
    <div class="toast" role="status" aria-live="polite">
      {isOnTop && shown.value !== undefined && <p>{shown.value.text}</p>}
    </div>
  );
}
