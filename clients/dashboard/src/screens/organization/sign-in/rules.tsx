import { roles } from 'virtual:contracts';
import type { ProjectRole } from '@holdfast/contracts/fields/project-role.ts';
import type { RoleRule } from '@holdfast/contracts/fields/role-rule.ts';
import type { SignIn } from '@holdfast/contracts/organizations/sign-in-settings.ts';
import { useState } from 'preact/hooks';
import { call } from '../../../api.ts';
import { useAction, useLoad } from '../../../load.ts';
import { Await } from '../../../ui/await.tsx';
import { Button } from '../../../ui/button.tsx';
import { Checkbox } from '../../../ui/checkbox.tsx';
import { Field } from '../../../ui/field.tsx';
import { Form } from '../../../ui/form.tsx';
import { Section } from '../../../ui/page.tsx';
import { Problem } from '../../../ui/problem.tsx';
import { Select } from '../../../ui/select.tsx';
import { showToast } from '../../../ui/toast.tsx';
import { RulesPreview } from './rules-preview.tsx';
import { settingsBody } from './settings-body.ts';

interface RulesProps {
  params: { orgId: string };
  signIn: SignIn;
  onSaved: (signIn: SignIn) => void;
}

/** A rule in the form, where nothing chosen is an empty text. */
interface Draft {
  /** Of the form only. */
  id: number;
  claim: string;
  value: string;
  role: ProjectRole | '';
  limited: boolean;
  projectId: string;
  projectRole: ProjectRole | '';
}

let drafts = 0;

function draftOf(rule: Partial<RoleRule>): Draft {
  drafts += 1;
  const { claim = 'groups', value = '', role = '', limited = false, projectId = '', projectRole = '' } = rule;
  return { id: drafts, claim, value, role, limited, projectId, projectRole };
}

function ruleOf({ claim, value, role, limited, projectId, projectRole }: Draft): RoleRule {
  return {
    claim: claim.trim(),
    value: value.trim(),
    ...(role === '' ? {} : { role }),
    ...(limited && role !== '' && role !== 'admin' ? { limited } : {}),
    ...(projectId === '' ? {} : { projectId }),
    ...(projectId === '' || projectRole === '' ? {} : { projectRole }),
  };
}

/** Roles by the provider's groups, and how long tokens last without a sign-in through it. */
export function Rules({ params, signIn, onSaved }: RulesProps) {
  const { orgId } = params;
  const projects = useLoad(orgId, async signal => {
    const listed = await call('GET /v1/projects/{orgId}', { params, signal });
    return new Map(listed.projects.map(({ id, slug }) => [id, slug]));
  });
  return (
    <Section
      title="Roles by group"
      lead="At each sign-in through the provider, the rules that match the id token decide a member’s roles; the highest counts. They only add to what a person gave, and never make an owner."
    >
      <Await of={projects}>
        {slugs => <RulesForm key={signIn.updatedAt} {...{ params, signIn, onSaved }} projects={slugs} />}
      </Await>
    </Section>
  );
}

function RulesForm({ params, signIn, onSaved, projects }: RulesProps & { projects: ReadonlyMap<string, string> }) {
  const [rules, setRules] = useState(() => signIn.roleRules.map(draftOf));
  const change = (id: number, changes: Partial<Draft>) =>
    setRules(before => before.map(one => (one.id === id ? { ...one, ...changes } : one)));
  const save = useAction(async ({ recheckDays = '' }: Record<string, string>) => {
    const body = {
      ...settingsBody(signIn),
      roleRules: rules.map(ruleOf),
      recheckDays: recheckDays === '' ? null : Number(recheckDays),
    };
    onSaved((await call('PUT /v1/orgs/{orgId}/sign-in', { params, body })).signIn);
    showToast('Rules saved.');
  });
  return (
    <>
      <Form onSubmit={values => void save.run(values)}>
        {rules.map((draft, index) => (
          <RuleFields
            key={draft.id}
            index={index}
            draft={draft}
            projects={projects}
            onChange={changes => change(draft.id, changes)}
            onRemove={() => setRules(rules.filter(({ id }) => id !== draft.id))}
            error={save.error}
          />
        ))}
        {rules.length === 0 && (
          <p class="hint">There are no rules: whoever signs in first gets the role chosen above.</p>
        )}
        <div class="actions">
          <Button onClick={() => setRules([...rules, draftOf({ role: 'developer' })])}>Add a rule</Button>
        </div>
        <Field
          label="Days that tokens last after a sign-in (optional)"
          name="recheckDays"
          type="number"
          min={1}
          max={90}
          value={signIn.recheckDays === null ? '' : String(signIn.recheckDays)}
          hint="A member’s tokens are refused once their last sign-in through the provider is older, so who has left the company loses them. Identities, and members who never signed in through the provider, are not affected."
          error={save.error}
        />
        <Problem error={save.error} />
        <div class="actions">
          <Button type="submit" busy={save.busy}>
            Save the rules
          </Button>
        </div>
      </Form>
      <RulesPreview rules={rules.map(ruleOf)} defaultRole={signIn.defaultRole} projects={projects} />
    </>
  );
}

const offered = roles.filter((role): role is ProjectRole => role !== 'owner');
const options = offered.map(role => [role, role] as const);

interface RuleFieldsProps {
  index: number;
  draft: Draft;
  projects: ReadonlyMap<string, string>;
  onChange: (changes: Partial<Draft>) => void;
  onRemove: () => void;
  error: unknown;
}

function RuleFields({ index, draft, projects, onChange, onRemove, error }: RuleFieldsProps) {
  const { claim, value, role, limited, projectId, projectRole } = draft;
  const path = `roleRules.${index}`;
  const slugs = [...projects].map(([id, slug]) => [id, slug] as const);
  const gone = projectId !== '' && !projects.has(projectId) ? [[projectId, 'a deleted project'] as const] : [];
  return (
    <fieldset class="rule">
      <legend>Rule {index + 1}</legend>
      <Field
        label="Claim"
        name={`${path}.claim`}
        mono
        required
        value={claim}
        onInput={text => onChange({ claim: text })}
        error={error}
      />
      <Field
        label="Value"
        name={`${path}.value`}
        mono
        required
        maxLength={500}
        value={value}
        onInput={text => onChange({ value: text })}
        placeholder="platform-team"
        error={error}
      />
      <Select
        label="Role in the organization"
        value={role}
        options={[['', 'Given by another rule, or the default'], ...options]}
        onChange={chosen => onChange({ role: chosen })}
      />
      {role !== '' && role !== 'admin' && (
        <Checkbox label="Limited to projects" checked={limited} onChange={on => onChange({ limited: on })} />
      )}
      <Select
        label="Project"
        value={projectId}
        required={role === ''}
        options={[['', role === '' ? 'Choose a project' : 'None'], ...slugs, ...gone]}
        onChange={chosen =>
          onChange({ projectId: chosen, projectRole: chosen === '' ? '' : projectRole || 'developer' })
        }
      />
      {gone.length > 0 && (
        <p class="problem">The project is gone. Remove the rule before you save any settings here.</p>
      )}
      {projectId !== '' && (
        <Select
          label="Role in the project"
          value={projectRole}
          required
          options={options}
          onChange={chosen => onChange({ projectRole: chosen })}
        />
      )}
      <Button kind="quiet" label={`Remove rule ${index + 1}`} onClick={onRemove}>
        Remove
      </Button>
    </fieldset>
  );
}
