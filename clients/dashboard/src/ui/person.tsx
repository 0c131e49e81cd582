import type { ComponentChildren } from 'preact';
import './person.css';

/** A person or thing by name, with its identifier below. */
export function Person({ name, detail }: { name: ComponentChildren; detail?: ComponentChildren }) {
  return (
    <span class="person">
      <strong>
        <bdi>{name}</bdi>
      </strong>
      {detail !== undefined && <bdi class="mono quiet">{detail}</bdi>}
    </span>
  );
}
