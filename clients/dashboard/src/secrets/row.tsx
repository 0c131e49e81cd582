import type { SecretSummary } from '@holdfast/contracts/secrets/secrets.ts';
import { Cell, TableRow } from '../ui/table-elements.tsx';
import { Time } from '../ui/time.tsx';
import { RowButton, type RowIcon } from './row-button.tsx';
import type { Staged } from './stage.ts';

export interface Row {
  key: string;
  entry: SecretSummary | undefined;
  staged: Staged | undefined;
}

export type RowAction = 'open' | 'reveal' | 'copy' | 'edit' | 'delete' | 'unstage';

interface RowProps {
  row: Row;
  index: number;
  focusable: boolean;
  writable: boolean;
  onFocus: () => void;
  onAction: (action: RowAction, row: Row) => void;
}

export function SecretRow({ row, index, focusable, writable, onFocus, onAction }: RowProps) {
  const { key, entry, staged } = row;
  const mark = staged === undefined ? '' : staged.kind === 'delete' ? '−' : entry === undefined ? '+' : '~';
  const state = { '': '', '−': 'deleted', '+': 'added', '~': 'changed' }[mark];
  return (
    <TableRow
      aria-rowindex={index + 2}
      data-index={index}
      tabIndex={focusable ? 0 : -1}
      class={state}
      onFocusIn={onFocus}
    >
      <Cell>
        <span class="margin" aria-hidden="true">
          {mark}
        </span>
        {state !== '' && <span class="visually-hidden">{state}, not applied yet: </span>}
        <button
          type="button"
          class="open"
          title={key}
          tabIndex={focusable ? 0 : -1}
          onClick={() => onAction('open', row)}
        >
          <span class="mono key">{key}</span>
        </button>
      </Cell>
      <Cell class="changed">
        <Changed entry={entry} staged={staged} />
      </Cell>
      <Cell class="acts">
        {buttonsOf(row, writable).map(([action, label]) => (
          <RowButton
            key={action}
            icon={action}
            label={label}
            current={focusable}
            onClick={() => onAction(action, row)}
          />
        ))}
      </Cell>
    </TableRow>
  );
}

/** Who changed the secret and when, or what is staged for it. */
function Changed({ entry, staged }: Pick<Row, 'entry' | 'staged'>) {
  if (staged !== undefined) return <>{staged.kind === 'delete' ? 'will be deleted' : 'new value staged'}</>;
  if (entry === undefined) return null;
  return (
    <>
      <Time at={entry.updatedAt} /> <span title={entry.updatedBy.email}>{entry.updatedBy.email}</span>
    </>
  );
}

function buttonsOf({ key, entry, staged }: Row, writable: boolean): [icon: RowIcon, label: string][] {
  const stored = entry !== undefined;
  const buttons: readonly (readonly [when: boolean, icon: RowIcon, label: string])[] = [
    [stored, 'reveal', `Reveal ${key}`],
    [stored, 'copy', `Copy the value of ${key}`],
    [writable, 'edit', `New value for ${key}`],
    [writable && staged !== undefined, 'unstage', `Undo the change to ${key}`],
    [writable && staged === undefined, 'delete', `Delete ${key}`],
  ];
  return buttons.filter(([when]) => when).map(([, ...button]) => button);
}
