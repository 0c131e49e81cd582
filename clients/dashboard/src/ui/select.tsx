import { useId } from 'preact/hooks';
import './field.css';

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
