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
        <strong>This list may include more than was really seen, but nothing is missing.</strong>
      </p>
      {before !== undefined && (
        <p>
          The log before {fullTime(before)} is incomplete. Everything that could have been read until then is listed.
        </p>
      )}
      {erased.map(id => (
        <p key={id}>
          The environment {nameOf(id)} was erased together with its history. Its contents are derived from the audit log
          alone.
        </p>
      ))}
    </div>
  );
}
