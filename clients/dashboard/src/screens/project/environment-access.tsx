import type { OwnOrganization } from '@holdfast/contracts/auth/account.ts';
import type { Grant, GrantRequest } from '@holdfast/contracts/fields/grant.ts';
import type { Environment } from '@holdfast/contracts/projects/projects.ts';
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { call } from '../../api.ts';
import { useAction, useLoad } from '../../load.ts';
import { user } from '../../session.ts';
import { Await } from '../../ui/await.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { rightsOfRole } from '../../ui/environment-rights.ts';
import { Field } from '../../ui/field.tsx';
import { Form, FormActions } from '../../ui/form.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Select } from '../../ui/select.tsx';
import { Time } from '../../ui/time.tsx';
import { showToast } from '../../ui/toast.tsx';

type Access = 'read' | 'write';
type Allowed = Readonly<Record<Access, boolean>>;

/** What the user may do in an environment, by role or by a grant. */
export interface Rights extends Allowed {
  grants: readonly Grant[];
  requests: readonly GrantRequest[];
  /** Reloads the grants and requests. */
  reload: () => Promise<void>;
}

interface WithGrantsProps {
  organization: OwnOrganization;
  project: { id: string };
  environment: Environment;
  children: (rights: Rights) => ComponentChildren;
}

/** Loads the user's own grants in the environment, unless the role allows everything there. */
export function WithGrants({ organization, project, environment, children }: WithGrantsProps) {
  const { id: orgId } = organization;
  const ofRole = rightsOfRole(organization, project, environment);
  const needsNone = ofRole.read && ofRole.write;
  const loaded = useLoad(`${orgId} ${needsNone}`, async signal =>
    needsNone ? { grants: [], requests: [] } : call('GET /v1/grants/{orgId}', { params: { orgId }, signal }),
  );
  const isOwn = ({ email, environmentId }: Pick<Grant, 'email' | 'environmentId'>) =>
    email === user.value?.email && environmentId === environment.id;
  const grants = loaded.data?.grants.filter(isOwn) ?? [];
  const ends = Math.min(...grants.map(({ expiresAt }) => Date.parse(expiresAt)));
  useEffect(() => {
    if (!Number.isFinite(ends)) return undefined;
    const timer = setTimeout(() => void loaded.reload(), Math.max(0, ends - Date.now()));
    return () => clearTimeout(timer);
  }, [ends]);
  const allows = (access: Access) => ofRole[access] || grants.some(grant => grant.access === access);
  return (
    <Await of={loaded}>
      {({ requests }) =>
        children({
          read: allows('read'),
          write: allows('write'),
          grants,
          requests: requests.filter(isOwn),
          reload: loaded.reload,
        })
      }
    </Await>
  );
}

interface AccessNowProps {
  organization: OwnOrganization;
  environment: Environment;
  rights: Rights;
}

const doing = { read: 'read', write: 'change' } as const;

/** Says how long a grant lasts, and lets the user ask for one. */
export function AccessNow({ organization, environment, rights }: AccessNowProps) {
  const [asking, setAsking] = useState(false);
  const { grants, requests, reload } = rights;
  const canAsk = !(rights.read && rights.write);
  if (grants.length === 0 && !canAsk) return null;
  return (
    <div class={grants.length + requests.length > 0 ? 'notice' : undefined}>
      {grants.map(({ id, access, expiresAt, reason }) => (
        <p key={id}>
          You can {doing[access]} the secrets of {environment.slug} for a limited time: it ends <Time at={expiresAt} />.
          Reason: “{reason}”
        </p>
      ))}
      {requests.map(({ id, access, minutes, createdAt }) => (
        <p key={id}>
          You asked to {doing[access]} the secrets of {environment.slug} for {minutes} minutes, <Time at={createdAt} />.
          Nobody has answered yet.
        </p>
      ))}
      {canAsk && (
        <p>
          <Button onClick={() => setAsking(true)}>Ask for access</Button>
        </p>
      )}
      {asking && (
        <AskForAccess
          params={{ orgId: organization.id }}
          environment={environment}
          offered={(['read', 'write'] as const).filter(access => !rights[access])}
          onClose={() => setAsking(false)}
          onAsked={reload}
        />
      )}
    </div>
  );
}

interface AskProps {
  params: { orgId: string };
  environment: Environment;
  offered: readonly Access[];
  onClose: () => void;
  onAsked: () => Promise<void>;
}

const durations = [
  ['30', '30 minutes'],
  ['60', 'an hour'],
  ['240', '4 hours'],
  ['1440', 'a day'],
] as const;

function AskForAccess({ params, environment, offered, onClose, onAsked }: AskProps) {
  const [access, setAccess] = useState<Access>(offered[0] ?? 'read');
  const [minutes, setMinutes] = useState<(typeof durations)[number][0]>('60');
  const ask = useAction(async ({ reason = '' }: Record<string, string>) => {
    const body = { environmentId: environment.id, access, minutes: Number(minutes), reason };
    await call('POST /v1/grants/{orgId}/requests', { params, body });
    showToast('Those who may give access were notified.');
    await onAsked();
    onClose();
  });
  return (
    <Dialog title={`Access to ${environment.slug}`} onClose={onClose}>
      <Form onSubmit={values => void ask.run(values)}>
        <Select
          label="Access"
          value={access}
          options={offered.map(one => [one, one] as const)}
          onChange={setAccess}
          hint={access === 'read' ? 'Read its secrets.' : 'Set and delete its secrets. This does not include reading.'}
        />
        <Select label="For" value={minutes} options={durations} onChange={setMinutes} />
        <Field
          label="Reason"
          name="reason"
          required
          maxLength={200}
          error={ask.error}
          hint="It is in the e-mail and in the audit log: never include a secret."
        />
        <Problem error={ask.error} />
        <FormActions busy={ask.busy} onClose={onClose}>
          Ask
        </FormActions>
      </Form>
    </Dialog>
  );
}
