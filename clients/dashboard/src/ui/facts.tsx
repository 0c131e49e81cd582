import type { ComponentChildren } from 'preact';
import './facts.css';

/** Names and values, one pair per line. */
export function Facts({ facts }: { facts: readonly (readonly [name: string, fact: ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {facts.map(([name, fact]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{fact}</dd>
        </div>
      ))}
    </dl>
  );
}
