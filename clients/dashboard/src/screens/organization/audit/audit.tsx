import type { OwnOrganization } from '@holdfast/contracts/auth/account.ts';
import { type Answer, call } from '../../../api.ts';
import { useLoad, usePages } from '../../../load.ts';
import { addressWith, navigate } from '../../../router.ts';
import { managedProjects, whoMay } from '../../../session.ts';
import { sources } from '../../../ui/access-sources.ts';
import { Await } from '../../../ui/await.tsx';
import { count } from '../../../ui/count.ts';
import { Empty } from '../../../ui/empty.tsx';
import { Further } from '../../../ui/further.tsx';
import type { OrganizationProps } from '../../../ui/in-organization.tsx';
import { Page } from '../../../ui/page.tsx';
import { Pager } from '../../../ui/pager.tsx';
import { accessIn } from '../../../ui/project-access.ts';
import { Time } from '../../../ui/time.tsx';
import { Activity } from './activity.tsx';
import { Chips } from './chips.tsx';
import { Download } from './download.tsx';
import { AuditEntryLine } from './entry.tsx';
import { FilterForm } from './filter-form.tsx';
import { addressed, type Filters, within } from './filters.ts';
import { type Folded, foldChecks } from './fold-checks.ts';
import { listNames, noNames, withTokensOf } from './names.ts';
import '../../../ui/journal.css';
import './audit.css';

const pageSize = 50;

export function Audit({ organization }: OrganizationProps) {
  const managed = managedProjects('list-audit-entries', organization);
  if (managed === 'all') return <AuditLog organization={organization} />;
  const [first, ...others] = managed.map(({ projectId }) => projectId);
  if (first === undefined) return <Histories organization={organization} />;
  return <AuditLog organization={organization} projectIds={[first, ...others]} />;
}

/** What others than owners and admins may see: who changed the secrets that they may read. */
function Histories({ organization }: { organization: OwnOrganization }) {
  const { id: orgId, name, slug } = organization;
  const loaded = useLoad(orgId, signal => call('GET /v1/projects/{orgId}', { params: { orgId }, signal }));
  return (
    <Page title={`Audit · ${name}`} heading="Audit">
      <Empty title={whoMay('list-audit-entries', 'see the audit log')}>
        <p>The history of an environment shows who changed its secrets, when and why. You may read these:</p>
        <Await of={loaded}>
          {({ projects }) => (
            <ul>
              {projects.flatMap(project =>
                accessIn(sources, organization, project).read.environments.map(environment => (
                  <li key={environment.id}>
                    <a
                      class="mono"
                      href={`/organizations/${slug}/projects/${project.slug}/environments/${environment.slug}/revisions`}
                    >
                      {project.slug}/{environment.slug}
                    </a>
                  </li>
                )),
              )}
            </ul>
          )}
        </Await>
      </Empty>
    </Page>
  );
}

type LogPage = Answer<'GET /v1/audit/{orgId}'>;

interface AuditLogProps {
  organization: OwnOrganization;
  /** The projects whose admin the user is, if they may only see the log of these, one at a time. */
  projectIds?: readonly [string, ...string[]];
}

function AuditLog({ organization, projectIds }: AuditLogProps) {
  const { filters: chosen, offset } = addressed();
  const filters = within(projectIds, chosen);
  // Without the names, the log still shows the ids.
  const listed = useLoad(organization.id, signal => listNames(organization, signal)).data ?? noNames;
  const log = usePages<LogPage>(
    JSON.stringify([organization.id, filters, offset]),
    (after, signal) =>
      call('GET /v1/audit/{orgId}', {
        params: { orgId: organization.id },
        query: { ...filters, limit: pageSize, ...(after === undefined ? { offset } : { after }) },
        signal,
      }),
    1,
  );
  const entries = log.data?.flatMap(page => page.entries) ?? [];
  const names = withTokensOf(entries, listed);
  return (
    <Page
      title={`Audit · ${organization.name}`}
      heading="Audit"
      lead={
        projectIds === undefined
          ? 'Every change, and every read of values. The log never contains a value.'
          : 'Every change in a project that you administer, and every read of values. The log never contains a value.'
      }
      actions={<Download organization={organization} filters={filters} />}
    >
      <FilterForm filters={filters} names={names} isOfProject={projectIds !== undefined} />
      <Chips
        filters={projectIds === undefined ? chosen : withoutProject(chosen)}
        entries={entries}
        names={names}
        slug={organization.slug}
      />
      <Await of={log} rows={10}>
        {pages => (
          <>
            {entries.length > 0 && <Activity organization={organization} filters={filters} />}
            <Entries pages={pages} filters={filters} />
            <Further
              of={log}
              searching=""
              left={`${count(entries.length, 'entry', 'entries')} so far. There are too many to count at once.`}
            />
            <Paging page={pages[0]} offset={offset} />
          </>
        )}
      </Await>
    </Page>
  );
}

/** The filters that can be removed from the log of one project. */
const withoutProject = ({ project: _, ...others }: Filters): Filters => others;

interface EntriesProps {
  pages: readonly LogPage[];
  filters: Filters;
}

function Entries({ pages, filters }: EntriesProps) {
  const entries = pages.flatMap(page => page.entries);
  const isOver = pages.at(-1)?.next === undefined;
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <>
      {entries.length === 0 && (
        <Empty
          title={!isOver ? 'Nothing found so far.' : isFiltered ? 'No entry matches the filters.' : 'No entries.'}
        />
      )}
      <ol class="journal">
        {foldChecks(entries, filters.action).map(one =>
          'entries' in one ? (
            <FoldedChecks key={one.entries[0]?.id} entries={one.entries} />
          ) : (
            <AuditEntryLine key={one.id} entry={one} />
          ),
        )}
      </ol>
    </>
  );
}

function FoldedChecks({ entries }: Folded) {
  return (
    <li>
      <p class="when">{entries[0] && <Time at={entries[0].createdAt} />}</p>
      <details>
        <summary>{count(entries.length, 'check')} that showed no value</summary>
        <ol class="journal">
          {entries.map(entry => (
            <AuditEntryLine key={entry.id} entry={entry} />
          ))}
        </ol>
      </details>
    </li>
  );
}

/** Pages by number need a total. Without one, the log is searched further instead. */
function Paging({ page, offset }: { page: LogPage | undefined; offset: number }) {
  if (page === undefined) return null;
  if (page.pagination.total === null)
    return offset === 0 ? null : (
      <p>
        <a href={addressWith({ offset: undefined })}>Newest entries</a>
      </p>
    );
  return (
    <Pager
      offset={offset}
      shown={page.entries.length}
      total={page.pagination.total}
      size={pageSize}
      names={['Newer', 'Older']}
      onGo={to => navigate(addressWith({ offset: to === 0 ? undefined : String(to) }))}
    />
  );
}
