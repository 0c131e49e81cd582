import type { TokenAccess } from '@holdfast/contracts/fields/role.ts';
import { call } from '../../api.ts';
import { useLoad } from '../../load.ts';
import { session } from '../../session.ts';
import { everywhere, type Scope, ScopeFields, scopeBody } from '../../ui/scope-fields.tsx';
import { Select } from '../../ui/select.tsx';
import { accesses, accessInWords } from './accesses.ts';

export interface TokenChoice extends Scope {
  access: TokenAccess;
  organizationId: string;
  expiresInDays: string;
}

const usualDays: readonly (readonly [string, string])[] = [
  ['7', 'in a week'],
  ['30', 'in 30 days'],
  ['90', 'in 90 days'],
  ['365', 'in a year'],
  ['', 'never'],
];

/** The usual lifetimes and the requested one. */
function expiries(asked: string): typeof usualDays {
  return usualDays.some(([days]) => days === asked) ? usualDays : [[asked, `in ${asked} days`], ...usualDays];
}

/** The given fields of a new token, in the form of the API. */
export function tokenBody(name: string, choice: TokenChoice) {
  const { access, organizationId, expiresInDays } = choice;
  return {
    name,
    access,
    ...(organizationId === '' ? {} : { organizationId }),
    ...scopeBody(choice),
    ...(expiresInDays === '' ? {} : { expiresInDays: Number(expiresInDays) }),
  };
}

interface TokenFieldsProps {
  choice: TokenChoice;
  onChange: (choice: TokenChoice) => void;
  /** Why this access is suggested, if it is more than usual. */
  why?: string | undefined;
}

export function TokenFields({ choice, onChange, why }: TokenFieldsProps) {
  const { organizations = [], confinedTo } = session.value ?? {};
  const all: [string, string][] = confinedTo ? [] : [['', 'All of yours']];
  const projects = useLoad(choice.organizationId, async signal =>
    choice.organizationId === ''
      ? []
      : (await call('GET /v1/projects/{orgId}', { params: { orgId: choice.organizationId }, signal })).projects,
  );
  return (
    <>
      <Select
        label="Access"
        value={choice.access}
        options={accesses.map(access => [access, accessInWords[access]] as const)}
        onChange={access => onChange({ ...choice, access })}
        {...(why === undefined ? {} : { hint: why })}
      />
      <Select
        label="Organization"
        value={choice.organizationId}
        options={[...all, ...organizations.map(({ id, name }) => [id, name] as const)]}
        onChange={organizationId => onChange({ ...choice, organizationId, ...everywhere })}
      />
      {choice.organizationId !== '' && (
        <ScopeFields
          projects={projects.data ?? []}
          scope={choice}
          onChange={scope => onChange({ ...choice, ...scope })}
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
