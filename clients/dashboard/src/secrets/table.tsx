import { useEffect, useMemo, useRef } from 'preact/hooks';
import { ColumnHeader, TableBody, TableElement, TableHead, TableRow } from '../ui/table-elements.tsx';
import { Pick, type Row, type RowAction, type RowHandlers, SecretRow } from './row.tsx';
import { useRowKeys } from './row-keys.ts';
import { type Block, drawnUpTo, rowHeightPx, Spacer, useBlocks, useRowsInSight } from './rows-in-sight.tsx';
import type { Rows, Sorting } from './use-rows.ts';
import './margin.css';
import './table.css';

interface TableProps {
  rows: Rows;
  writable: boolean;
  /** The key that a link leads to. Its row gets the focus. */
  wanted: string | undefined;
  onAction: (action: RowAction, row: Row) => void;
}

export function SecretsTable({ rows, writable, wanted, onAction }: TableProps) {
  const body = useRef<HTMLTableSectionElement>(null);
  const { shown, selection } = rows;
  const [first, end] = useRowsInSight(body, shown.length);
  const { current, setCurrent, focusRow, onKeyDown } = useRowKeys(body, shown.length, {
    move: (from, to) => {
      const [start, next] = [shown[from], shown[to]];
      if (start !== undefined && next !== undefined) selection.extend(next.key, start.key);
    },
    act: (key, index, event) => {
      const row = shown[index];
      // On a button or a checkbox of the row, these press it.
      const isOnControl = event.target instanceof HTMLButtonElement || event.target instanceof HTMLInputElement;
      if (row === undefined || (isOnControl && (key === 'Enter' || key === ' '))) return false;
      const action = actionOf(key, row, writable);
      if (key === ' ') selection.toggle(row.key);
      else if (key === 'Escape' && selection.selected.length > 0) selection.clear();
      else if (action !== undefined) onAction(action, row);
      else return false;
      return true;
    },
  });
  useEffect(() => {
    const index = shown.findIndex(({ key }) => key === wanted);
    if (index >= 0) focusRow(index);
  }, [wanted]);
  const blocks = useBlocks(shown);
  const handlers = useSameHandlers({
    onFocus: setCurrent,
    onPick: (key, isRange) => (isRange ? selection.extend(key) : selection.toggle(key)),
    onAction,
  });
  return (
    <>
      {shown.length > drawnUpTo && (
        <p class="hint">Your browser’s own search only finds the keys in view here. The filter finds all of them.</p>
      )}
      <TableElement class="secrets" aria-rowcount={shown.length + 1}>
        <caption class="visually-hidden">Secrets</caption>
        <Head rows={rows} />
        <TableBody ref={body} onKeyDown={onKeyDown}>
          {blocks.map(block => (
            <BlockRows
              key={block.start}
              block={block}
              inSight={within(block, [first, end])}
              current={within(block, [current, current + 1])}
              selected={block.rows.map(({ key }) => (selection.has(key) ? 1 : 0)).join('')}
              {...{ writable, handlers }}
            />
          ))}
        </TableBody>
      </TableElement>
    </>
  );
}

/** Handlers that stay the same, so that a block whose rows have not changed is not rendered again. */
function useSameHandlers(handlers: RowHandlers): RowHandlers {
  const latest = useRef(handlers);
  latest.current = handlers;
  return useMemo(
    () => ({
      onFocus: index => latest.current.onFocus(index),
      onPick: (key, isRange) => latest.current.onPick(key, isRange),
      onAction: (action, row) => latest.current.onAction(action, row),
    }),
    [],
  );
}

function Head({ rows: { all, shown, selection, sorting, sortBy } }: { rows: Rows }) {
  return (
    <TableHead>
      <TableRow aria-rowindex={1}>
        <ColumnHeader class="pick">
          <Pick
            label={`Select all ${shown.length === all.length ? '' : 'matching '}keys`}
            checked={selection.isAll}
            tabIndex={0}
            onPick={selection.toggleAll}
          />
        </ColumnHeader>
        <Sorted by="key" title="Key" {...{ sorting, sortBy }} />
        <Sorted by="changed" title="Changed" {...{ sorting, sortBy }} />
        <ColumnHeader class="acts">
          <span class="visually-hidden">Actions</span>
        </ColumnHeader>
      </TableRow>
    </TableHead>
  );
}

interface BlockProps {
  block: Block;
  inSight: string;
  current: string;
  /** A digit for each row. */
  selected: string;
  writable: boolean;
  handlers: RowHandlers;
}

/** The part of a range that is in a block, as a text that can be compared. */
function within({ start, rows }: Block, [first, end]: readonly [number, number]): string {
  const [from, to] = [Math.max(first, start), Math.min(end, start + rows.length)];
  return from < to ? `${from} ${to}` : '';
}

/** The rows of a block, with the height of those that are not drawn. */
function BlockRows({ block, inSight, current, selected, writable, handlers }: BlockProps) {
  const { start, rows, drawn } = block;
  const isWhole = drawn === 'always' || (drawn === 'near' && inSight !== '');
  return useMemo(() => {
    const [first = start, end = start] = inSight === '' ? [] : inSight.split(' ').map(Number);
    const [from, to] = isWhole ? [0, rows.length] : [first - start, end - start];
    return (
      <>
        {from > 0 && <Spacer key="above" rows={from} />}
        {rows.slice(from, to).map((row, offset) => (
          <SecretRow
            key={row.key}
            row={row}
            index={start + from + offset}
            isInSight={start + from + offset >= first && start + from + offset < end}
            isSelected={selected[from + offset] === '1'}
            focusable={current !== '' && start + from + offset === Number(current.split(' ')[0])}
            {...{ writable, handlers }}
          />
        ))}
        {to < rows.length && <Spacer key="below" rows={rows.length - to} />}
      </>
    );
  }, [rows, start, isWhole, inSight, current, selected, writable, rowHeightPx()]);
}

/** The header of a column that sorts the table. */
function Sorted({
  by,
  title,
  sorting,
  sortBy,
}: {
  by: Sorting['by'];
  title: string;
  sorting: Sorting;
  sortBy: (by: Sorting['by']) => void;
}) {
  const direction = sorting.by === by ? (sorting.descending ? 'descending' : 'ascending') : undefined;
  return (
    <ColumnHeader class={`by-${by}`} aria-sort={direction}>
      <button type="button" onClick={() => sortBy(by)}>
        {title}
        <span aria-hidden="true">{direction === undefined ? '' : direction === 'ascending' ? ' ↑' : ' ↓'}</span>
      </button>
    </ColumnHeader>
  );
}

/** The single-key shortcuts for the focused row. */
function actionOf(key: string, row: Row, writable: boolean): RowAction | undefined {
  if (key === 'r' && row.entry !== undefined) return 'reveal';
  if (key === 'c' && row.entry !== undefined) return 'copy';
  if (key === 'e' && writable) return 'edit';
  return key === 'Enter' ? 'open' : undefined;
}
