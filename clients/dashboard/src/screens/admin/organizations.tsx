import { type Answer, call } from '../../api.ts';
import { useLoad } from '../../load.ts';
import { navigate, searchParameters } from '../../router.ts';
import { Await } from '../../ui/await.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { Page } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { OfPlatform } from './tabs.tsx';

type Listed = Answer<'GET /v1/admin/orgs'>['organizations'][number];

const pageSize = 50;

export function AdminOrganizations() {
  return <OfPlatform>{() => <Organizations />}</OfPlatform>;
}

function Organizations() {
  const search = searchParameters().get('search') ?? '';
  const offset = Math.max(0, Number.parseInt(searchParameters().get('offset') ?? '0', 10) || 0);
  const go = (next: string, from = 0) => {
    const entries = [...(next === '' ? [] : [['search', next]]), ...(from === 0 ? [] : [['offset', String(from)]])];
    navigate(entries.length === 0 ? '/admin/organizations' : `/admin/organizations?${new URLSearchParams(entries)}`);
  };
  const page = useLoad(`${search} ${offset}`, signal =>
    call('GET /v1/admin/orgs', {
      query: { limit: pageSize, offset, search: search === '' ? undefined : search },
      signal,
    }),
  );
  return (
    <Page title="Organizations">
      <Form label="Search" onSubmit={values => go(values.search ?? '')}>
        <div class="filters">
          <Field label="Name or slug begins with" name="search" type="search" value={search} maxLength={256} />
          <Button type="submit">Search</Button>
        </div>
      </Form>
      <Await of={page} rows={8}>
        {({ organizations, pagination }) =>
          organizations.length === 0 ? (
            <Empty title="None found." />
          ) : (
            <>
              <Table caption="Organizations" rows={organizations} keyOf={({ id }) => id} columns={columns} />
              <Pager
                offset={offset}
                shown={organizations.length}
                total={pagination?.total ?? organizations.length}
                size={pageSize}
                names={['Previous', 'Next']}
                onGo={to => go(search, to)}
              />
            </>
          )
        }
      </Await>
    </Page>
  );
}

const columns: readonly Column<Listed>[] = [
  {
    title: 'Organization',
    cell: ({ id, slug, name }) => (
      <>
        <a class="mono key" href={`/admin/organizations/${id}`}>
          {slug}
        </a>{' '}
        <span class="quiet">{name}</span>
      </>
    ),
  },
  { title: 'Plan', cell: ({ plan }) => plan },
  { title: 'Projects', number: true, cell: ({ usage }) => usage.projects.toLocaleString('en') },
  { title: 'Members', number: true, cell: ({ usage }) => usage.members.toLocaleString('en') },
  { title: 'Secrets', number: true, cell: ({ usage }) => usage.secrets.toLocaleString('en') },
];
