import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useAction } from '../load.ts';
import { Dialog } from './dialog.tsx';
import { Field } from './field.tsx';
import { FormActions } from './form.tsx';
import { Problem } from './problem.tsx';

interface ConfirmProps {
  title: string;
  children: ComponentChildren;
  /** What the button does, as a verb. */
  action: string;
  /** A word to type before something that can't be undone. */
  word?: string;
  danger?: boolean;
  onConfirm: () => Promise<void>;
  onClose: () => void;
}

export function Confirm({ title, children, action, word, danger = true, onConfirm, onClose }: ConfirmProps) {
  const [typed, setTyped] = useState('');
  const run = useAction(async () => {
    await onConfirm();
    onClose();
  });
  const ready = word === undefined || typed === word;
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={event => {
          event.preventDefault();
          if (ready) void run.run();
        }}
      >
        {children}
        {word !== undefined && (
          <Field label={`Type ${word} to confirm`} name="confirmation" mono value={typed} onInput={setTyped} />
        )}
        <Problem error={run.error} />
        <FormActions danger={danger} busy={run.busy} disabled={!ready} onClose={onClose}>
          {action}
        </FormActions>
      </form>
    </Dialog>
  );
}
