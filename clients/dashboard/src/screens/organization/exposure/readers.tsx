import type { SecretReaders } from '@holdfast/contracts/audit/exposure.ts';
import type { OwnOrganization } from '@holdfast/contracts/auth/account.ts';
import { call } from '../../../api.ts';
import { useLoad, usePages } from '../../../load.ts';
import { Await } from '../../../ui/await.tsx';
import { count } from '../../../ui/count.ts';
import { Empty } from '../../../ui/empty.tsx';
import { Further } from '../../../ui/further.tsx';
import { exposurePath, secretPath } from '../../../ui/leaked.tsx';
import { Page } from '../../../ui/page.tsx';
import { Person } from '../../../ui/person.tsx';
import { type Column, Table } from '../../../ui/table.tsx';
import { Time } from '../../../ui/time.tsx';
import { tokensInLog } from '../credentials.ts';
import { Doubts } from './doubts.tsx';
import { allReaders } from './exposed.ts';
import './exposure.css';

type Reader = SecretReaders['readers'][number];

interface ReadersProps {
  organization: OwnOrganization;
  asked: { environment: string; key: string };
}

const pagesAtOnce = 20;

/** Everyone who knows the current value of a secret. */
export function ReadersScreen({ organization, asked }: ReadersProps) {
  const params = { orgId: organization.id };
  const found = usePages(
    JSON.stringify([organization.id, asked]),
    async (after, signal) => {
      const query = { ...asked, after };
      return (await call('GET /v1/audit/{orgId}/exposure', { params, query, signal })) as SecretReaders;
    },
    pagesAtOnce,
  );
  const projects = useLoad(organization.id, signal => call('GET /v1/projects/{orgId}', { params, signal }));
  // The log answers few questions at a time, so this waits for the readers.
  const isReady = found.data !== undefined && !found.pending;
  const tokens = useLoad(`${organization.id} ${isReady}`, signal =>
    isReady ? tokensInLog(organization.id, signal) : Promise.resolve([]),
  );
  const nameOfToken = (id: string) => tokens.data?.find(token => token.id === id)?.name;
  const place = projects.data?.projects
    .flatMap(project => project.environments.map(environment => ({ project, environment })))
    .find(({ environment }) => environment.id === asked.environment);
  return (
    <Page
      title={`Who knows ${asked.key} · ${organization.name}`}
      heading={
        <>
          Who knows <span class="mono">{asked.key}</span>
        </>
      }
      lead={
        place && (
          <>
            The current value in{' '}
            <a class="mono" href={secretPath(organization.slug, place.project.slug, place.environment.slug, asked.key)}>
              {place.project.slug}/{place.environment.slug}
            </a>
          </>
        )
      }
    >
      <Await of={found} rows={4}>
        {pages => (
          <>
            <Doubts pages={pages} />
            <Readers
              readers={allReaders(pages)}
              version={pages[0]?.version ?? 0}
              columns={columns(organization.slug, nameOfToken)}
            />
            <Further
              of={found}
              searching="Searching the audit log …"
              left="The audit log is long, and only its older part has been searched."
            />
          </>
        )}
      </Await>
    </Page>
  );
}

interface ReaderListProps {
  readers: readonly Reader[];
  version: number;
  columns: readonly Column<Reader>[];
}

function Readers({ readers, version, columns: shown }: ReaderListProps) {
  const without = readers.filter(({ hasAccess }) => !hasAccess).length;
  if (readers.length === 0)
    return (
      <Empty title="The audit log shows no readers.">
        <p>No entry says that version {version} was written or read with its value.</p>
      </Empty>
    );
  return (
    <>
      <p>
        {count(readers.length, 'reader')} of version {version}.{' '}
        {without > 0 && (
          <strong class="bad">
            {without.toLocaleString('en')} of them can no longer read it, but {without === 1 ? 'knows' : 'know'} the
            value.
          </strong>
        )}
      </p>
      <Table caption="Who knows the value" rows={readers} keyOf={({ actor }) => actor.id} columns={shown} />
    </>
  );
}

const shownTokens = 3;

const columns = (slug: string, nameOfToken: (id: string) => string | undefined): readonly Column<Reader>[] => [
  {
    title: 'Who',
    cell: ({ actor: { id, type, email, name } }) => (
      <Person
        name={<a href={exposurePath(slug, { [type]: id })}>{email ?? name ?? id}</a>}
        detail={type === 'identity' ? 'identity' : undefined}
      />
    ),
  },
  {
    title: 'Access now',
    cell: ({ hasAccess }) => (hasAccess ? 'yes' : <strong class="bad">no longer</strong>),
  },
  {
    title: 'Tokens',
    cell: ({ tokenIds }) => (
      <>
        {tokenIds.slice(0, shownTokens).map(id => (
          <div key={id}>
            <a
              class={nameOfToken(id) === undefined ? 'mono small' : ''}
              href={exposurePath(slug, { token: id })}
              title={id}
            >
              <bdi>{nameOfToken(id) ?? id}</bdi>
            </a>
          </div>
        ))}
        {tokenIds.length > shownTokens && <span class="quiet">and {tokenIds.length - shownTokens} more</span>}
        {tokenIds.length === 0 && <span class="quiet">none</span>}
      </>
    ),
  },
  { title: 'First seen', cell: ({ firstAt }) => <Time at={firstAt} /> },
  { title: 'Last seen', cell: ({ lastAt }) => <Time at={lastAt} /> },
];
