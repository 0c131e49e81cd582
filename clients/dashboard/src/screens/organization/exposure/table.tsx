import type { Exposure } from '@holdfast/contracts/audit/exposure.ts';
import { toRanges } from '@holdfast/contracts/fields/number-ranges.ts';
import { useRef } from 'preact/hooks';
import { Spacer, useRowsInSight } from '../../../secrets/rows-in-sight.tsx';
import { EnvironmentMark } from '../../../ui/environment-mark.tsx';
import { secretPath } from '../../../ui/leaked.tsx';
import { Cell, ColumnHeader, TableBody, TableElement, TableHead, TableRow } from '../../../ui/table-elements.tsx';
import { ago, Time } from '../../../ui/time.tsx';
import { idOf } from './exposed.ts';
import '../../../secrets/margin.css';
import '../../../secrets/table.css';

interface ExposureTableProps {
  rows: readonly Exposure[];
  /** The organization's slug. */
  slug: string;
}

export function ExposureTable({ rows, slug }: ExposureTableProps) {
  const body = useRef<HTMLTableSectionElement>(null);
  const [first, end] = useRowsInSight(body, rows.length);
  return (
    <TableElement class="secrets exposures" aria-rowcount={rows.length + 1}>
      <caption class="visually-hidden">What was seen</caption>
      <TableHead>
        <TableRow aria-rowindex={1}>
          <ColumnHeader>Secret</ColumnHeader>
          <ColumnHeader>State</ColumnHeader>
          <ColumnHeader>Versions</ColumnHeader>
          <ColumnHeader>How</ColumnHeader>
          <ColumnHeader>Last seen</ColumnHeader>
        </TableRow>
      </TableHead>
      <TableBody ref={body}>
        {first > 0 && <Spacer rows={first} />}
        {rows.slice(first, end).map((row, offset) => (
          <ExposureRow key={idOf(row)} row={row} index={first + offset} slug={slug} />
        ))}
        {end < rows.length && <Spacer rows={rows.length - end} />}
      </TableBody>
    </TableElement>
  );
}

const ways: Readonly<Record<Exposure['how'][number], string>> = {
  pulled: 'pulled',
  history: 'history',
  compared: 'compared',
  written: 'written',
  validated: 'validated',
  exported: 'exported',
};

function ExposureRow({ row, index, slug }: { row: Exposure; index: number; slug: string }) {
  const { project, environment, key, versions, how, grants, firstAt, lastAt, current } = row;
  const inWords = how.length === 0 ? 'may have been read' : how.map(way => ways[way]).join(', ');
  return (
    <TableRow aria-rowindex={index + 2} data-index={index} class={current ? undefined : 'checked-off'}>
      <Cell>
        <span class="margin" aria-hidden="true">
          {current || environment.type === null ? '' : '✓'}
        </span>
        {environment.type === null ? (
          <Key name={key} />
        ) : (
          <a href={secretPath(slug, project.slug, environment.slug, key)}>
            <Key name={key} />
          </a>
        )}
        <small class="place">
          <span class="mono">{project.slug}</span> /{' '}
          {environment.type === null ? (
            <span class="mono">{environment.slug}</span>
          ) : (
            <EnvironmentMark type={environment.type} name={environment.slug} />
          )}
        </small>
      </Cell>
      <Cell class="state">
        {current ? (
          <strong class="bad">still current</strong>
        ) : (
          <span class={environment.type === null ? 'quiet' : 'good'}>
            {environment.type === null ? 'erased' : 'changed'}
          </span>
        )}
      </Cell>
      <Cell class="versions">
        {versions.length === 0 ? 'unknown' : <span class="mono">v{toRanges(versions)}</span>}
      </Cell>
      <Cell class="how">
        {inWords}
        {grants.length > 0 && ', under temporary access'}
      </Cell>
      <Cell class="seen">
        <Time at={lastAt} />
        {ago(firstAt) !== ago(lastAt) && (
          <small class="quiet">
            first <Time at={firstAt} />
          </small>
        )}
      </Cell>
    </TableRow>
  );
}

/** A row has one line for the key. CSS cuts a longer key off with an ellipsis; its title has the whole key. */
function Key({ name }: { name: string }) {
  return (
    <span class="mono key" title={name}>
      {name}
    </span>
  );
}
