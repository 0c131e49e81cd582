import type { ComponentChildren } from 'preact';
import { fullTime } from '../../../ui/time.tsx';
import { doubtsOf } from './exposed.ts';

interface DoubtsProps {
  pages: Parameters<typeof doubtsOf>[0];
  /** The name of an erased environment, or else its id. */
  nameOf?: (environmentId: string) => ComponentChildren;
}

/** Why the answer may list more than was seen. */
export function Doubts({ pages, nameOf = id => id }: DoubtsProps) {
  const { before, erased } = doubtsOf(pages);
  if (before === undefined && erased.length === 0) return null;
  return (
    <div class="notice doubts">
      <p>
        <strong>This may be more than was really seen, never less.</strong>
      </p>
      {before !== undefined && (
        <p>
          What happened before {fullTime(before)} is not recorded any more, or not exactly. Whatever could have been
          read until then is listed as if it had been.
        </p>
      )}
      {erased.map(id => (
        <p key={id}>
          The environment {nameOf(id)} was erased together with its history. What was in it follows from the audit log
          alone.
        </p>
      ))}
    </div>
  );
}
