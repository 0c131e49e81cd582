import type { OwnOrganization } from '@holdfast/contracts/auth/account.ts';
import { useState } from 'preact/hooks';
import { type Answer, call } from '../../api.ts';
import { useAction, useLoad } from '../../load.ts';
import { Await } from '../../ui/await.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { showToast } from '../../ui/toast.tsx';

type Deleted = Answer<'GET /v1/deleted/{orgId}'>['deleted'][number];

const placeOf = ({ slug, project }: Deleted) => (project === null ? slug : `${project}/${slug}`);

/** The projects and environments that an owner can restore or erase. */
export function DeletedList({ organization: { id: orgId } }: { organization: OwnOrganization }) {
  const [erasing, setErasing] = useState<Deleted>();
  const deleted = useLoad(
    `deleted ${orgId}`,
    async signal => (await call('GET /v1/deleted/{orgId}', { params: { orgId }, signal })).deleted,
  );
  const restore = useAction(async (one: Deleted) => {
    await call('POST /v1/deleted/{orgId}/{id}/restore', { params: { orgId, id: one.id } });
    showToast(`${placeOf(one)} restored.`);
    await deleted.reload();
  });
  return (
    <Section title="Deleted" lead="What can still be restored, as it was.">
      <Problem error={restore.error} />
      <Await of={deleted}>
        {list =>
          list.length === 0 ? (
            <p>Nothing deleted can be restored.</p>
          ) : (
            <Table
              caption="Deleted projects and environments"
              rows={list}
              keyOf={({ id }) => id}
              columns={columns(one => void restore.run(one), setErasing)}
            />
          )
        }
      </Await>
      {erasing !== undefined && (
        <Confirm
          title={`Erase ${erasing.name}`}
          action="Erase now"
          word={erasing.slug}
          onClose={() => setErasing(undefined)}
          onConfirm={async () => {
            await call('DELETE /v1/deleted/{orgId}/{id}', { params: { orgId, id: erasing.id } });
            showToast(`${placeOf(erasing)} is being erased.`);
            await deleted.reload();
          }}
        >
          <p>It is erased with its history. This can’t be undone.</p>
        </Confirm>
      )}
    </Section>
  );
}

const columns = (onRestore: (one: Deleted) => void, onErase: (one: Deleted) => void): readonly Column<Deleted>[] => [
  {
    title: 'What',
    cell: one => (
      <>
        {one.type} <span class="mono">{placeOf(one)}</span>
      </>
    ),
  },
  { title: 'Deleted', cell: ({ deletedAt }) => <Time at={deletedAt} /> },
  { title: 'By', cell: ({ deletedBy }) => deletedBy.email },
  { title: 'Erased', cell: ({ erasedAt }) => <Time at={erasedAt} /> },
  {
    title: 'Actions',
    hiddenTitle: true,
    cell: one => (
      <>
        <Button kind="quiet" label={`Restore ${placeOf(one)}`} onClick={() => onRestore(one)}>
          Restore
        </Button>
        <Button kind="quiet" label={`Erase ${placeOf(one)} now`} onClick={() => onErase(one)}>
          Erase now
        </Button>
      </>
    ),
  },
];
