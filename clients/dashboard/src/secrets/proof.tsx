import type { ChangePlan } from '@holdfast/contracts/secrets/changes.ts';
import type { ComponentChildren } from 'preact';
import { count } from '../ui/count.ts';
import './margin.css';
import './proof.css';

export interface ProofLine {
  mark: '+' | '~' | '−' | '=';
  key: string;
  note?: ComponentChildren;
}

const words = { '+': 'added', '~': 'changed', '−': 'deleted', '=': 'unchanged' } as const;

/** A list of changes, laid out like a printer's proof: revisions at the top, then lines with a mark and a key. */
export function Proof({
  lines,
  from,
  to,
  empty = 'Nothing changes.',
}: {
  lines: readonly ProofLine[];
  from: number;
  to: number | undefined;
  empty?: string;
}) {
  return (
    <div class="proof">
      <p class="proof-head">
        <span class="mono">
          {to === undefined ? (
            <>
              <span class="quiet">at</span> {from}
            </>
          ) : (
            <>
              {from} <span aria-hidden="true">→</span>
              <span class="visually-hidden">to</span> {to}
            </>
          )}
        </span>
        <span class="quiet">{summary(lines)}</span>
      </p>
      {lines.length === 0 ? (
        <p class="quiet">{empty}</p>
      ) : (
        <ul>
          {lines.map(({ mark, key, note }) => (
            <li key={key} class={words[mark]}>
              <span class="margin" aria-hidden="true">
                {mark}
              </span>
              <span class="visually-hidden">{words[mark]}: </span>
              <span class="mono key">{key}</span>
              {note !== undefined && <span class="note">{note}</span>}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function summary(lines: readonly ProofLine[]): string {
  const marks = (['+', '~', '−', '='] as const).map(
    mark => [mark, lines.filter(line => line.mark === mark).length] as const,
  );
  const parts = marks.filter(([, number]) => number > 0).map(([mark, number]) => `${number} ${words[mark]}`);
  return parts.length === 0 ? '' : `${count(lines.length, 'key')}: ${parts.join(', ')}`;
}

/**
 * The plan of a dry run. A response without one may mean that the change was applied, so it is never shown as a plan.
 */
export function planOf(answer: object): ChangePlan {
  if ('plan' in answer) return answer.plan as ChangePlan;
  throw new Error('The answer to a dry run has no plan.');
}

/** A plan's keys as lines. */
export function linesOf({
  created,
  updated,
  deleted,
}: {
  created: readonly string[];
  updated: readonly string[];
  deleted: readonly string[];
}): ProofLine[] {
  return [
    ...created.map(key => ({ mark: '+' as const, key })),
    ...updated.map(key => ({ mark: '~' as const, key })),
    ...deleted.map(key => ({ mark: '−' as const, key })),
  ].toSorted((a, b) => (a.key < b.key ? -1 : 1));
}
