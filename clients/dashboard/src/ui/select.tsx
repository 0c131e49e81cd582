import { useId } from 'preact/hooks';
import './field.css';

interface SelectProps<Value extends string> {
  label: string;
  value: Value;
  options: readonly (readonly [value: Value, label: string])[];
  onChange: (value: Value) => void;
  hint?: string;
  hiddenLabel?: boolean;
  disabled?: boolean;
  /** The user must choose an option with a value. */
  required?: boolean | undefined;
}

export function Select<Value extends string>(props: SelectProps<Value>) {
  const { label, value, options, onChange, hint, hiddenLabel, disabled, required } = props;
  const id = useId();
  return (
    <div class="field">
      <label for={id} class={hiddenLabel ? 'visually-hidden' : undefined}>
        {label}
      </label>
      <select
        id={id}
        disabled={disabled}
        required={required}
        value={value}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        // The value is always one of the options.
        onChange={event => onChange(event.currentTarget.value as Value)}
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
