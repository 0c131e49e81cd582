import type { Passkey } from '@holdfast/contracts/auth/passkeys.ts';
import { passkeysPossible } from '../../factors/passkeys.ts';
import type { Loaded } from '../../load.ts';
import { Await } from '../../ui/await.tsx';
import { Button } from '../../ui/button.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { LastUsed, Time } from '../../ui/time.tsx';
import type { Open } from './second-factor-dialog.tsx';

export function Passkeys({ passkeys, onOpen }: { passkeys: Loaded<Passkey[]>; onOpen: (open: Open) => void }) {
  return (
    <>
      <h3>Passkeys</h3>
      <Await of={passkeys} rows={1}>
        {list =>
          list.length === 0 ? (
            <p class="quiet">None yet. A passkey is your device’s fingerprint, face or PIN.</p>
          ) : (
            <Table caption="Passkeys" rows={list} keyOf={({ id }) => id} columns={columns(onOpen)} />
          )
        }
      </Await>
      <div class="actions">
        <Button
          onClick={() => onOpen({ kind: 'add-passkey' })}
          whyNot={
            passkeysPossible ? undefined : 'Passkeys need a browser that supports them and a host name in the address.'
          }
        >
          Add a passkey
        </Button>
      </div>
    </>
  );
}

const columns = (onOpen: (open: Open) => void): readonly Column<Passkey>[] => [
  {
    title: 'Passkey',
    cell: ({ name, counterWentBackAt }) => (
      <>
        <strong>{name}</strong>
        {counterWentBackAt !== null && (
          <p class="quiet">
            Its counter went back <Time at={counterWentBackAt} />. This is normal after a password manager has moved it.
            Otherwise there may be a copy: remove the passkey.
          </p>
        )}
      </>
    ),
  },
  { title: 'Added', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { title: 'Last used', cell: ({ lastUsedAt }) => <LastUsed at={lastUsedAt} /> },
  {
    title: 'Actions',
    hiddenTitle: true,
    cell: passkey => (
      <Button
        kind="quiet"
        label={`Remove the passkey ${passkey.name}`}
        onClick={() => onOpen({ kind: 'remove-passkey', passkey })}
      >
        Remove
      </Button>
    ),
  },
];
