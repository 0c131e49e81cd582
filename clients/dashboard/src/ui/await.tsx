import type { ComponentChildren } from 'preact';
import type { Loaded } from '../load.ts';
import { Problem } from './problem.tsx';
import './await.css';

/** Shows the loaded data, a placeholder if loading takes more than a moment, or an error with a retry button. */
export function Await<T>({
  of,
  children,
  rows = 4,
}: {
  of: Loaded<T>;
  children: (data: T) => ComponentChildren;
  rows?: number;
}) {
  if (of.data !== undefined) return <>{children(of.data)}</>;
  if (of.error !== undefined) return <Problem error={of.error} retry={() => void of.reload()} />;
  return <Skeleton rows={rows} />;
}

function Skeleton({ rows }: { rows: number }) {
  return (
    <div class="skeleton" role="status">
      <span class="visually-hidden">Loading</span>
      {Array.from({ length: rows }, (_, index) => (
        <span key={index} />
      ))}
    </div>
  );
}
