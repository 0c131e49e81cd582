import { environmentRules } from 'virtual:contracts';
import type { OwnOrganization } from '@holdfast/contracts/auth/account.ts';
import type { Identity } from '@holdfast/contracts/identities/identities.ts';
import type { Project } from '@holdfast/contracts/projects/projects.ts';
import { useState } from 'preact/hooks';
import { call } from '../../../api.ts';
import { useAction } from '../../../load.ts';
import { navigate } from '../../../router.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field } from '../../../ui/field.tsx';
import { Form, FormActions } from '../../../ui/form.tsx';
import { Problem } from '../../../ui/problem.tsx';
import { everywhere, type Scope, ScopeFields, scopeBody } from '../../../ui/scope-fields.tsx';
import { Select } from '../../../ui/select.tsx';
import { showToast } from '../../../ui/toast.tsx';
import { type PlatformName, platformNames, platforms } from './platforms.ts';
import { TokenFields, type TokenRules } from './token-fields.tsx';

const reads = (role: 'developer' | 'viewer') => `${role}: reads ${environmentRules.read[role].join(' and ')}`;

const roles = {
  deployer: 'deployer: one environment, even production',
  developer: reads('developer'),
  viewer: reads('viewer'),
} as const satisfies Record<Identity['role'], string>;

const accesses = {
  read: 'read secrets',
  write: 'read and change secrets',
} as const satisfies Record<Identity['access'], string>;

interface NewIdentityProps {
  organization: OwnOrganization;
  projects: readonly Project[];
  onClose: () => void;
}

/** Creates an identity from a platform's recipe, and then opens its page, which says what to set up in the job. */
export function NewIdentity({ organization, projects, onClose }: NewIdentityProps) {
  const [platformName, setPlatformName] = useState<PlatformName>('gitHub');
  const [role, setRole] = useState<Identity['role']>('deployer');
  const [access, setAccess] = useState<Identity['access']>('read');
  const [scope, setScope] = useState<Scope>(everywhere);
  const [rules, setRules] = useState(rulesOf('gitHub'));
  const create = useAction(async (values: Record<string, string>) => {
    const { name = '', issuer = '', jwks = '' } = values;
    const claims = claimsOf(values);
    const body = { name, issuer, access, role, claims, ...rules, ...keysOf(jwks), ...scopeBody(scope) };
    const params = { orgId: organization.id };
    const { identity } = await call('POST /v1/identities/{orgId}', { params, body });
    showToast(`Identity ${identity.name} created.`);
    navigate(`/organizations/${organization.slug}/identities/${identity.id}`);
  });
  return (
    <Dialog title="New identity" onClose={onClose}>
      <Form onSubmit={values => void create.run(values)}>
        <Field label="Name" name="name" required maxLength={100} error={create.error} autofocus />
        <Select label="Role" value={role} options={optionsOf(roles)} onChange={setRole} />
        <ScopeFields projects={projects} scope={scope} onChange={setScope} required={role === 'deployer'} />
        <Select label="Access" value={access} options={optionsOf(accesses)} onChange={setAccess} />
        <Select
          label="Platform"
          value={platformName}
          options={platformNames.map(name => [name, platforms[name].name] as const)}
          onChange={name => {
            setPlatformName(name);
            setRules(rulesOf(name));
          }}
        />
        <TrustFields key={platformName} platformName={platformName} error={create.error} />
        <TokenFields rules={rules} onChange={setRules} reason={platforms[platformName].tokens} error={create.error} />
        <Problem error={create.error} />
        <FormActions busy={create.busy} onClose={onClose}>
          Create identity
        </FormActions>
      </Form>
    </Dialog>
  );
}

const optionsOf = <Name extends string>(labels: Readonly<Record<Name, string>>) =>
  (Object.keys(labels) as Name[]).map(name => [name, labels[name]] as const);

function rulesOf(name: PlatformName): TokenRules {
  const { singleUse, maxAssertionAgeMinutes } = platforms[name];
  return { singleUse, maxAssertionAgeMinutes, tokenMinutes: 15 };
}

function TrustFields({ platformName, error }: { platformName: PlatformName; error: unknown }) {
  const { issuer, issuerHint, claims } = platforms[platformName];
  const others = claims.length === 0;
  return (
    <>
      <Field
        label="Issuer"
        name="issuer"
        type="url"
        mono
        required
        value={issuer}
        placeholder="https://"
        maxLength={500}
        hint={issuerHint}
        error={error}
      />
      {claims.map(({ name, label, why, command, value, example }) => (
        <Field
          key={name}
          label={`${label} (${name})`}
          name={`claim ${name}`}
          mono
          required
          value={value}
          placeholder={example}
          maxLength={500}
          hint={
            <>
              {why} {command !== undefined && <code class="mono">{command}</code>}
            </>
          }
        />
      ))}
      <Field
        label={others ? 'Claims' : 'More claims'}
        name="claims"
        mono
        multiline
        required={others}
        rows={others ? 3 : 2}
        placeholder={others ? 'project_id = 74\nref = refs/heads/main' : undefined}
        hint="One exact name = value per line. Repeat a name to accept several values. Prefer ids: someone else can take over a name, but not an id."
        error={error}
      />
      {platformName === 'kubernetes' && (
        <Field
          label="Keys, if the cluster’s issuer is not on the internet"
          name="jwks"
          mono
          multiline
          rows={2}
          placeholder={'{"keys": […]}'}
          hint="The output of kubectl get --raw /openid/v1/jwks"
          error={error}
        />
      )}
    </>
  );
}

const claimField = 'claim ';

/** The claims of the platform's fields and of the `name = value` lines. A repeated name accepts any of its values. */
function claimsOf(values: Readonly<Record<string, string>>): Record<string, string[]> {
  const named = Object.entries(values).flatMap(([field, value]) =>
    field.startsWith(claimField) ? [[field.slice(claimField.length), value.trim()] as const] : [],
  );
  const lines = (values.claims ?? '')
    .split('\n')
    .filter(line => line.trim() !== '')
    .map(line => {
      const at = line.indexOf('=');
      return at < 0 ? ([line.trim(), ''] as const) : ([line.slice(0, at).trim(), line.slice(at + 1).trim()] as const);
    });
  const claims: Record<string, string[]> = Object.create(null);
  for (const [name, value] of [...named, ...lines]) claims[name] = [...(claims[name] ?? []), value];
  return claims;
}

/** The given keys. What isn't JSON is sent as text, so that the service says what it expects. */
function keysOf(text: string) {
  if (text.trim() === '') return {};
  try {
    return { jwks: JSON.parse(text) };
  } catch {
    return { jwks: text as never };
  }
}
