import type { Environment } from '@holdfast/contracts/projects/projects.ts';
import type { ChangePlan } from '@holdfast/contracts/secrets/changes.ts';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../ui/button.tsx';
import { count } from '../ui/count.ts';
import { Field } from '../ui/field.tsx';
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

/** The reason and confirmation of a change. For production, the user must type its slug. */
export function Apply({
  environment,
  label,
  busy,
  disabled,
  whyNot,
  onApply,
}: {
  environment: Environment;
  label: string;
  busy: boolean;
  disabled?: boolean;
  whyNot?: string | undefined;
  onApply: (message: string) => void;
}) {
  const [message, setMessage] = useState('');
  const [typed, setTyped] = useState('');
  const production = environment.type === 'production';
  const ready = !disabled && (!production || typed === environment.slug);
  return (
    <form
      class="apply"
      onSubmit={event => {
        event.preventDefault();
        if (ready && !busy && whyNot === undefined) onApply(message.trim());
      }}
    >
      <Field
        label="Why? (optional)"
        name="message"
        maxLength={200}
        value={message}
        onInput={setMessage}
        hint="One line for the history and the audit log. Never a value."
      />
      {production && (
        <Field
          label={`Type ${environment.slug} to change production`}
          name="confirmation"
          mono
          value={typed}
          onInput={setTyped}
        />
      )}
      <div class="actions">
        <Button type="submit" kind="primary" busy={busy} disabled={!ready} whyNot={whyNot}>
          {label}
        </Button>
      </div>
    </form>
  );
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
