// biome-ignore-all lint/a11y/noRedundantRoles: narrow pages change the table's `display`, and Safari then drops the native roles
import type { JSX } from 'preact';

/** Table elements that keep their roles for screen readers, whatever their `display`. */
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
