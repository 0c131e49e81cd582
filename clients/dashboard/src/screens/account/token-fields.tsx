import type { TokenAccess } from '../../../../../lib/contracts/fields/token-access.ts';
import { call } from '../../api.ts';
import { useLoad } from '../../load.ts';
import { session } from '../../session.ts';
import { Select } from '../../ui/select.tsx';

export interface TokenChoice {
  access: TokenAccess;
  organizationId: string;
  projectId: string;
  environmentId: string;
  expiresInDays: string;
}

export const accessInWords: Readonly<Record<TokenAccess, string>> = {
  read: 'Reads secrets',
  write: 'Reads and changes secrets',
  full: 'Everything you may do, but passwords and tokens',
};

const usualDays: readonly (readonly [string, string])[] = [
  ['7', 'in a week'],
  ['30', 'in 30 days'],
  ['90', 'in 90 days'],
  ['365', 'in a year'],
  ['', 'never'],
];

/** The usual ones, and the one that was asked for. */
function expiries(asked: string): typeof usualDays {
  return usualDays.some(([days]) => days === asked) ? usualDays : [[asked, `in ${asked} days`], ...usualDays];
}

/** The fields of a new token that are given, as the API takes them. */
export function tokenBody(
  name: string,
  { access, organizationId, projectId, environmentId, expiresInDays }: TokenChoice,
) {
  return {
    name,
    access,
    ...(organizationId === '' ? {} : { organizationId }),
    ...(projectId === '' ? {} : { projectId }),
    ...(environmentId === '' ? {} : { environmentId }),
    ...(expiresInDays === '' ? {} : { expiresInDays: Number(expiresInDays) }),
  };
}

export function TokenFields({ choice, onChange }: { choice: TokenChoice; onChange: (choice: TokenChoice) => void }) {
  const organizations = session.value?.organizations ?? [];
  const projects = useLoad(choice.organizationId, async signal =>
    choice.organizationId === ''
      ? []
      : (await call('GET /v1/projects/{orgId}', { params: { orgId: choice.organizationId }, signal })).projects,
  );
  const project = projects.data?.find(({ id }) => id === choice.projectId);
  return (
    <>
      <Select
        label="Access"
        value={choice.access}
        options={(['read', 'write', 'full'] as const).map(access => [access, accessInWords[access]])}
        onChange={access => onChange({ ...choice, access: access as TokenAccess })}
      />
      <Select
        label="Organization"
        value={choice.organizationId}
        options={[['', 'All of yours'], ...organizations.map(({ id, name }) => [id, name] as const)]}
        onChange={organizationId => onChange({ ...choice, organizationId, projectId: '', environmentId: '' })}
      />
      {choice.organizationId !== '' && (
        <Select
          label="Project"
          value={choice.projectId}
          options={[['', 'All projects'], ...(projects.data ?? []).map(({ id, slug }) => [id, slug] as const)]}
          onChange={projectId => onChange({ ...choice, projectId, environmentId: '' })}
        />
      )}
      {project !== undefined && (
        <Select
          label="Environment"
          value={choice.environmentId}
          options={[['', 'All environments'], ...project.environments.map(({ id, slug }) => [id, slug] as const)]}
          onChange={environmentId => onChange({ ...choice, environmentId })}
        />
      )}
      <Select
        label="Expires"
        value={choice.expiresInDays}
        options={expiries(choice.expiresInDays)}
        onChange={expiresInDays => onChange({ ...choice, expiresInDays })}
      />
    </>
  );
}
