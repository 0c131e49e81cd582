import type { EnvironmentType } from '@holdfast/contracts/fields/role.ts';
import './environment-mark.css';

/** Marks an environment by shape and label. The color adds no information. */
export function EnvironmentMark({ type, name }: { type: EnvironmentType; name: string }) {
  return (
    <span class={`environment-mark ${type}`}>
      <svg viewBox="0 0 12 12" aria-hidden="true">
        {type === 'development' && <circle cx="6" cy="6" r="4.6" />}
        {type === 'staging' && <path d="M6 .8 11.2 6 6 11.2.8 6z" />}
        {type === 'production' && <path d="M1 1h10v10H1z" />}
      </svg>
      {name}
    </span>
  );
}
