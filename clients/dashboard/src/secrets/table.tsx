import { useEffect, useRef } from 'preact/hooks';
import { ColumnHeader, TableBody, TableElement, TableHead, TableRow } from '../ui/table-elements.tsx';
import { type Row, type RowAction, SecretRow } from './row.tsx';
import { useRowKeys } from './row-keys.ts';
import { Spacer, useRowsInSight } from './rows-in-sight.tsx';
import './margin.css';
import './table.css';

interface TableProps {
  rows: readonly Row[];
  writable: boolean;
  /** The key that a link leads to. Its row gets the focus. */
  wanted: string | undefined;
  onAction: (action: RowAction, row: Row) => void;
  onFilter: () => void;
  onHelp: () => void;
}

export function SecretsTable({ rows, writable, wanted, onAction, onFilter, onHelp }: TableProps) {
  const body = useRef<HTMLTableSectionElement>(null);
  const [first, end] = useRowsInSight(body, rows.length);
  const { current, setCurrent, focusRow, onKeyDown } = useRowKeys(body, rows.length, (key, index, event) => {
    const action = actionOf(key, rows[index], writable);
    if (key === '/') onFilter();
    else if (key === '?') onHelp();
    // Enter on a button of the row presses that button.
    else if (action === undefined || (key === 'Enter' && event.target instanceof HTMLButtonElement)) return false;
    else onAction(...action);
    return true;
  });
  useEffect(() => {
    const index = rows.findIndex(({ key }) => key === wanted);
    if (index >= 0) focusRow(index);
  }, [wanted]);
  return (
    <TableElement class="secrets" aria-rowcount={rows.length + 1}>
      <caption class="visually-hidden">Secrets</caption>
      <TableHead>
        <TableRow aria-rowindex={1}>
          <ColumnHeader>Key</ColumnHeader>
          <ColumnHeader class="changed">Changed</ColumnHeader>
          <ColumnHeader>
            <span class="visually-hidden">Actions</span>
          </ColumnHeader>
        </TableRow>
      </TableHead>
      <TableBody ref={body} onKeyDown={onKeyDown}>
        {first > 0 && <Spacer rows={first} />}
        {rows.slice(first, end).map((row, offset) => (
          <SecretRow
            key={row.key}
            row={row}
            index={first + offset}
            focusable={first + offset === current}
            writable={writable}
            onFocus={() => setCurrent(first + offset)}
            onAction={onAction}
          />
        ))}
        {end < rows.length && <Spacer rows={rows.length - end} />}
      </TableBody>
    </TableElement>
  );
}

/** The single-key shortcuts for the focused row. */
function actionOf(key: string, row: Row | undefined, writable: boolean): [RowAction, Row] | undefined {
  if (row === undefined) return undefined;
  if (key === 'r' && row.entry !== undefined) return ['reveal', row];
  if (key === 'c' && row.entry !== undefined) return ['copy', row];
  if (key === 'e' && writable) return ['edit', row];
  if (key === 'Enter') return ['open', row];
  return undefined;
}
