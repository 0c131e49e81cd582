import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { Refusal } from '../api.ts';
import { edited, pasted } from './line-breaks.ts';
import './field.css';

interface FieldProps {
  label: string;
  name: string;
  type?: 'text' | 'email' | 'password' | 'number' | 'url' | 'search' | 'datetime-local' | 'date';
  value?: string | undefined;
  onInput?: (value: string) => void;
  /** Gets a pasted text with its line breaks, and returns whether the field should ignore it. */
  onPaste?: (text: string) => boolean;
  hint?: ComponentChildren;
  error?: unknown;
  required?: boolean;
  autocomplete?: string;
  maxLength?: number;
  minLength?: number;
  multiline?: boolean;
  /** Keeps the line breaks of a multiline text as they were pasted. Needs `value`. */
  keepsLineBreaks?: boolean;
  mono?: boolean;
  rows?: number;
  placeholder?: string | undefined;
  autofocus?: boolean;
  min?: number;
  max?: number;
  disabled?: boolean;
  /** A button shows what was typed into a password field. */
  canBeShown?: boolean;
  /** Shows a numeric keyboard on touch devices. */
  numeric?: boolean;
}

/** A labelled input with its hint and its error from `invalid_request`. */
export function Field(props: FieldProps) {
  const { label, name, type = 'text', value, onInput, hint, error, multiline, mono, rows } = props;
  const id = useId();
  const [isShown, setShown] = useState(false);
  // Not with the attribute: browsers ignore it, with a warning, when another element already has the focus.
  useEffect(() => {
    if (props.autofocus) document.getElementById(id)?.focus();
  }, []);
  const problem = problemOf(error, name);
  const described = [hint === undefined ? '' : `${id}-hint`, problem === undefined ? '' : `${id}-problem`]
    .join(' ')
    .trim();
  // Without `onInput`, the value is only the initial one. With `value`, each render would overwrite the user's input.
  const content = onInput === undefined ? { defaultValue: value } : { value };
  const shared = {
    ...content,
    id,
    name,
    required: props.required,
    autocomplete: props.autocomplete ?? 'off',
    maxLength: props.maxLength,
    minLength: props.minLength,
    placeholder: props.placeholder,
    'data-first': props.autofocus ? '' : undefined,
    disabled: props.disabled,
    inputMode: props.numeric ? ('numeric' as const) : undefined,
    spellcheck: false,
    class: mono ? 'mono' : undefined,
    'aria-describedby': described === '' ? undefined : described,
    'aria-invalid': problem === undefined ? undefined : ('true' as const),
    onPaste: (event: ClipboardEvent) => {
      if (props.onPaste?.(event.clipboardData?.getData('text/plain') ?? '')) event.preventDefault();
    },
    onInput: (event: Event) => onInput?.((event.currentTarget as HTMLInputElement | HTMLTextAreaElement).value),
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {multiline ? (
        <textarea {...shared} {...(props.keepsLineBreaks ? exactly(value, onInput) : {})} rows={rows ?? 4} />
      ) : (
        <input
          {...({
            ...shared,
            type: isShown ? 'text' : type,
            min: props.min,
            max: props.max,
          } as JSX.IntrinsicElements['input'])}
        />
      )}
      {props.canBeShown && (
        <button type="button" class="link" onClick={() => setShown(!isShown)}>
          {isShown ? 'Hide the password' : 'Show the password'}
        </button>
      )}
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {problem !== undefined && (
        <p class="problem" id={`${id}-problem`}>
          {problem}
        </p>
      )}
    </div>
  );
}

function exactly(value = '', onInput: (value: string) => void = () => undefined) {
  return {
    onInput: (event: Event) => onInput(edited(value, (event.currentTarget as HTMLTextAreaElement).value)),
    onPaste: (event: ClipboardEvent) => {
      const area = event.currentTarget as HTMLTextAreaElement;
      const clipboard = event.clipboardData?.getData('text/plain') ?? '';
      // The browser pastes other text by itself, and can undo that.
      if (!clipboard.includes('\r')) return;
      event.preventDefault();
      const { text, cursor } = pasted(value, clipboard, { start: area.selectionStart, end: area.selectionEnd });
      onInput(text);
      requestAnimationFrame(() => area.setSelectionRange(cursor, cursor));
    },
  };
}

function problemOf(error: unknown, name: string): string | undefined {
  if (!(error instanceof Refusal)) return undefined;
  const found = error.problems.find(({ path }) => path === name || path.startsWith(`${name}.`));
  return found && `${found.message.charAt(0).toUpperCase()}${found.message.slice(1)}.`;
}
