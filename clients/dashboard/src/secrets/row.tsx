import type { SecretSummary } from '@holdfast/contracts/secrets/secrets.ts';
import { ScrollArea } from '../ui/scroll-area.tsx';
import { Cell, TableRow } from '../ui/table-elements.tsx';
import { Time } from '../ui/time.tsx';
import { RowButton, type RowIcon } from './row-button.tsx';
import type { Staged } from './stage.ts';

export interface Row {
  key: string;
  entry: SecretSummary | undefined;
  staged: Staged | undefined;
}

export type RowAction = 'reveal' | 'copy' | 'edit' | 'history' | 'delete' | 'unstage';

interface RowProps {
  row: Row;
  index: number;
  value: string | undefined;
  focusable: boolean;
  writable: boolean;
  onFocus: () => void;
  onAction: (action: RowAction, row: Row) => void;
}

export function SecretRow({ row, index, value, focusable, writable, onFocus, onAction }: RowProps) {
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
        <span class="mono key" title={key}>
          {key}
        </span>
      </Cell>
      <Cell>
        <Value name={key} value={value} staged={staged} />
      </Cell>
      <Cell class="changed">
        {entry !== undefined && (
          <span class="quiet">
            v{entry.version} · <Time at={entry.updatedAt} />
          </span>
        )}
      </Cell>
      <Cell class="acts">
        {buttonsOf(row, value !== undefined, writable).map(([icon, action, label]) => (
          <RowButton key={action} icon={icon} label={label} current={focusable} onClick={() => onAction(action, row)} />
        ))}
      </Cell>
    </TableRow>
  );
}

function Value({ name, value, staged }: { name: string; value: string | undefined; staged: Staged | undefined }) {
  if (value !== undefined)
    return (
      <ScrollArea label={`Value of ${name}`} class="mono value">
        {value === '' ? <i>empty</i> : value}
      </ScrollArea>
    );
  if (staged !== undefined)
    return <span class="quiet">{staged.kind === 'delete' ? 'will be deleted' : 'new value staged'}</span>;
  return (
    <span class="mask">
      <span aria-hidden="true">••••••••</span>
      <span class="visually-hidden">hidden</span>
    </span>
  );
}

type RowButtonOf = readonly [icon: RowIcon, action: RowAction, label: string];

function buttonsOf({ key, entry, staged }: Row, shown: boolean, writable: boolean): RowButtonOf[] {
  const stored = entry !== undefined;
  const buttons: readonly (readonly [when: boolean, ...RowButtonOf])[] = [
    [stored && !shown, 'reveal', 'reveal', `Reveal ${key}`],
    [stored && shown, 'hide', 'reveal', `Hide ${key}`],
    [stored, 'copy', 'copy', `Copy the value of ${key}`],
    [writable, 'edit', 'edit', `New value for ${key}`],
    [stored, 'history', 'history', `History of ${key}`],
    [writable && staged !== undefined, 'unstage', 'unstage', `Undo the change to ${key}`],
    [writable && staged === undefined, 'delete', 'delete', `Delete ${key}`],
  ];
  return buttons.filter(([when]) => when).map(([, ...button]) => button);
}
