import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { pathname } from '../router.ts';
import { Button } from './controls.tsx';

interface PageProps {
  /** The tab's title; the names of things, never a value. */
  title: string;
  heading?: ComponentChildren;
  lead?: ComponentChildren;
  actions?: ComponentChildren;
  children: ComponentChildren;
}

export function Page({ title, heading, lead, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Holdfast`;
  }, [title]);
  return (
    <main>
      <header class="page-head">
        <div>
          <h1>{heading ?? title}</h1>
          {lead !== undefined && <p class="lead">{lead}</p>}
        </div>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </header>
      {children}
    </main>
  );
}

export function Section({
  title,
  children,
  lead,
  danger,
}: {
  title: string;
  children: ComponentChildren;
  lead?: ComponentChildren;
  danger?: boolean;
}) {
  return (
    <section class={danger ? 'danger-zone' : undefined}>
      <h2>{title}</h2>
      {lead !== undefined && <p class="lead">{lead}</p>}
      {children}
    </section>
  );
}

/** A tab is current on the pages below it as well, but for the first one, below which all others are. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly (readonly [string, ComponentChildren])[] }) {
  const path = pathname();
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(([href, text], index) => (
        <a
          key={href}
          href={href}
          aria-current={path === href || (index > 0 && path.startsWith(`${href}/`)) ? 'page' : undefined}
        >
          {text}
        </a>
      ))}
    </nav>
  );
}

/** The way to the other pages of a list, where there are any. */
export function Pager({
  offset,
  shown,
  total,
  size,
  names: [before, after],
  onGo,
}: {
  offset: number;
  shown: number;
  total: number;
  size: number;
  names: readonly [before: string, after: string];
  onGo: (offset: number) => void;
}) {
  if (offset === 0 && shown >= total) return null;
  return (
    <nav class="pager" aria-label="Pages">
      <Button disabled={offset === 0} onClick={() => onGo(Math.max(0, offset - size))}>
        {before}
      </Button>
      <span class="quiet">
        {(offset + 1).toLocaleString('en')}–{(offset + shown).toLocaleString('en')} of {total.toLocaleString('en')}
      </span>
      <Button disabled={offset + shown >= total} onClick={() => onGo(offset + size)}>
        {after}
      </Button>
    </nav>
  );
}

interface Column<Row> {
  title: string;
  cell: (row: Row) => ComponentChildren;
  /** Numbers stand right, so that digits align. */
  number?: boolean;
  /** Its heading is for screen readers alone. */
  hiddenTitle?: boolean;
}

/** A table that turns into labelled lines where the page is narrow. */
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
