import type { OwnOrganization } from '@holdfast/contracts/auth/account.ts';
import type { Grant, GrantRequest } from '@holdfast/contracts/fields/grant.ts';
import { call } from '../../api.ts';
import { useAction, useLoad } from '../../load.ts';
import { user } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { showToast } from '../../ui/toast.tsx';

interface TemporaryAccessProps {
  organization: OwnOrganization;
  /** Whether it is all of its page, which then has the heading. Otherwise it only shows if there is something. */
  alone?: boolean;
}

/** The grants that have not ended and the open requests, for those who may answer and end them. */
export function TemporaryAccess({ organization: { id: orgId }, alone = false }: TemporaryAccessProps) {
  const loaded = useLoad(orgId, async signal => {
    const [{ grants, requests }, { projects }] = await Promise.all([
      call('GET /v1/grants/{orgId}', { params: { orgId }, signal }),
      call('GET /v1/projects/{orgId}', { params: { orgId }, signal }),
    ]);
    const named = projects.flatMap(({ slug, environments }) =>
      environments.map(environment => [environment.id, `${slug}/${environment.slug}`] as const),
    );
    return { grants, requests, names: new Map(named) };
  });
  const act = useAction(async (done: string, action: () => Promise<unknown>) => {
    await action();
    showToast(done);
    await loaded.reload();
  });
  if (loaded.data === undefined) return <Problem error={loaded.error} retry={() => void loaded.reload()} />;
  const { grants, requests, names } = loaded.data;
  if (grants.length + requests.length === 0)
    return alone ? <Empty title="Nobody asks for access, or has any." /> : null;
  const nameOf: NameOf = ({ environmentId }) => names.get(environmentId) ?? environmentId;
  const requestOf = ({ id }: GrantRequest) => ({ params: { orgId, id } });
  const lists = (
    <>
      <Problem error={act.error} />
      {requests.length > 0 && (
        <Requests
          requests={requests}
          nameOf={nameOf}
          onGrant={one =>
            void act.run('Access given.', () => call('POST /v1/grants/{orgId}/requests/{id}/grant', requestOf(one)))
          }
          onRefuse={one =>
            void act.run('Request refused.', () => call('POST /v1/grants/{orgId}/requests/{id}/refuse', requestOf(one)))
          }
        />
      )}
      {grants.length > 0 && (
        <Given
          grants={grants}
          nameOf={nameOf}
          onEnd={({ id: grantId, memberId: id }) => {
            const params = { orgId, id, grantId };
            void act.run('Access ended.', () => call('DELETE /v1/members/{orgId}/{id}/grants/{grantId}', { params }));
          }}
        />
      )}
    </>
  );
  return alone ? lists : <Section title="Temporary access">{lists}</Section>;
}

type NameOf = (one: { environmentId: string }) => string;

/** Nobody answers their own request or gives access to themselves. */
const isOthers = ({ email }: { email: string }) => email !== user.value?.email;

interface RequestsProps {
  requests: readonly GrantRequest[];
  nameOf: NameOf;
  onGrant: (request: GrantRequest) => void;
  onRefuse: (request: GrantRequest) => void;
}

function Requests({ requests, nameOf, onGrant, onRefuse }: RequestsProps) {
  return (
    <Table
      caption="Requests"
      rows={requests}
      keyOf={({ id }) => id}
      columns={[
        { title: 'Asked by', cell: ({ email }) => <strong class="mono">{email}</strong> },
        { title: 'Environment', cell: nameOf },
        { title: 'Access', cell: ({ access, minutes }) => `${access}, ${minutes} minutes` },
        { title: 'Reason', cell: ({ reason }) => reason },
        {
          title: 'Actions',
          hiddenTitle: true,
          cell: request =>
            isOthers(request) && (
              <>
                <Button label={`Give access to ${request.email}`} onClick={() => onGrant(request)}>
                  Give access
                </Button>
                <Button kind="quiet" label={`Refuse ${request.email} access`} onClick={() => onRefuse(request)}>
                  Refuse
                </Button>
              </>
            ),
        },
      ]}
    />
  );
}

interface GivenProps {
  grants: readonly Grant[];
  nameOf: NameOf;
  onEnd: (grant: Grant) => void;
}

function Given({ grants, nameOf, onEnd }: GivenProps) {
  return (
    <Table
      caption="Given"
      rows={grants}
      keyOf={({ id }) => id}
      columns={[
        { title: 'Member', cell: ({ email }) => <strong class="mono">{email}</strong> },
        { title: 'Environment', cell: nameOf },
        { title: 'Access', cell: ({ access }) => access },
        { title: 'Reason', cell: ({ reason }) => reason },
        { title: 'Ends', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
        {
          title: 'Actions',
          hiddenTitle: true,
          cell: grant =>
            isOthers(grant) && (
              <Button kind="quiet" label={`End the access of ${grant.email}`} onClick={() => onEnd(grant)}>
                End
              </Button>
            ),
        },
      ]}
    />
  );
}
