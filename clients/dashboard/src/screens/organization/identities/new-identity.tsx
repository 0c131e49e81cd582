import { environmentRules } from 'virtual:contracts';
import type { OwnOrganization } from '@holdfast/contracts/auth/account.ts';
import type { Identity } from '@holdfast/contracts/identities/identities.ts';
import type { Project } from '@holdfast/contracts/projects/projects.ts';
import { useState } from 'preact/hooks';
import { call } from '../../../api.ts';
import { useAction, useLoad } from '../../../load.ts';
import { navigate } from '../../../router.ts';
import { managedProjects } from '../../../session.ts';
import { Await } from '../../../ui/await.tsx';
import { Button } from '../../../ui/button.tsx';
import { Field } from '../../../ui/field.tsx';
import { ForRoles } from '../../../ui/for-roles.tsx';
import { Form } from '../../../ui/form.tsx';
import type { OrganizationProps } from '../../../ui/in-organization.tsx';
import { Page, Section } from '../../../ui/page.tsx';
import { Problem } from '../../../ui/problem.tsx';
import { everywhere, type Scope, ScopeFields } from '../../../ui/scope-fields.tsx';
import { Select } from '../../../ui/select.tsx';
import { showToast } from '../../../ui/toast.tsx';
import { LayerFields, limitsBody } from './layer-fields.tsx';
import { type PlatformName, platformNames, platforms } from './platforms.ts';
import { TokenFields, type TokenRules } from './token-fields.tsx';
import '../../../ui/checkbox.css';

const reads = (role: 'developer' | 'viewer') => `${role}: reads ${environmentRules.read[role].join(' and ')}`;

const roles = {
  deployer: 'deployer: single environments, even production',
  developer: reads('developer'),
  viewer: reads('viewer'),
} as const satisfies Record<Identity['role'], string>;

const accesses = {
  names: 'names only: list, generate and propose, but get no value',
  read: 'read secrets',
  write: 'read and change secrets',
} as const satisfies Record<Identity['access'], string>;

/** Creates an identity in three steps; the third is on its own page, which says what to set up in the job. */
export function NewIdentity({ organization }: OrganizationProps) {
  const params = { orgId: organization.id };
  const managed = managedProjects('create-identity', organization);
  const loaded = useLoad(organization.id, signal => call('GET /v1/projects/{orgId}', { params, signal }));
  return (
    <ForRoles organization={organization} operation="create-identity" heading="New identity" doing="create identities">
      <Page
        title={`New identity · ${organization.name}`}
        heading="New identity"
        lead="A pipeline or workload signs in with a token from its own platform, so it stores no secret. Say where it runs and what it may read; then copy the lines that it needs."
      >
        <Await of={loaded}>
          {({ projects }) => (
            <Steps
              organization={organization}
              projects={
                managed === 'all' ? projects : projects.filter(({ id }) => managed.some(one => one.projectId === id))
              }
              isOfProject={managed !== 'all'}
            />
          )}
        </Await>
      </Page>
    </ForRoles>
  );
}

interface StepsProps {
  organization: OwnOrganization;
  /** Those that the identity may be for. */
  projects: readonly Project[];
  /** It must be limited to one of them. */
  isOfProject: boolean;
}

function Steps({ organization, projects, isOfProject }: StepsProps) {
  const [platformName, setPlatformName] = useState<PlatformName>('gitHub');
  const [role, setRole] = useState<Identity['role']>('deployer');
  const [access, setAccess] = useState<Identity['access']>('read');
  const [scope, setScope] = useState<Scope>({
    ...everywhere,
    projectId: projects.length === 1 ? (projects[0]?.id ?? '') : '',
  });
  const [layers, setLayers] = useState<readonly string[]>([]);
  const [rules, setRules] = useState(rulesOf('gitHub'));
  const [typedName, setTypedName] = useState<string>();
  const project = projects.find(({ id }) => id === scope.projectId);
  const environment = project?.environments.find(({ id }) => id === scope.environmentId);
  const place = [project?.slug, environment?.slug].filter(slug => slug !== undefined).join(' ');
  const suggested = place === '' ? '' : `${place} on ${platforms[platformName].name.replace(/ \(.*/, '')}`;
  const create = useAction(async (values: Record<string, string>) => {
    const { name = '', issuer = '', jwks = '' } = values;
    const claims = claimsOf(values);
    const body = { name, issuer, access, role, claims, ...rules, ...keysOf(jwks), ...limitsBody(scope, layers) };
    const params = { orgId: organization.id };
    const { identity } = await call('POST /v1/identities/{orgId}', { params, body });
    showToast(`Identity ${identity.name} created.`);
    navigate(`/organizations/${organization.slug}/identities/${identity.id}?new`);
  });
  return (
    <Form label="New identity" onSubmit={values => void create.run(values)}>
      <Section title="1. Where does it run?">
        <PlatformChoice
          value={platformName}
          onChange={name => {
            setPlatformName(name);
            setRules(rulesOf(name));
          }}
        />
        <TrustFields
          key={platformName}
          platformName={platformName}
          own={{ organization: organization.slug, project: project?.slug ?? projects[0]?.slug ?? 'web-shop' }}
          error={create.error}
        />
        <details>
          <summary>How often its tokens are accepted, and for how long</summary>
          <div class="folded">
            <TokenFields
              rules={rules}
              onChange={setRules}
              reason={platforms[platformName].tokens}
              error={create.error}
            />
          </div>
        </details>
      </Section>
      <Section title="2. What may it read?">
        <RoleAndScope {...{ role, setRole, projects, scope, setScope, layers, setLayers, isOfProject }} />
        <Select label="Access" value={access} options={optionsOf(accesses)} onChange={setAccess} />
        <Field
          label="Name"
          name="name"
          required
          maxLength={100}
          value={typedName ?? suggested}
          onInput={setTypedName}
          hint="The audit log shows it beside everything that the job does."
          error={create.error}
        />
      </Section>
      <Section title="3. Copy the lines that the job needs" lead="You get them once the identity exists.">
        <Problem error={create.error} />
        <div class="actions">
          <Button type="submit" kind="primary" busy={create.busy}>
            Create identity
          </Button>
          <a class="button quiet" href={`/organizations/${organization.slug}/identities`}>
            Cancel
          </a>
        </div>
      </Section>
    </Form>
  );
}

interface RoleAndScopeProps extends Pick<StepsProps, 'projects' | 'isOfProject'> {
  role: Identity['role'];
  setRole: (role: Identity['role']) => void;
  scope: Scope;
  setScope: (scope: Scope) => void;
  layers: readonly string[];
  setLayers: (layers: readonly string[]) => void;
}

function RoleAndScope(props: RoleAndScopeProps) {
  const { role, setRole, projects, scope, setScope, layers, setLayers, isOfProject } = props;
  const atLeast = isOfProject ? 'project' : undefined;
  return (
    <>
      <Select label="Role" value={role} options={optionsOf(roles)} onChange={setRole} />
      <ScopeFields
        projects={projects}
        scope={scope}
        onChange={setScope}
        required={role === 'deployer' ? 'environment' : atLeast}
      />
      {scope.environmentId !== '' && (
        <LayerFields projects={projects} environmentId={scope.environmentId} layers={layers} onChange={setLayers} />
      )}
    </>
  );
}

interface PlatformChoiceProps {
  value: PlatformName;
  onChange: (name: PlatformName) => void;
}

function PlatformChoice({ value, onChange }: PlatformChoiceProps) {
  return (
    <fieldset class="choices plain">
      <legend class="visually-hidden">Platform</legend>
      {platformNames.map(name => (
        <label key={name} class="checkbox">
          <input type="radio" name="platform" checked={name === value} onChange={() => onChange(name)} />
          {platforms[name].name}
        </label>
      ))}
    </fieldset>
  );
}

const optionsOf = <Name extends string>(labels: Readonly<Record<Name, string>>) =>
  (Object.keys(labels) as Name[]).map(name => [name, labels[name]] as const);

function rulesOf(name: PlatformName): TokenRules {
  const { singleUse, maxAssertionAgeMinutes } = platforms[name];
  return { singleUse, maxAssertionAgeMinutes, tokenMinutes: 15 };
}

interface TrustFieldsProps {
  platformName: PlatformName;
  /** Slugs for the examples, in place of the recipe's `acme` and `web-shop`. */
  own: { organization: string; project: string };
  error: unknown;
}

function TrustFields({ platformName, own, error }: TrustFieldsProps) {
  const { issuer, issuerHint, claims } = platforms[platformName];
  const others = claims.length === 0;
  const fitted = (text: string | undefined) =>
    text?.replaceAll(/acme|web-shop/g, name => (name === 'acme' ? own.organization : own.project));
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
          placeholder={fitted(example)}
          maxLength={500}
          hint={
            <>
              {why} {command !== undefined && <code class="mono">{fitted(command)}</code>}
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
