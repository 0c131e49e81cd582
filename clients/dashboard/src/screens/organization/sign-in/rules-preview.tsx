import { applyRoleRules, effectiveRules, matchingRules } from '@holdfast/contracts/fields/apply-role-rules.ts';
import type { RoleRule } from '@holdfast/contracts/fields/role-rule.ts';
import type { SignIn } from '@holdfast/contracts/organizations/sign-in-settings.ts';
import { useState } from 'preact/hooks';
import { Field } from '../../../ui/field.tsx';
import { projectsInWords } from '../../../ui/member-projects.tsx';
import { type Column, Table } from '../../../ui/table.tsx';
import { claimsOf } from '../identities/check-token.ts';

interface PreviewProps {
  rules: readonly RoleRule[];
  defaultRole: SignIn['defaultRole'];
  /** Slugs by id. */
  projects: ReadonlyMap<string, string>;
}

/** Shows what the rules make of a pasted id token. The token stays in the field: it is neither sent nor stored. */
export function RulesPreview({ rules, defaultRole, projects }: PreviewProps) {
  const [token, setToken] = useState('');
  const claims = token.trim() === '' ? undefined : claimsOf(token);
  const matched = claims === undefined ? [] : matchingRules(rules, claims);
  const effective = effectiveRules(matched, projects);
  const rows = rules.map((rule, place) => ({ place, rule, result: resultOf(rule, matched, effective) }));
  return (
    <>
      <Field
        label="Try an id token"
        name="idToken"
        mono
        multiline
        rows={4}
        value={token}
        onInput={setToken}
        placeholder="eyJhbGciOi…"
        hint="Paste one to see which rules match, before or after you save them. It stays in this page: nothing is sent or stored."
      />
      <p role="status">
        {token.trim() !== '' && claims === undefined
          ? 'This is not a JSON Web Token, which has three parts separated by dots.'
          : claims !== undefined && verdictOf({ rules, matched, defaultRole, projects })}
      </p>
      {claims !== undefined && rows.length > 0 && (
        <Table
          caption="Rules and the token"
          rows={rows}
          keyOf={({ place }) => String(place)}
          columns={columns(projects)}
        />
      )}
    </>
  );
}

type Result = 'yes' | 'no' | 'project is gone';

interface Row {
  place: number;
  rule: RoleRule;
  result: Result;
}

function resultOf(rule: RoleRule, matched: readonly RoleRule[], effective: readonly RoleRule[]): Result {
  if (effective.includes(rule)) return 'yes';
  return matched.includes(rule) ? 'project is gone' : 'no';
}

const columns = (projects: PreviewProps['projects']): readonly Column<Row>[] => [
  {
    title: 'Rule',
    cell: ({ rule }) => (
      <span class="mono">
        {rule.claim} = {rule.value}
      </span>
    ),
  },
  { title: 'Gives', cell: ({ rule }) => givenInWords(rule, projects) },
  {
    title: 'Matches',
    cell: ({ result }) => (
      <span class={result === 'yes' ? 'good' : 'bad'}>
        {result === 'yes' ? '✓' : '×'} {result}
      </span>
    ),
  },
];

function givenInWords({ role, limited, projectId, projectRole }: RoleRule, projects: PreviewProps['projects']): string {
  const inProject =
    projectId === undefined ? undefined : `${projectRole} in ${projects.get(projectId) ?? 'a deleted project'}`;
  const given = [role, limited === true ? 'limited to projects' : undefined, inProject];
  return given.filter(part => part !== undefined).join(', ');
}

function verdictOf({ rules, matched, defaultRole, projects }: PreviewProps & { matched: readonly RoleRule[] }): string {
  const settings = { matched, hasRules: rules.length > 0, defaultRole, projects };
  const made = applyRoleRules(settings, undefined);
  const others = 'For members whom a person invited, rules only add to their rights.';
  if (made === undefined) {
    const ends = applyRoleRules(settings, { role: 'viewer', via: 'provider' }) === undefined;
    const outcome = ends ? 'ends' : 'keeps its role';
    return `Nobody becomes a member with this token, and a membership that the provider made ${outcome}. ${others}`;
  }
  const inProjects = projectsInWords(made.rights);
  const article = made.rights.role === 'admin' ? 'an' : 'a';
  const rights = `${article} ${made.rights.role}${inProjects === undefined ? '' : ` (${inProjects})`}`;
  return `Somebody new becomes ${rights}. ${others}`;
}
