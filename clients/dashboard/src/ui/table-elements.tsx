// biome-ignore-all lint/a11y/noRedundantRoles: narrow pages lay tables out with `display`, and Safari then forgets their roles
import type { JSX } from 'preact';

/** The elements of a table that stays one for screen readers, however the style sheet lays it out. */
export function TableElement(props: JSX.IntrinsicElements['table']) {
  return <table role="table" {...props} />;
}

export function TableHead(props: JSX.IntrinsicElements['thead']) {
  return <thead role="rowgroup" {...props} />;
}

export function TableBody(props: JSX.IntrinsicElements['tbody']) {
  return <tbody role="rowgroup" {...props} />;
}

export function TableRow(props: JSX.IntrinsicElements['tr']) {
  return <tr role="row" {...props} />;
}

export function ColumnHeader(props: JSX.IntrinsicElements['th']) {
  return <th role="columnheader" scope="col" {...props} />;
}

export function Cell(props: JSX.IntrinsicElements['td']) {
  return <td role="cell" {...props} />;
}
