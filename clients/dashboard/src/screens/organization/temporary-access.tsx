import type { OwnOrganization } from '@holdfast/contracts/auth/account.ts';
import type { Grant, GrantRequest } from '@holdfast/contracts/fields/grant.ts';
import { call } from '../../api.ts';
import { useAction, useLoad } from '../../load.ts';
import { user } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { showToast } from '../../ui/toast.tsx';

/** The grants that have not ended and the open requests, for those who may answer and end them. */
export function TemporaryAccess({ organization: { id: orgId } }: { organization: OwnOrganization }) {
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
  const { grants = [], requests = [], names = new Map<string, string>() } = loaded.data ?? {};
  if (loaded.data === undefined) return <Problem error={loaded.error} retry={() => void loaded.reload()} />;
  if (grants.length + requests.length === 0) return null;
  const answer = ({ id }: GrantRequest, how: 'grant' | 'refuse') =>
    act.run(how === 'grant' ? 'Access given.' : 'Request refused.', () =>
      how === 'grant'
        ? call('POST /v1/grants/{orgId}/requests/{id}/grant', { params: { orgId, id } })
        : call('POST /v1/grants/{orgId}/requests/{id}/refuse', { params: { orgId, id } }),
    );
  const end = ({ id: grantId, memberId: id }: Grant) =>
    act.run('Access ended.', () =>
      call('DELETE /v1/members/{orgId}/{id}/grants/{grantId}', { params: { orgId, id, grantId } }),
    );
  const isOthers = ({ email }: { email: string }) => email !== user.value?.email;
  const nameOf = ({ environmentId }: { environmentId: string }) => names.get(environmentId) ?? environmentId;
  return (
    <Section title="Temporary access">
      <Problem error={act.error} />
      {requests.length > 0 && (
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
                    <Button label={`Give access to ${request.email}`} onClick={() => void answer(request, 'grant')}>
                      Give access
                    </Button>
                    <Button
                      kind="quiet"
                      label={`Refuse ${request.email} access`}
                      onClick={() => void answer(request, 'refuse')}
                    >
                      Refuse
                    </Button>
                  </>
                ),
            },
          ]}
        />
      )}
      {grants.length > 0 && (
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
                  <Button kind="quiet" label={`End the access of ${grant.email}`} onClick={() => void end(grant)}>
                    End
                  </Button>
                ),
            },
          ]}
        />
      )}
    </Section>
  );
}
