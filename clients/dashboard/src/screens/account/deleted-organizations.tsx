import { type Answer, call } from '../../api.ts';
import { useAction, useLoad } from '../../load.ts';
import { loadSession } from '../../session.ts';
import { Await } from '../../ui/await.tsx';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { showToast } from '../../ui/toast.tsx';

type Deleted = Answer<'GET /v1/orgs/deleted'>['deleted'][number];

/** The organizations that the user owned and can restore; nothing without any. */
export function DeletedOrganizations() {
  const deleted = useLoad(
    'deleted organizations',
    async signal => (await call('GET /v1/orgs/deleted', { signal })).deleted,
  );
  const restore = useAction(async ({ id: orgId, name }: Deleted) => {
    await call('POST /v1/orgs/deleted/{orgId}/restore', { params: { orgId } });
    showToast(`${name} restored.`);
    await deleted.reload();
    await loadSession();
  });
  return (
    <Await of={deleted}>
      {list =>
        list.length > 0 && (
          <Section title="Deleted organizations" lead="You owned them, and can restore them as they were.">
            <Problem error={restore.error} />
            <Table
              caption="Deleted organizations"
              rows={list}
              keyOf={({ id }) => id}
              columns={columns(one => void restore.run(one))}
            />
          </Section>
        )
      }
    </Await>
  );
}

const columns = (onRestore: (one: Deleted) => void): readonly Column<Deleted>[] => [
  { title: 'Organization', cell: ({ name }) => <strong>{name}</strong> },
  { title: 'Deleted', cell: ({ deletedAt }) => <Time at={deletedAt} /> },
  { title: 'Erased', cell: ({ erasedAt }) => <Time at={erasedAt} /> },
  {
    title: 'Actions',
    hiddenTitle: true,
    cell: one => (
      <Button kind="quiet" label={`Restore ${one.name}`} onClick={() => onRestore(one)}>
        Restore
      </Button>
    ),
  },
];
