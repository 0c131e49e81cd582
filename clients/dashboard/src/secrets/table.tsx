import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { SecretSummary } from '../../../../lib/contracts/secrets/secret-summary.ts';
import { Time } from '../ui/time.tsx';
import { hide, revealed } from './reveal.ts';
import type { Staged } from './stage.ts';
import './margin.css';
import './table.css';

export interface Row {
  key: string;
  entry: SecretSummary | undefined;
  staged: Staged | undefined;
}

export type RowAction = 'reveal' | 'copy' | 'edit' | 'history' | 'delete' | 'unstage';

interface TableProps {
  environmentId: string;
  rows: readonly Row[];
  writable: boolean;
  onAction: (action: RowAction, row: Row) => void;
  onFilter: () => void;
  onHelp: () => void;
}

/** All of this many rows are on the page; of more, those in sight. */
const wholeUpTo = 200;
const beyondSight = 12;
const narrow = window.matchMedia('(max-width: 760px)');

/** The heights are those of `.secrets tr` in the style sheet: rows are fixed, so that 10,000 of them can be scrolled. */
const rowHeight = () => (narrow.matches ? 84 : 48);

const icons = {
  reveal: 'M1 8s2.5-4.5 7-4.5S15 8 15 8s-2.5 4.5-7 4.5S1 8 1 8zM8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4z',
  hide: 'M2 2l12 12M6.5 4a7 7 0 0 1 1.5-.2C12.5 3.800 15 8 15 8a12 12 0 0 1-2.200 2.600M4 5.200A12 12 0 0 0 1 8s2.5 4.5 7 4.5a7 7 0 0 0 2.5-.5',
  copy: 'M5.5 5.5v-4h9v9h-4M1.5 5.5h9v9h-9z',
  edit: 'M10.5 2.5l3 3L5 14H2v-3zM9 4l3 3',
  history: 'M8 4.5V8l2.5 1.5M2.5 8a5.5 5.5 0 1 0 1.600-3.900L2.5 5.700M2.5 2.5v3.200h3.200',
  delete: 'M2.5 4.5h11M6 4.5v-2h4v2M4 4.5l.7 9h6.600l.7-9',
  unstage: 'M5 3 2 6l3 3M2 6h7a4 4 0 0 1 0 8H6',
} as const;

interface ActProps {
  icon: keyof typeof icons;
  label: string;
  /** Tab stops at the buttons of the current row alone; the arrow keys go from row to row. */
  current: boolean;
  onClick: () => void;
}

function Act({ icon, label, current, onClick }: ActProps) {
  return (
    <button type="button" tabIndex={current ? 0 : -1} class="act" aria-label={label} title={label} onClick={onClick}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d={icons[icon]} />
      </svg>
    </button>
  );
}

export function SecretsTable({ environmentId, rows, writable, onAction, onFilter, onHelp }: TableProps) {
  const body = useRef<HTMLTableSectionElement>(null);
  const [range, setRange] = useState<[first: number, end: number]>([0, 60]);
  const [at, setAt] = useState(0);
  const whole = rows.length <= wholeUpTo;
  useLayoutEffect(() => {
    if (whole) return;
    const measure = () => {
      const top = body.current?.getBoundingClientRect().top ?? 0;
      const height = rowHeight();
      const first = Math.max(0, Math.floor(-top / height) - beyondSight);
      const end = Math.min(rows.length, Math.ceil((window.innerHeight - top) / height) + beyondSight);
      setRange(before => (before[0] === first && before[1] === end ? before : [first, end]));
    };
    measure();
    window.addEventListener('scroll', measure, { passive: true });
    window.addEventListener('resize', measure);
    return () => {
      window.removeEventListener('scroll', measure);
      window.removeEventListener('resize', measure);
    };
  }, [whole, rows.length]);
  const first = whole ? 0 : Math.min(range[0], Math.max(0, rows.length - 1));
  const end = whole ? rows.length : Math.max(first, Math.min(range[1], rows.length));
  const current = Math.min(at, rows.length - 1);

  const focusRow = (index: number) => {
    const next = Math.max(0, Math.min(rows.length - 1, index));
    setAt(next);
    const top = (body.current?.getBoundingClientRect().top ?? 0) + next * rowHeight();
    if (top < 80 || top > window.innerHeight - 160) window.scrollBy(0, top - window.innerHeight / 2);
    // The row may be drawn only after the scroll.
    requestAnimationFrame(() =>
      requestAnimationFrame(() => body.current?.querySelector<HTMLElement>(`[data-index="${next}"]`)?.focus()),
    );
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.metaKey || event.ctrlKey || event.altKey) return;
    const row = rows[current];
    const page = Math.max(1, Math.floor(window.innerHeight / rowHeight()) - 4);
    const moves: Readonly<Record<string, number>> = {
      ArrowDown: current + 1,
      ArrowUp: current - 1,
      PageDown: current + page,
      PageUp: current - page,
      Home: 0,
      End: rows.length - 1,
    };
    const move = moves[event.key];
    if (move !== undefined) focusRow(move);
    else if (event.key === '/') onFilter();
    else if (event.key === '?') onHelp();
    else if (event.target !== event.currentTarget && event.target instanceof HTMLButtonElement && event.key === 'Enter')
      return;
    else if (row === undefined) return;
    else if (event.key === 'r' && row.entry !== undefined) onAction('reveal', row);
    else if (event.key === 'c' && row.entry !== undefined) onAction('copy', row);
    else if (event.key === 'Enter' && writable) onAction('edit', row);
    else return;
    event.preventDefault();
  };
  return (
    <table class="secrets" role="table" aria-rowcount={rows.length + 1}>
      <caption class="visually-hidden">Secrets</caption>
      <thead role="rowgroup">
        <tr role="row" aria-rowindex={1}>
          <th role="columnheader" scope="col">
            Key
          </th>
          <th role="columnheader" scope="col">
            Value
          </th>
          <th role="columnheader" scope="col" class="changed">
            Changed
          </th>
          <th role="columnheader" scope="col">
            <span class="visually-hidden">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody ref={body} role="rowgroup" onKeyDown={onKeyDown}>
        {first > 0 && <Spacer rows={first} />}
        {rows.slice(first, end).map((row, offset) => {
          const index = first + offset;
          return (
            <SecretRow
              key={row.key}
              row={row}
              index={index}
              value={
                revealed.value?.environmentId === environmentId && revealed.value.key === row.key
                  ? revealed.value.value
                  : undefined
              }
              focusable={index === current}
              writable={writable}
              onFocus={() => setAt(index)}
              onAction={onAction}
            />
          );
        })}
        {end < rows.length && <Spacer rows={rows.length - end} />}
      </tbody>
    </table>
  );
}

function Spacer({ rows }: { rows: number }) {
  const element = useRef<HTMLTableRowElement>(null);
  // Set on the element: the content security policy allows no style in the markup.
  useLayoutEffect(() => {
    element.current?.style.setProperty('height', `${rows * rowHeight()}px`);
  });
  return <tr class="spacer" ref={element} aria-hidden="true" />;
}

interface RowProps {
  row: Row;
  index: number;
  value: string | undefined;
  focusable: boolean;
  writable: boolean;
  onFocus: () => void;
  onAction: (action: RowAction, row: Row) => void;
}

function SecretRow({ row, index, value, focusable, writable, onFocus, onAction }: RowProps) {
  const { key, entry, staged } = row;
  const mark = staged === undefined ? '' : staged.kind === 'delete' ? '−' : entry === undefined ? '+' : '~';
  const state = { '': '', '−': 'deleted', '+': 'added', '~': 'changed' }[mark];
  return (
    <tr
      role="row"
      aria-rowindex={index + 2}
      data-index={index}
      tabIndex={focusable ? 0 : -1}
      class={state}
      onFocusIn={onFocus}
    >
      <td role="cell">
        <span class="margin" aria-hidden="true">
          {mark}
        </span>
        {state !== '' && <span class="visually-hidden">{state}, not applied yet: </span>}
        <span class="mono key" title={key}>
          {key}
        </span>
      </td>
      <td role="cell">
        {value !== undefined ? (
          <span class="mono value" tabIndex={0} role="group" aria-label={`Value of ${key}`}>
            {value === '' ? <i>empty</i> : value}
          </span>
        ) : staged !== undefined ? (
          <span class="quiet">{staged.kind === 'delete' ? 'will be deleted' : 'new value staged'}</span>
        ) : (
          <span class="mask">
            <span aria-hidden="true">••••••••</span>
            <span class="visually-hidden">hidden</span>
          </span>
        )}
      </td>
      <td role="cell" class="changed">
        {entry !== undefined && (
          <span class="quiet">
            v{entry.version} · <Time at={entry.updatedAt} />
          </span>
        )}
      </td>
      <td role="cell" class="acts">
        {entry !== undefined &&
          (value !== undefined ? (
            <Act current={focusable} icon="hide" label={`Hide ${key}`} onClick={hide} />
          ) : (
            <Act current={focusable} icon="reveal" label={`Reveal ${key}`} onClick={() => onAction('reveal', row)} />
          ))}
        {entry !== undefined && (
          <Act
            current={focusable}
            icon="copy"
            label={`Copy the value of ${key}`}
            onClick={() => onAction('copy', row)}
          />
        )}
        {writable && (
          <Act current={focusable} icon="edit" label={`New value for ${key}`} onClick={() => onAction('edit', row)} />
        )}
        {entry !== undefined && (
          <Act
            current={focusable}
            icon="history"
            label={`History of ${key}`}
            onClick={() => onAction('history', row)}
          />
        )}
        {writable &&
          (staged !== undefined ? (
            <Act
              current={focusable}
              icon="unstage"
              label={`Take back the change of ${key}`}
              onClick={() => onAction('unstage', row)}
            />
          ) : (
            <Act current={focusable} icon="delete" label={`Delete ${key}`} onClick={() => onAction('delete', row)} />
          ))}
      </td>
    </tr>
  );
}
