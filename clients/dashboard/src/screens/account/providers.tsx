import { useState } from 'preact/hooks';
import { type Answer, call } from '../../api.ts';
import { useLoad } from '../../load.ts';
import { Await } from '../../ui/await.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Section } from '../../ui/page.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { LastUsed, Time } from '../../ui/time.tsx';
import { showToast } from '../../ui/toast.tsx';

type ProviderLink = Answer<'GET /v1/auth/providers'>['links'][number];

export function Providers() {
  const links = useLoad('providers', async signal => (await call('GET /v1/auth/providers', { signal })).links);
  const [ending, setEnding] = useState<ProviderLink>();
  return (
    <Section title="Sign-in providers" lead="Organizations whose sign-in provider logs you in.">
      <Await of={links} rows={1}>
        {list =>
          list.length === 0 ? (
            <p class="quiet">None.</p>
          ) : (
            <Table caption="Sign-in providers" rows={list} keyOf={({ id }) => id} columns={columns(setEnding)} />
          )
        }
      </Await>
      {ending !== undefined && (
        <Confirm
          title="Unlink the sign-in provider"
          action="Unlink"
          onClose={() => setEnding(undefined)}
          onConfirm={async () => {
            await call('DELETE /v1/auth/providers/{linkId}', { params: { linkId: ending.id } });
            showToast('Provider unlinked.');
            await links.reload();
          }}
        >
          <p>
            The provider of <strong>{ending.organization.name}</strong> can no longer log you in. Sessions that came
            through it end, and tokens created with them are revoked. You stay a member.
          </p>
        </Confirm>
      )}
    </Section>
  );
}

const columns = (onEnd: (link: ProviderLink) => void): readonly Column<ProviderLink>[] => [
  { title: 'Organization', cell: ({ organization }) => <strong>{organization.name}</strong> },
  { title: 'Provider', cell: ({ issuer }) => <span class="mono">{issuer}</span> },
  { title: 'Linked', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { title: 'Last used', cell: ({ lastUsedAt }) => <LastUsed at={lastUsedAt} /> },
  {
    title: 'Actions',
    hiddenTitle: true,
    cell: link => (
      <Button kind="quiet" label={`Unlink the provider of ${link.organization.name}`} onClick={() => onEnd(link)}>
        Unlink
      </Button>
    ),
  },
];
