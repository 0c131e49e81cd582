import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Refusal } from '../api.ts';
import { useAction } from '../load.ts';

interface ButtonProps {
  children: ComponentChildren;
  onClick?: (() => void) | undefined;
  type?: 'button' | 'submit';
  kind?: 'plain' | 'primary' | 'danger' | 'quiet';
  disabled?: boolean;
  busy?: boolean;
  label?: string;
  /** Why it can't be used: shown next to it and read out with it. */
  whyNot?: string | undefined;
}

export function Button({
  children,
  onClick,
  type = 'button',
  kind = 'plain',
  disabled,
  busy,
  label,
  whyNot,
}: ButtonProps) {
  const id = useId();
  const off = disabled || whyNot !== undefined;
  return (
    <>
      <button
        type={type}
        class={`button ${kind}`}
        onClick={event => {
          // A button of a form would send it all the same: `aria-disabled` only says so.
          if (off || busy) event.preventDefault();
          else onClick?.();
        }}
        // Focusable while it can't be used, so that every reader learns why.
        aria-disabled={off || busy ? 'true' : undefined}
        aria-label={label}
        aria-describedby={whyNot === undefined ? undefined : id}
        aria-busy={busy ? 'true' : undefined}
      >
        {children}
      </button>
      {whyNot !== undefined && (
        <span class="why-not" id={id}>
          {whyNot}
        </span>
      )}
    </>
  );
}

interface FieldProps {
  label: string;
  name: string;
  type?: 'text' | 'email' | 'password' | 'number' | 'url' | 'search';
  value?: string;
  onInput?: (value: string) => void;
  hint?: ComponentChildren;
  error?: unknown;
  required?: boolean;
  autocomplete?: string;
  maxLength?: number;
  minLength?: number;
  multiline?: boolean;
  mono?: boolean;
  rows?: number;
  placeholder?: string;
  autofocus?: boolean;
  min?: number;
  max?: number;
  disabled?: boolean;
  /** Digits are typed, on a keypad where there is one. */
  numeric?: boolean;
}

/** A labelled input with its hint and its problem, which an `invalid_request` names by the field. */
export function Field(props: FieldProps) {
  const { label, name, type = 'text', value, onInput, hint, error, multiline, mono, rows } = props;
  const id = useId();
  // Not the attribute: a page that is drawn later has a focused element already, and the browser then complains.
  useEffect(() => {
    if (props.autofocus) document.getElementById(id)?.focus();
  }, []);
  const problem = problemOf(error, name);
  const described = [hint === undefined ? '' : `${id}-hint`, problem === undefined ? '' : `${id}-problem`]
    .join(' ')
    .trim();
  // Without `onInput` the value is where typing begins: given as `value`, each drawing would put it back over what was typed.
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
    onInput: (event: Event) => onInput?.((event.currentTarget as HTMLInputElement | HTMLTextAreaElement).value),
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {multiline ? (
        <textarea {...shared} rows={rows ?? 4} />
      ) : (
        <input {...({ ...shared, type, min: props.min, max: props.max } as JSX.IntrinsicElements['input'])} />
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

function problemOf(error: unknown, name: string): string | undefined {
  if (!(error instanceof Refusal)) return undefined;
  const found = error.problems.find(({ path }) => path === name || path.startsWith(`${name}.`));
  return found && `${found.message.charAt(0).toUpperCase()}${found.message.slice(1)}.`;
}

interface SelectProps {
  label: string;
  value: string;
  options: readonly (readonly [value: string, label: string])[];
  onChange: (value: string) => void;
  hint?: string;
  hiddenLabel?: boolean;
  disabled?: boolean;
}

export function Select({ label, value, options, onChange, hint, hiddenLabel, disabled }: SelectProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id} class={hiddenLabel ? 'visually-hidden' : undefined}>
        {label}
      </label>
      <select
        id={id}
        disabled={disabled}
        value={value}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={event => onChange(event.currentTarget.value)}
      >
        {options.map(([option, text]) => (
          <option key={option} value={option} selected={option === value}>
            {text}
          </option>
        ))}
      </select>
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

export function Checkbox({
  label,
  checked,
  onChange,
  hint,
}: {
  label: string;
  checked: boolean;
  onChange: (on: boolean) => void;
  hint?: string;
}) {
  return (
    <label class="checkbox">
      <input type="checkbox" checked={checked} onChange={event => onChange(event.currentTarget.checked)} />
      <span>
        {label}
        {hint !== undefined && <span class="hint">{hint}</span>}
      </span>
    </label>
  );
}

/** A form whose fields are read when it is sent; the browser checks what it can before. */
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

/** Copies on a click and says so. What is copied is fetched only then. */
export function CopyButton({
  text,
  label = 'Copy',
  kind = 'plain',
}: {
  text: () => string | Promise<string>;
  label?: string;
  kind?: 'plain' | 'quiet' | 'primary';
}) {
  const [done, setDone] = useState(false);
  const timer = useRef<number | undefined>(undefined);
  const copy = useAction(async () => {
    await navigator.clipboard.writeText(await text());
    setDone(true);
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(() => setDone(false), 2000);
  });
  return (
    <Button kind={kind} busy={copy.busy} onClick={() => void copy.run()}>
      <span aria-live="polite">{copy.error !== undefined ? 'Could not copy' : done ? 'Copied' : label}</span>
    </Button>
  );
}

/** A secret that the service tells once. It leaves the page with its dialog. */
export function ShownOnce({ name, value }: { name: string; value: string }) {
  return (
    <div class="shown-once">
      <p>
        <strong>{name}</strong> is shown this once. Copy it now; it can’t be shown again.
      </p>
      <code class="mono">{value}</code>
      <CopyButton kind="primary" text={() => value} />
    </div>
  );
}
