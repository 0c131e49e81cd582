import { useState } from 'preact/hooks';
import { call } from '../../api.ts';
import { useAction } from '../../load.ts';
import { navigate } from '../../router.ts';
import { loadSession, may, user, whoMay } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import type { OrganizationProps } from '../../ui/in-organization.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { showToast } from '../../ui/toast.tsx';

export function OrganizationSettings({ organization }: OrganizationProps) {
  const params = { orgId: organization.id };
  const [deleting, setDeleting] = useState(false);
  const rename = useAction(async ({ name = '' }: Record<string, string>) => {
    await call('PATCH /v1/orgs/{orgId}', { params, body: { name } });
    await loadSession();
    showToast('The organization is renamed.');
  });
  return (
    <Page title={`Settings · ${organization.name}`} heading="Settings">
      <Section title="Name">
        <Form onSubmit={values => void rename.run(values)}>
          <Field label="Name" name="name" required maxLength={100} value={organization.name} error={rename.error} />
          <p class="hint">
            In addresses it is <code>{organization.slug}</code>, which never changes.
          </p>
          <Problem error={rename.error} />
          <div class="actions">
            <Button
              type="submit"
              busy={rename.busy}
              whyNot={may('rename-organization', organization.role) ? undefined : whoMay('rename-organization')}
            >
              Rename
            </Button>
          </div>
        </Form>
      </Section>
      <SecondFactorRule organization={organization} />
      <Section
        title="Delete"
        danger
        lead="The organization and everything in it is out of reach at once and erased for good."
      >
        <Button
          kind="danger"
          onClick={() => setDeleting(true)}
          whyNot={may('delete-organization', organization.role) ? undefined : whoMay('delete-organization')}
        >
          Delete organization
        </Button>
      </Section>
      {deleting && (
        <Confirm
          title={`Delete ${organization.name}`}
          action="Delete for good"
          word={organization.slug}
          onClose={() => setDeleting(false)}
          onConfirm={async () => {
            await call('DELETE /v1/orgs/{orgId}', { params });
            await loadSession();
            navigate('/', { replace: true });
          }}
        >
          <p>Every project, secret, member, token and webhook of it goes. This can’t be undone.</p>
        </Confirm>
      )}
    </Page>
  );
}

function SecondFactorRule({ organization }: Pick<OrganizationProps, 'organization'>) {
  const demanded = organization.requireSecondFactor;
  const [confirming, setConfirming] = useState(false);
  const factors = user.value?.secondFactors;
  const whyNot =
    organization.role !== 'owner'
      ? 'Only owners can do this.'
      : demanded || factors?.totp || (factors?.passkeys ?? 0) > 0
        ? undefined
        : 'Add a second factor to your own account first.';
  return (
    <Section
      title="Second factor"
      lead={
        demanded
          ? 'Everyone here needs a second factor: sessions and tokens without one are refused.'
          : 'Members log in with a password alone. You can demand a second factor of everyone.'
      }
    >
      <Button onClick={() => setConfirming(true)} whyNot={whyNot}>
        {demanded ? 'Stop demanding it' : 'Demand a second factor'}
      </Button>
      {confirming && (
        <Confirm
          title={demanded ? 'Stop demanding a second factor' : 'Demand a second factor'}
          action={demanded ? 'Stop demanding it' : 'Demand it'}
          danger={!demanded}
          onClose={() => setConfirming(false)}
          onConfirm={async () => {
            await call('PATCH /v1/orgs/{orgId}', {
              params: { orgId: organization.id },
              body: { requireSecondFactor: !demanded },
            });
            await loadSession();
            showToast(demanded ? 'A second factor is no longer demanded.' : 'A second factor is demanded from now on.');
          }}
        >
          <p>
            {demanded
              ? 'A password alone is enough again.'
              : 'From now on sessions without a second factor are refused here, and so is every token that was made in one: pipelines with such tokens stop.'}
          </p>
        </Confirm>
      )}
    </Section>
  );
}
