import { environmentTypes } from 'virtual:contracts';
import type { EnvironmentType } from '@holdfast/contracts/fields/role.ts';
import type { Member } from '@holdfast/contracts/members/members.ts';
import type { Project } from '@holdfast/contracts/projects/projects.ts';
import { useMemo, useState } from 'preact/hooks';
import { call } from '../../../api.ts';
import { useLoad } from '../../../load.ts';
import { addressWith, navigate, searchParameters } from '../../../router.ts';
import { sources } from '../../../ui/access-sources.ts';
import { Await } from '../../../ui/await.tsx';
import { count } from '../../../ui/count.ts';
import { Empty } from '../../../ui/empty.tsx';
import { Field } from '../../../ui/field.tsx';
import type { OrganizationProps } from '../../../ui/in-organization.tsx';
import { useNarrow } from '../../../ui/narrow.ts';
import { Page } from '../../../ui/page.tsx';
import { accessMatrix } from '../../../ui/project-access.ts';
import { Select } from '../../../ui/select.tsx';
import { AccessByPerson } from './by-person.tsx';
import { AccessMatrix } from './matrix.tsx';

/** Who can read and change what, in which project, and why. */
export function AccessScreen({ organization }: OrganizationProps) {
  const params = { orgId: organization.id };
  const loaded = useLoad(organization.id, async signal => {
    const [{ members }, { projects }] = await Promise.all([
      call('GET /v1/members/{orgId}', { params, signal }),
      call('GET /v1/projects/{orgId}', { params, signal }),
    ]);
    return { members, projects };
  });
  return (
    <Page
      title={`Who can read what · ${organization.name}`}
      heading="Who can read what"
      lead={
        <>
          People by project, and where their access comes from. Pipelines and workloads are{' '}
          <a href={`/organizations/${organization.slug}/identities`}>identities</a>.
        </>
      }
    >
      <Await of={loaded} rows={10}>
        {({ members, projects }) =>
          projects.length === 0 ? (
            <Empty title="There are no projects yet." />
          ) : (
            <Access slug={organization.slug} members={members} projects={projects} />
          )
        }
      </Await>
    </Page>
  );
}

const everyType = 'all';
type Asked = EnvironmentType | typeof everyType;

/** Production unless the address says otherwise: that is what most people come for. */
function askedType(): Asked {
  const given = searchParameters().get('type');
  const known: readonly Asked[] = [...environmentTypes, everyType];
  return known.find(type => type === given) ?? 'production';
}

interface AccessProps {
  slug: string;
  members: readonly Member[];
  projects: readonly Project[];
}

function Access({ slug, members, projects }: AccessProps) {
  const [person, setPerson] = useState('');
  const [project, setProject] = useState('');
  const isNarrow = useNarrow();
  const asked = askedType();
  const type = asked === everyType ? undefined : asked;
  const rows = useMemo(
    () =>
      accessMatrix(
        sources,
        members.filter(({ name, email }) => contains(`${name} ${email}`, person)),
        projects.filter(one => contains(`${one.slug} ${one.name}`, project)),
        type,
      ),
    [members, projects, person, project, type],
  );
  const shown = projects.filter(one => contains(`${one.slug} ${one.name}`, project));
  const [readers, writers] = (['read', 'write'] as const).map(
    action => rows.filter(({ counts }) => counts[action] > 0).length,
  );
  const View = isNarrow ? AccessByPerson : AccessMatrix;
  return (
    <>
      <div class="filters">
        <Select<Asked>
          label="Environments"
          value={asked}
          options={[...environmentTypes.map(one => [one, one] as const), [everyType, 'all'] as const]}
          onChange={one => navigate(addressWith({ type: one }), { replace: true })}
        />
        <Field label="Person" name="person" type="search" value={person} onInput={setPerson} />
        <Field label="Project" name="project" type="search" value={project} onInput={setProject} />
      </div>
      <p role="status">
        {readers} of {count(rows.length, 'person', 'people')} can read {type ?? 'something'} in at least one of{' '}
        {count(shown.length, 'project')}, {writers} can change it.
      </p>
      {rows.length === 0 || shown.length === 0 ? (
        <Empty title="Nothing matches the filters." />
      ) : (
        // Other filters begin at the top again.
        <View key={`${asked} ${person} ${project}`} slug={slug} rows={rows} projects={shown} />
      )}
    </>
  );
}

const contains = (text: string, typed: string) => text.toLowerCase().includes(typed.trim().toLowerCase());
