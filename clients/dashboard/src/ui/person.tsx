import type { ComponentChildren } from 'preact';
import './person.css';

/** Somebody or something by name, with what identifies them below it. */
export function Person({ name, detail }: { name: ComponentChildren; detail?: ComponentChildren }) {
  return (
    <span class="person">
      <strong>{name}</strong>
      {detail !== undefined && <span class="mono quiet">{detail}</span>}
    </span>
  );
}
