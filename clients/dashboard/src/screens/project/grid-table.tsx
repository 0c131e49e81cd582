import { useRef } from 'preact/hooks';
import { EnvironmentMark } from '../../ui/environment-mark.tsx';
import { Spacer, useRowsInFrame } from '../../ui/rows-in-frame.tsx';
import { ScrollArea } from '../../ui/scroll-area.tsx';
import { type CellState, type Column, cellOf } from './grid-cells.ts';
import { gridRowPx, useCellKeys } from './use-cell-keys.ts';
import '../../ui/matrix.css';
import './grid.css';

/** What the user may do in a cell. */
export interface GridCell {
  column: Column;
  key: string;
}

interface GridTableProps {
  keys: readonly string[];
  columns: readonly Column[];
  required: ReadonlySet<string>;
  chosen: ReadonlySet<string>;
  /** Where the environment's page is. */
  addressOf: (column: Column) => string;
  isWritable: (column: Column) => boolean;
  isStaged: (cell: GridCell) => boolean;
  onChoose: (index: number, on: boolean, range: boolean) => void;
  onOpen: (cell: GridCell) => void;
}

/** A row for each key, and a column for each environment. Only the rows in sight are rendered. */
export function GridTable(props: GridTableProps) {
  const { keys, columns } = props;
  const body = useRef<HTMLTableSectionElement>(null);
  const [first, end] = useRowsInFrame(body, { rows: keys.length, rowPx: gridRowPx });
  const cells = useCellKeys(body, { rows: keys.length, columns: columns.length + 1 });
  return (
    <ScrollArea class="matrix-frame" label="Keys by environment">
      {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table whose cells act is a grid */}
      <table class="matrix" role="grid" aria-rowcount={keys.length + 1}>
        <caption class="visually-hidden">Keys by environment</caption>
        <thead>
          <tr aria-rowindex={1}>
            <th scope="col">Key</th>
            {columns.map(column => (
              <th key={column.environment.id} scope="col">
                <a href={props.addressOf(column)}>
                  <EnvironmentMark type={column.environment.type} name={column.environment.slug} />
                </a>
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body} onKeyDown={cells.onKeyDown} onFocusIn={cells.onFocusIn}>
          {first > 0 && <Spacer rows={first} rowPx={gridRowPx} />}
          {keys.slice(first, end).map((key, offset) => (
            <Row key={key} {...props} name={key} index={first + offset} isCurrent={cells.isCurrent} />
          ))}
          {end < keys.length && <Spacer rows={keys.length - end} rowPx={gridRowPx} />}
        </tbody>
      </table>
    </ScrollArea>
  );
}

interface RowProps extends GridTableProps {
  name: string;
  index: number;
  isCurrent: (row: number, column: number) => boolean;
}

function Row(props: RowProps) {
  const { name, index, columns, chosen, isCurrent, onChoose } = props;
  return (
    <tr aria-rowindex={index + 2} class={chosen.has(name) ? 'chosen' : undefined}>
      <th scope="row">
        <label>
          <input
            type="checkbox"
            data-cell={`${index},0`}
            tabIndex={isCurrent(index, 0) ? 0 : -1}
            checked={chosen.has(name)}
            onClick={event => onChoose(index, event.currentTarget.checked, event.shiftKey)}
          />
          <span class="mono key" title={name}>
            {name}
          </span>
        </label>
      </th>
      {columns.map((column, at) => (
        <Cell key={column.environment.id} {...props} column={column} at={at + 1} />
      ))}
    </tr>
  );
}

const marks: Readonly<Record<CellState, string>> = { same: '=', different: '≠', set: '', missing: '' };

function Cell({ name, index, column, at, ...props }: RowProps & { column: Column; at: number }) {
  const state = cellOf(name, column);
  const cell = { column, key: name };
  const isMissing = state === 'missing';
  const focus = { 'data-cell': `${index},${at}`, tabIndex: props.isCurrent(index, at) ? 0 : -1 };
  const { slug } = column.environment;
  const word = (
    <>
      {marks[state] !== '' && <span aria-hidden="true">{marks[state]} </span>}
      {state}
    </>
  );
  const style = isMissing && props.required.has(name) ? 'required' : state;
  return (
    <td class={style}>
      {props.isStaged(cell) ? <span class="staged">staged </span> : null}
      {isMissing && !props.isWritable(column) ? (
        <span {...focus}>{word}</span>
      ) : (
        <button type="button" {...focus} onClick={() => props.onOpen(cell)}>
          {word}
          {isMissing && <span class="act"> Set</span>}
          <span class="visually-hidden">
            {' '}
            {name} in {slug}
          </span>
        </button>
      )}
    </td>
  );
}
