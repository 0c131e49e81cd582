import type { ComponentChildren } from 'preact';
import './person.css';

/** A person or thing by name, with its identifier below. */
export function Person({ name, detail }: { name: ComponentChildren; detail?: ComponentChildren }) {
  return (
    <span class="person">
      <strong>{name}</strong>
      {detail !== undefined && <span class="mono quiet">{detail}</span>}
    </span>
  );
}
