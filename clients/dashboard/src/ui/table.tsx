// biome-ignore-all lint/a11y/noRedundantRoles: a narrow page lays the table out as blocks, and Safari then drops the native roles
import type { ComponentChildren } from 'preact';
import './table.css';

export interface Column<Row> {
  title: string;
  cell: (row: Row) => ComponentChildren;
  /** Numbers are right-aligned. */
  number?: boolean;
  /** The heading is only visible to screen readers. */
  hiddenTitle?: boolean;
}

/** A table that becomes labelled lines on narrow pages. */
export function Table<Row>({
  caption,
  columns,
  rows,
  keyOf,
}: {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
}) {
  return (
    <table role="table">
      <caption class="visually-hidden">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ title, number, hiddenTitle }) => (
            <th key={title} role="columnheader" scope="col" class={number ? 'number' : undefined}>
              <span class={hiddenTitle ? 'visually-hidden' : undefined}>{title}</span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map(row => (
          <tr role="row" key={keyOf(row)}>
            {columns.map(({ title, cell, number, hiddenTitle }) => (
              <td
                key={title}
                role="cell"
                class={number ? 'number' : undefined}
                data-title={hiddenTitle ? undefined : title}
              >
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
