import type { SignIn } from '@holdfast/contracts/organizations/sign-in-settings.ts';
import { useState } from 'preact/hooks';
import { call } from '../../../api.ts';
import { useAction } from '../../../load.ts';
import { Button } from '../../../ui/button.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { Section } from '../../../ui/page.tsx';
import { Problem } from '../../../ui/problem.tsx';
import { type Column, Table } from '../../../ui/table.tsx';
import { showToast } from '../../../ui/toast.tsx';

type Domain = SignIn['domains'][number];

interface DomainsProps {
  params: { orgId: string };
  signIn: SignIn;
  onSaved: (signIn: SignIn) => void;
}

/** Which domains the organization has proved to control, and the records that prove the others. */
export function Domains({ params, signIn, onSaved }: DomainsProps) {
  const [asked, setAsked] = useState<string>();
  const verify = useAction(async (domain: string) => {
    setAsked(domain);
    const body = { domain };
    onSaved((await call('POST /v1/orgs/{orgId}/sign-in/domains/verify', { params, body })).signIn);
    showToast(`${domain} verified.`);
  });
  return (
    <Section
      title="Domains"
      lead="Publish each record as a TXT record of its domain, then verify it. New records can take hours to appear. Keep the records: they are checked again."
    >
      <Problem error={verify.error} />
      <Table
        caption="Domains"
        rows={signIn.domains}
        keyOf={({ domain }) => domain}
        columns={columnsOf(verify.busy ? asked : undefined, domain => void verify.run(domain))}
      />
    </Section>
  );
}

const columnsOf = (busy: string | undefined, onVerify: (domain: string) => void): readonly Column<Domain>[] => [
  { title: 'Domain', cell: ({ domain }) => <span class="mono">{domain}</span> },
  {
    title: 'TXT record',
    cell: ({ domain, verified, txtRecord }) =>
      verified ? (
        <span class="quiet">keep it published</span>
      ) : (
        <span class="to-copy">
          <code class="mono">{txtRecord}</code>
          <CopyButton text={() => txtRecord} what={`the record of ${domain}`} />
          <Button label={`Verify ${domain}`} busy={busy === domain} onClick={() => onVerify(domain)}>
            Verify
          </Button>
        </span>
      ),
  },
  {
    title: 'Status',
    cell: ({ verified }) =>
      verified ? <span class="good">✓ verified</span> : <span class="quiet">not verified yet</span>,
  },
];
