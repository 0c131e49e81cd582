import type { ComponentChildren } from 'preact';
import { Button } from './button.tsx';
import './form.css';

/** A form whose fields are read on submit, after the browser has validated them. */
export function Form({
  onSubmit,
  children,
  label,
}: {
  onSubmit: (values: Record<string, string>) => void;
  children: ComponentChildren;
  label?: string;
}) {
  return (
    <form
      aria-label={label}
      onSubmit={event => {
        event.preventDefault();
        const entries = [...new FormData(event.currentTarget)];
        onSubmit(
          Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string')),
        );
      }}
    >
      {children}
    </form>
  );
}

interface FormActionsProps {
  /** The label of the submit button. */
  children: ComponentChildren;
  onClose: () => void;
  busy?: boolean;
  disabled?: boolean;
  danger?: boolean | undefined;
}

/** The submit and cancel buttons of a dialog's form. */
export function FormActions({ children, onClose, busy = false, disabled = false, danger = false }: FormActionsProps) {
  return (
    <div class="actions">
      <Button type="submit" kind={danger ? 'danger' : 'primary'} busy={busy} disabled={disabled}>
        {children}
      </Button>
      <Button kind="quiet" onClick={onClose}>
        Cancel
      </Button>
    </div>
  );
}
