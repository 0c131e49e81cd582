import type { CliToken } from '@holdfast/contracts/auth/tokens.ts';
import type { Column } from './table.tsx';
import { Time } from './time.tsx';

/* The columns that every table of tokens has. */

export const tokenColumn: Column<CliToken> = {
  title: 'Token',
  cell: ({ name, prefix }) => (
    <>
      <strong>
        <bdi>{name}</bdi>
      </strong>{' '}
      <span class="mono quiet">{prefix}…</span>
    </>
  ),
};

export const expiresColumn: Column<CliToken> = {
  title: 'Expires',
  cell: ({ expiresAt }) => (expiresAt === null ? 'never' : <Time at={expiresAt} />),
};
