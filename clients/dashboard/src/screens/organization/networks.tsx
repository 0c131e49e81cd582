import type { OwnOrganization } from '@holdfast/contracts/auth/account.ts';
import { type Answer, call } from '../../api.ts';
import { useAction, useLoad } from '../../load.ts';
import { whyNot } from '../../session.ts';
import { Await } from '../../ui/await.tsx';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { showToast } from '../../ui/toast.tsx';

type Found = Answer<'GET /v1/orgs/{orgId}/networks'>;

/** From which networks people and machines reach the organization. */
export function Networks({ organization: { id: orgId, role } }: { organization: OwnOrganization }) {
  const loaded = useLoad<Found>(`networks ${orgId}`, signal =>
    call('GET /v1/orgs/{orgId}/networks', { params: { orgId }, signal }),
  );
  return (
    <Section
      title="Allowed networks"
      lead="Requests from other networks are rejected. One network per line, such as 198.51.100.0/24; without any, every network is allowed."
    >
      <Await of={loaded}>
        {found => <Lists found={found} orgId={orgId} forbidden={whyNot('set-allowed-networks', role)} />}
      </Await>
    </Section>
  );
}

const networksIn = (text = '') => {
  const lines = text.split(/[\s,]+/).filter(line => line !== '');
  return lines.length === 0 ? null : lines;
};

function Lists({ found, orgId, forbidden }: { found: Found; orgId: string; forbidden: string | undefined }) {
  const { networks, ownAddress } = found;
  const save = useAction(async (values: Record<string, string>) => {
    const body = { people: networksIn(values.people), machines: networksIn(values.machines) };
    await call('PUT /v1/orgs/{orgId}/networks', { params: { orgId }, body });
    showToast('Allowed networks saved.');
  });
  return (
    <Form onSubmit={values => void save.run(values)}>
      <Field
        label="People: sessions and their tokens"
        name="people"
        multiline
        mono
        value={networks.people?.join('\n') ?? ''}
        hint={`Your own address, ${ownAddress}, must be in one of them.`}
        error={save.error}
      />
      <Field
        label="Machines: identities and their tokens"
        name="machines"
        multiline
        mono
        value={networks.machines?.join('\n') ?? ''}
        error={save.error}
      />
      <Problem error={save.error} />
      <div class="actions">
        <Button type="submit" busy={save.busy} whyNot={forbidden}>
          Save networks
        </Button>
      </div>
    </Form>
  );
}
