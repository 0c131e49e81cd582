import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import './button.css';

interface ButtonProps {
  children: ComponentChildren;
  onClick?: (() => void) | undefined;
  type?: 'button' | 'submit';
  kind?: 'plain' | 'primary' | 'danger' | 'quiet';
  disabled?: boolean;
  busy?: boolean;
  label?: string;
  /** Why the button is disabled: shown next to it and read by screen readers. */
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
          // `aria-disabled` alone doesn't stop a button from submitting its form.
          if (off || busy) event.preventDefault();
          else onClick?.();
        }}
        // A disabled button can be focused, so that screen readers announce the reason.
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
