import { useState } from 'preact/hooks';
import type { Identity } from '../../../../../lib/contracts/identities/identity.ts';
import type { Project } from '../../../../../lib/contracts/projects/project.ts';
import { call } from '../../api.ts';
import { useAction } from '../../load.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, FormActions } from '../../ui/form.tsx';
import { Problem } from '../../ui/problem.tsx';
import { everywhere, type Scope, ScopeFields, scopeBody } from '../../ui/scope-fields.tsx';
import { Select } from '../../ui/select.tsx';

const accesses = ['read', 'write'] as const satisfies readonly Identity['access'][];
const identityRoles = ['developer', 'viewer'] as const satisfies readonly Identity['role'][];

interface NewIdentityProps {
  orgId: string;
  projects: readonly Project[];
  onClose: () => void;
}

export function NewIdentity({ orgId, projects, onClose }: NewIdentityProps) {
  const [access, setAccess] = useState<Identity['access']>('read');
  const [role, setRole] = useState<Identity['role']>('developer');
  const [scope, setScope] = useState<Scope>(everywhere);
  const [made, setMade] = useState<Identity>();
  const create = useAction(async (values: Record<string, string>) => {
    const { name = '', issuer = '', claims = '', tokenMinutes = '' } = values;
    const { identity } = await call('POST /v1/identities/{orgId}', {
      params: { orgId },
      body: {
        name,
        issuer,
        access,
        role,
        claims: claimsOf(claims),
        tokenMinutes: Number(tokenMinutes),
        ...scopeBody(scope),
      },
    });
    setMade(identity);
  });
  if (made !== undefined) return <IdentityCreated identity={made} onClose={onClose} />;
  return (
    <Dialog title="New identity" onClose={onClose}>
      <Form onSubmit={values => void create.run(values)}>
        <Field label="Name" name="name" required maxLength={100} error={create.error} autofocus />
        <Select label="Access" value={access} options={same(accesses)} onChange={setAccess} />
        <Select label="Role" value={role} options={same(identityRoles)} onChange={setRole} />
        <ScopeFields projects={projects} scope={scope} onChange={setScope} />
        <TrustFields error={create.error} />
        <Problem error={create.error} />
        <FormActions busy={create.busy} onClose={onClose}>
          Create identity
        </FormActions>
      </Form>
    </Dialog>
  );
}

const same = <Name extends string>(names: readonly Name[]) => names.map(name => [name, name] as const);

function TrustFields({ error }: { error: unknown }) {
  return (
    <>
      <Field
        label="Issuer"
        name="issuer"
        type="url"
        mono
        required
        value="https://token.actions.githubusercontent.com"
        maxLength={500}
        hint="The issuer of the tokens: the exact value of iss."
        error={error}
      />
      <Field
        label="Claims"
        name="claims"
        mono
        multiline
        required
        rows={3}
        placeholder={'repository_id = 74\nrepository_owner_id = 65\nref = refs/heads/main'}
        hint="One exact name = value per line. Repeat a name to allow several values. Prefer ids: someone else can take over a name, but not an id."
        error={error}
      />
      <Field
        label="Minutes that a token is valid"
        name="tokenMinutes"
        type="number"
        value="15"
        min={5}
        max={60}
        required
        error={error}
      />
    </>
  );
}

/** Parses `name = value` lines. A repeated name accepts any of its values. */
function claimsOf(text: string): Record<string, string[]> {
  const claims: Record<string, string[]> = Object.create(null);
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const at = line.indexOf('=');
    const name = (at < 0 ? line : line.slice(0, at)).trim();
    claims[name] = [...(claims[name] ?? []), at < 0 ? '' : line.slice(at + 1).trim()];
  }
  return claims;
}

function IdentityCreated({ identity, onClose }: { identity: Identity; onClose: () => void }) {
  return (
    <Dialog title="Identity created" onClose={onClose}>
      <p>Give these to the job. Neither is a secret.</p>
      <Facts
        facts={[
          ['HOLDFAST_IDENTITY', <span class="mono">{identity.id}</span>],
          ['Audience, where the platform asks for one', <span class="mono">{identity.audience}</span>],
        ]}
      />
      <div class="actions">
        <Button onClick={onClose}>Done</Button>
      </div>
    </Dialog>
  );
}
