import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { openDialogs, Toasts } from './toast.tsx';
import './dialog.css';

interface DialogProps {
  title: ComponentChildren;
  onClose: () => void;
  children: ComponentChildren;
  /** A `sheet` is wide enough for a list of changes, and a `panel` is at the side; other dialogs hold a form. */
  size?: 'form' | 'sheet' | 'panel';
  /** Only its own buttons close it. */
  firm?: boolean;
}

/** The browser's modal dialog: it traps the focus, closes on Escape and restores the focus. */
export function Dialog({ title, onClose, children, size = 'form', firm }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  const [self] = useState(Symbol);
  // Runs before the next key press, so that typing after Enter goes into the dialog.
  useLayoutEffect(() => {
    const dialog = element.current as HTMLDialogElement;
    const before = document.activeElement;
    dialog.showModal();
    openDialogs.value = [...openDialogs.value, self];
    // Focus the first field, not the close button, but open the dialog scrolled to the top.
    const first = dialog.querySelector<HTMLElement>('[data-first]') ?? dialog.querySelector('input, textarea, select');
    first?.focus();
    dialog.scrollTop = 0;
    const inSight = first !== null && first.getBoundingClientRect().bottom <= dialog.getBoundingClientRect().bottom;
    if (!inSight) dialog.querySelector('h2')?.focus();
    return () => {
      dialog.close();
      openDialogs.value = openDialogs.value.filter(one => one !== self);
      // The element that opened the dialog may no longer exist once the page is rendered without the dialog.
      queueMicrotask(() => {
        const back = before instanceof HTMLElement && before.isConnected ? before : document.getElementById('content');
        back?.focus();
      });
    };
  }, []);
  return (
    <dialog
      ref={element}
      class={size}
      aria-labelledby={id}
      onCancel={event => {
        event.preventDefault();
        if (!firm) onClose();
      }}
    >
      <header>
        <h2 id={id} tabIndex={-1}>
          {title}
        </h2>
        {!firm && (
          <button type="button" class="button quiet close" aria-label="Close" onClick={onClose}>
            ×
          </button>
        )}
      </header>
      {children}
      <Toasts within={self} />
    </dialog>
  );
}
