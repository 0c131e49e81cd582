import type { OwnOrganization } from '@holdfast/contracts/auth/account.ts';
import type { Role } from '@holdfast/contracts/fields/role.ts';
import { useState } from 'preact/hooks';
import { call } from '../../api.ts';
import { keepDays } from '../../keep-days.ts';
import { useAction } from '../../load.ts';
import { navigate } from '../../router.ts';
import { loadSession, user, whyNot } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Example } from '../../ui/example.tsx';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import type { OrganizationProps } from '../../ui/in-organization.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { showToast } from '../../ui/toast.tsx';
import { DeletedList } from './deleted.tsx';
import { Networks } from './networks.tsx';

export function OrganizationSettings({ organization }: OrganizationProps) {
  return (
    <Page title={`Settings · ${organization.name}`} heading="Settings">
      <Rename organization={organization} />
      <SecondFactorRule organization={organization} />
      <SignInProvider organization={organization} />
      {whyNot('get-allowed-networks', organization.role) === undefined && <Networks organization={organization} />}
      <Export organization={organization} />
      {whyNot('list-deleted', organization.role) === undefined && <DeletedList organization={organization} />}
      <Delete organization={organization} />
    </Page>
  );
}

function SignInProvider({ organization: { slug, role } }: SettingProps) {
  return (
    <Section
      title="Sign-in provider"
      lead="Members can sign in with your company’s account, through its OpenID Connect provider."
    >
      <Button onClick={() => navigate(`/organizations/${slug}/settings/sign-in`)} whyNot={whyNot('get-sign-in', role)}>
        Set up the provider
      </Button>
    </Section>
  );
}

function Export({ organization: { slug } }: SettingProps) {
  return (
    <Section
      title="Export"
      lead="An owner can write everything that the organization owns to a file, with every version of every secret. The command line does that, so that no value passes through the browser."
    >
      <Example title="Export" text={`holdfast orgs export --org ${slug} --to ${slug}.jsonl --seal-to public.jwk`} />
    </Section>
  );
}

interface SettingProps {
  organization: OwnOrganization;
}

function Rename({ organization: { id: orgId, name: current, slug, role } }: SettingProps) {
  const rename = useAction(async ({ name = '' }: Record<string, string>) => {
    await call('PATCH /v1/orgs/{orgId}', { params: { orgId }, body: { name } });
    await loadSession();
    showToast('Organization renamed.');
  });
  return (
    <Section title="Name">
      <Form onSubmit={values => void rename.run(values)}>
        <Field label="Name" name="name" required maxLength={100} value={current} error={rename.error} />
        <p class="hint">
          Its slug in URLs is <code>{slug}</code> and never changes.
        </p>
        <Problem error={rename.error} />
        <div class="actions">
          <Button type="submit" busy={rename.busy} whyNot={whyNot('rename-organization', role)}>
            Rename
          </Button>
        </div>
      </Form>
    </Section>
  );
}

function Delete({ organization: { id: orgId, name, slug, role } }: SettingProps) {
  const [confirming, setConfirming] = useState(false);
  return (
    <Section
      title="Delete"
      danger
      lead={`Nobody can reach the organization any more. Its owners can restore it for ${keepDays} days, then it is erased for good.`}
    >
      <Button kind="danger" onClick={() => setConfirming(true)} whyNot={whyNot('delete-organization', role)}>
        Delete organization
      </Button>
      {confirming && (
        <Confirm
          title={`Delete ${name}`}
          action="Delete"
          word={slug}
          onClose={() => setConfirming(false)}
          onConfirm={async () => {
            await call('DELETE /v1/orgs/{orgId}', { params: { orgId }, query: { keepDays } });
            await loadSession();
            navigate('/', { replace: true });
          }}
        >
          <p>
            Nobody can reach its projects and secrets any more. You can restore it for {keepDays} days, on your
            account’s page. Its subscription goes on until then.
          </p>
        </Confirm>
      )}
    </Section>
  );
}

function SecondFactorRule({ organization: { id: orgId, role, requireSecondFactor: required } }: SettingProps) {
  const [confirming, setConfirming] = useState(false);
  const words = required ? requiredWords : optionalWords;
  return (
    <Section title="Second factor" lead={words.lead}>
      <Button onClick={() => setConfirming(true)} whyNot={whyNotRequire(role, required)}>
        {words.action}
      </Button>
      {confirming && (
        <Confirm
          title={words.action}
          action={words.confirm}
          danger={!required}
          onClose={() => setConfirming(false)}
          onConfirm={async () => {
            const body = { requireSecondFactor: !required };
            await call('PATCH /v1/orgs/{orgId}', { params: { orgId }, body });
            await loadSession();
            showToast(words.done);
          }}
        >
          <p>{words.effect}</p>
        </Confirm>
      )}
    </Section>
  );
}

function whyNotRequire(role: Role, required: boolean): string | undefined {
  if (role !== 'owner') return 'Only owners can do this.';
  const factors = user.value?.secondFactors;
  if (required || factors?.totp || (factors?.passkeys ?? 0) > 0) return undefined;
  return 'Add a second factor to your own account first.';
}

const requiredWords = {
  lead: 'Everyone here needs a second factor. Sessions and tokens without one are rejected.',
  action: 'Stop requiring a second factor',
  confirm: 'Stop requiring it',
  effect: 'A password alone is enough again.',
  done: 'A second factor is no longer required.',
};

const optionalWords = {
  lead: 'Members can log in with a password alone. You can require a second factor for everyone.',
  action: 'Require a second factor',
  confirm: 'Require it',
  effect:
    'Sessions without a second factor are rejected from now on, and so are tokens created in them. Pipelines that use such tokens stop working.',
  done: 'A second factor is required from now on.',
};
