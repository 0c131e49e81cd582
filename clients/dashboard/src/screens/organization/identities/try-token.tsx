import type { Identity } from '@holdfast/contracts/identities/identities.ts';
import { useState } from 'preact/hooks';
import { Field } from '../../../ui/field.tsx';
import { Section } from '../../../ui/page.tsx';
import { type Column, Table } from '../../../ui/table.tsx';
import { checkToken, type TokenCheck } from './check-token.ts';

/** Compares a pasted token with the identity. The token stays in the field: it is neither sent nor stored. */
export function TryToken({ identity }: { identity: Identity }) {
  const [token, setToken] = useState('');
  const checks = token.trim() === '' ? [] : checkToken(token, identity, Date.now());
  return (
    <Section
      title="Try it"
      lead="Paste a token from your platform to see claim by claim what matches. It stays in this page: nothing is sent, exchanged or stored."
    >
      <Field
        label="Token"
        name="token"
        mono
        multiline
        rows={4}
        value={token}
        onInput={setToken}
        placeholder="eyJhbGciOi…"
      />
      <p role="status">{verdict(checks)}</p>
      {checks !== undefined && checks.length > 0 && (
        <Table caption="What the token has" rows={checks} keyOf={({ id }) => id} columns={columns} />
      )}
    </Section>
  );
}

const columns: readonly Column<TokenCheck>[] = [
  { title: 'Claim', cell: ({ id }) => <span class="mono">{id}</span> },
  { title: 'Required', cell: ({ required }) => <span class="mono">{required}</span> },
  { title: 'In the token', cell: ({ found }) => <span class="mono">{found}</span> },
  {
    title: 'Matches',
    cell: ({ passes }) => <span class={passes ? 'good' : 'bad'}>{passes ? '✓ yes' : '× no'}</span>,
  },
];

function verdict(checks: readonly TokenCheck[] | undefined): string {
  if (checks === undefined) return 'This is not a JSON Web Token, which has three parts separated by dots.';
  if (checks.length === 0) return '';
  const failed = checks.filter(({ passes }) => !passes).map(({ id }) => id);
  if (failed.length > 0) return `Holdfast would reject this token because of ${failed.join(', ')}.`;
  return 'All claims match. When the job signs in, Holdfast also checks the signature.';
}
