import type { ListedKey } from '@holdfast/contracts/secrets/secrets.ts';
import { DueDate, isNear } from '../ui/due-date.tsx';
import { Cell, TableRow } from '../ui/table-elements.tsx';
import { Time } from '../ui/time.tsx';
import { NamesOthers } from './names-others.tsx';
import { RowButton, type RowIcon } from './row-button.tsx';
import type { Staged } from './stage.ts';

export interface Row {
  key: string;
  entry: ListedKey | undefined;
  staged: Staged | undefined;
}

export type RowAction = 'open' | 'reveal' | 'copy' | 'edit' | 'delete' | 'unstage';

export interface RowHandlers {
  onFocus: (index: number) => void;
  onPick: (key: string, isRange: boolean) => void;
  onAction: (action: RowAction, row: Row) => void;
}

interface RowProps {
  row: Row;
  index: number;
  /** Only rows in sight have controls. The other ones have their key, which the browser's search finds. */
  isInSight: boolean;
  isSelected: boolean;
  focusable: boolean;
  writable: boolean;
  handlers: RowHandlers;
}

const states = { '': '', '−': 'deleted', '+': 'added', '~': 'changed' } as const;

export function SecretRow({ row, index, isInSight, isSelected, focusable, writable, handlers }: RowProps) {
  const { key, entry, staged } = row;
  const mark = staged === undefined ? '' : staged.kind === 'delete' ? '−' : entry === undefined ? '+' : '~';
  const tabIndex = focusable ? 0 : -1;
  const { onFocus, onPick, onAction } = handlers;
  return (
    <TableRow
      aria-rowindex={index + 2}
      data-index={index}
      tabIndex={tabIndex}
      class={`${states[mark]}${isSelected ? ' selected' : ''}`}
      onFocusIn={() => onFocus(index)}
    >
      <Cell class="pick">
        {isInSight && (
          <Pick
            label={`Select ${key}`}
            checked={isSelected}
            tabIndex={tabIndex}
            onPick={isRange => onPick(key, isRange)}
          />
        )}
      </Cell>
      <Cell class="of-key">
        {mark !== '' && (
          <>
            <span class="margin" aria-hidden="true">
              {mark}
            </span>
            <span class="visually-hidden">{states[mark]}, not applied yet: </span>
          </>
        )}
        <span class="key-line">
          <button type="button" class="open" tabIndex={tabIndex} onClick={() => onAction('open', row)}>
            <span class="mono key" title={key}>
              {key}
            </span>
          </button>
          {isInSight && entry !== undefined && <About entry={entry} />}
        </span>
      </Cell>
      {isInSight && (
        <>
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
        </>
      )}
    </TableRow>
  );
}

interface PickProps {
  label: string;
  checked: boolean;
  tabIndex: number;
  onPick: (isRange: boolean) => void;
}

/** The checkbox of a row, in a label that fingers can hit. */
export function Pick({ label, checked, tabIndex, onPick }: PickProps) {
  return (
    <label>
      <input
        type="checkbox"
        aria-label={label}
        checked={checked}
        tabIndex={tabIndex}
        onClick={event => onPick(event.shiftKey)}
      />
    </label>
  );
}

/** What is to know about the key: that its value names other keys, that it is due soon, and its tags. */
function About({ entry: { expand, dueAt, tags = [] } }: { entry: ListedKey }) {
  return (
    <>
      {expand && <NamesOthers />}
      {isNear(dueAt) && <DueDate at={dueAt} />}
      {tags.length > 0 && (
        <span class="tags" title={tags.join(', ')}>
          <span class="visually-hidden">tags: </span>
          {tags.join(', ')}
        </span>
      )}
    </>
  );
}

/** When the secret was changed and by whom, or what is staged for it. */
function Changed({ entry, staged }: Omit<Row, 'key'>) {
  if (staged !== undefined) return <>{staged.kind === 'delete' ? 'will be deleted' : 'new value staged'}</>;
  if (entry === undefined) return null;
  return (
    <>
      <Time at={entry.updatedAt} /> · <span title={entry.updatedBy.email}>{entry.updatedBy.email}</span>
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
