import type { OwnOrganization } from '@holdfast/contracts/auth/account.ts';
import type { Due } from '@holdfast/contracts/projects/due.ts';
import type { Project } from '@holdfast/contracts/projects/projects.ts';
import { signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { call } from '../api.ts';
import { useLoad } from '../load.ts';
import { user } from '../session.ts';
import { Await } from './await.tsx';
import { Button } from './button.tsx';
import { DueDate, nearDays } from './due-date.tsx';
import { EnvironmentMark } from './environment-mark.tsx';
import { rightsOfRole } from './environment-rights.ts';
import { secretPath } from './leaked.tsx';
import { OwnerName } from './owner-name.tsx';
import { type People, usePeople } from './people.ts';
import { RenewLink } from './renew-link.tsx';
import { Select } from './select.tsx';
import { type Column, Table } from './table.tsx';
import './due-panel.css';

interface DuePanelProps {
  organization: OwnOrganization;
  /** All projects of the organization, or one. */
  projects: readonly Project[];
}

/** Incremented when the user says something else about a key, which may change what is due. */
export const descriptions = signal(0);

/** As many as are shown at first. The rest must not push the page out of sight. */
const shownAtFirst = 5;

const whose = [
  ['all', 'everybody’s'],
  ['me', 'mine'],
] as const;

/** The values that have to be renewed soon: in one project, or in all. It shows what exists for the user. */
export function DuePanel({ organization, projects }: DuePanelProps) {
  return (
    <Await of={useDue(organization, projects)} rows={1}>
      {all =>
        all.length === 0 ? (
          <p class="quiet">No value has to be renewed within {nearDays} days.</p>
        ) : (
          <DueValues {...{ organization, projects, all }} />
        )
      }
    </Await>
  );
}

function DueValues({ organization, projects, all }: DuePanelProps & { all: readonly Due[] }) {
  const { slug } = organization;
  const [owner, setOwner] = useState<(typeof whose)[number][0]>('all');
  const [isWhole, setWhole] = useState(false);
  const isMine = (due: Due) => due.owner === user.value?.id;
  const people = usePeople(
    slug,
    all.some(due => due.owner !== null),
  );
  const found = owner === 'all' ? all : all.filter(isMine);
  return (
    <section class="due-panel">
      <div class="due-head">
        <h2>
          To be renewed <span class="quiet">{summaryOf(found)}</span>
        </h2>
        {all.some(isMine) && <Select label="Whose" hiddenLabel value={owner} options={whose} onChange={setOwner} />}
      </div>
      <Table
        caption="Values that have to be renewed"
        rows={isWhole ? found : found.slice(0, shownAtFirst)}
        keyOf={({ project, environment, key }) => `${project} ${environment} ${key}`}
        columns={columnsFor(organization, projects, people)}
      />
      {found.length > shownAtFirst && (
        <Button kind="quiet" onClick={() => setWhole(!isWhole)}>
          {isWhole ? `Show the first ${shownAtFirst}` : `Show all ${found.length.toLocaleString('en')}`}
        </Button>
      )}
    </section>
  );
}

/** What is due now. It stays on the page while it is loaded again, after a change that may have renewed something. */
function useDue({ id: orgId }: OwnOrganization, projects: readonly Project[]) {
  const [first] = projects;
  const only = projects.length === 1 ? first?.slug : undefined;
  const loaded = useLoad(`${orgId} ${only}`, async signal => {
    const query = { within: `${nearDays}d`, project: only };
    return (await call('GET /v1/due/{orgId}', { params: { orgId }, query, signal })).due;
  });
  const revisions = projects.flatMap(({ environments }) => environments.map(({ revision }) => revision));
  const state = `${descriptions.value} ${revisions}`;
  const seen = useRef(state);
  useEffect(() => {
    if (seen.current !== state) void loaded.reload();
    seen.current = state;
  }, [state]);
  return loaded;
}

function summaryOf(due: readonly Due[]): string {
  const overdue = due.filter(({ dueAt }) => Date.parse(dueAt) <= Date.now()).length;
  const soon = due.length - overdue;
  return [
    ...(overdue > 0 ? [`${overdue.toLocaleString('en')} overdue`] : []),
    ...(soon > 0 ? [`${soon.toLocaleString('en')} due within ${nearDays} days`] : []),
  ].join(', ');
}

function columnsFor(
  organization: OwnOrganization,
  projects: readonly Project[],
  people: People,
): readonly Column<Due>[] {
  const { slug } = organization;
  return [
    { title: 'Key', cell: due => <DueKey {...{ organization, projects, due }} /> },
    { title: 'Where', cell: due => <Where projects={projects} due={due} /> },
    { title: 'When', cell: ({ dueAt }) => <DueDate at={dueAt} /> },
    {
      title: 'Owner',
      cell: ({ owner }) =>
        owner === null ? <span class="quiet">nobody</span> : <OwnerName {...{ slug, people, owner }} />,
    },
    {
      title: 'Renew at',
      cell: ({ renewUrl, key }) => (renewUrl === null ? null : <RenewLink to={renewUrl} of={key} />),
    },
  ];
}

const environmentOf = (projects: readonly Project[], { project, environment }: Due) => {
  const found = projects.find(({ slug }) => slug === project);
  return { project: found, environment: found?.environments.find(({ slug }) => slug === environment) };
};

/** Leads to the secret, or to the field for a new value for whoever can write but not read. */
function DueKey({ organization, projects, due }: DuePanelProps & { due: Due }) {
  const { project, environment } = environmentOf(projects, due);
  if (project === undefined || environment === undefined) return <span class="mono key">{due.key}</span>;
  const { read, write } = rightsOfRole(organization, project, environment);
  const path = secretPath(organization.slug, due.project, due.environment, due.key);
  return (
    <a class="mono key" href={write && !read ? path.replace('?key=', '?set=') : path}>
      {due.key}
    </a>
  );
}

function Where({ projects, due }: { projects: readonly Project[]; due: Due }) {
  const { environment } = environmentOf(projects, due);
  return (
    <span>
      {projects.length > 1 && <span class="mono">{due.project} / </span>}
      {environment === undefined ? (
        due.environment
      ) : (
        <EnvironmentMark type={environment.type} name={environment.slug} />
      )}
    </span>
  );
}
