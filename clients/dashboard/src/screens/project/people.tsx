import { environmentRules, roles } from 'virtual:contracts';
import type { EnvironmentType, Role } from '@holdfast/contracts/fields/role.ts';
import { roleInProject } from '@holdfast/contracts/fields/role-in-project.ts';
import type { Member } from '@holdfast/contracts/members/members.ts';
import type { Project } from '@holdfast/contracts/projects/projects.ts';
import { useState } from 'preact/hooks';
import { call } from '../../api.ts';
import { useLoad } from '../../load.ts';
import { organizationBySlug } from '../../session.ts';
import { Await } from '../../ui/await.tsx';
import { Button } from '../../ui/button.tsx';
import type { ProjectProps } from '../../ui/in-project.tsx';
import { MemberProjects, whyNotProjects } from '../../ui/member-projects.tsx';
import { Page } from '../../ui/page.tsx';
import { Person } from '../../ui/person.tsx';
import { Table } from '../../ui/table.tsx';

interface PersonHere {
  member: Member;
  role: Role;
  why: string;
}

const reasons = { project: 'role in this project', organization: 'role in the organization' } as const;

/** Who can do what in the project, the most powerful first, and why. */
export function People({ organization, project }: ProjectProps) {
  const { id: orgId, slug } = organization;
  const [changing, setChanging] = useState<Member>();
  const roster = useLoad(orgId, signal => call('GET /v1/members/{orgId}', { params: { orgId }, signal }));
  // Not the role in this project, which does not count for members.
  const own = organizationBySlug(slug)?.role ?? 'viewer';
  return (
    <Page title={`People · ${project.name}`} heading="People">
      <p class="hint">
        Whoever is not listed can’t see the project. Identities and webhooks of the organization are on their own pages.
      </p>
      <Await of={roster}>
        {({ members }) => (
          <Table
            caption={`People who can see ${project.name}`}
            rows={peopleIn(project, members)}
            keyOf={({ member }) => member.id}
            columns={[
              {
                title: 'Person',
                cell: ({ member: { name, email } }) =>
                  name === '' ? <Person name={email} /> : <Person name={name} detail={email} />,
              },
              { title: 'Role here', cell: ({ role }) => role },
              { title: 'Because of the', cell: ({ why }) => why },
              { title: 'Reads', cell: ({ role }) => environmentsFor('read', role, project) },
              { title: 'Changes', cell: ({ role }) => environmentsFor('write', role, project) },
              {
                title: 'Actions',
                hiddenTitle: true,
                cell: ({ member }) =>
                  whyNotProjects(own, member) === undefined && (
                    <Button
                      kind="quiet"
                      label={`Change the role of ${member.email}`}
                      onClick={() => setChanging(member)}
                    >
                      Change
                    </Button>
                  ),
              },
            ]}
          />
        )}
      </Await>
      {changing !== undefined && (
        <MemberProjects
          orgId={orgId}
          member={changing}
          only={project}
          onClose={() => setChanging(undefined)}
          onChanged={roster.reload}
        />
      )}
    </Page>
  );
}

function peopleIn({ id }: Project, members: readonly Member[]): PersonHere[] {
  const people = members.flatMap(member => {
    const found = roleInProject(member, id);
    return found === undefined ? [] : [{ member, role: found.role, why: reasons[found.source] }];
  });
  return people.toSorted((a, b) => roles.indexOf(a.role) - roles.indexOf(b.role));
}

/** By slug, because the type of an environment can change. */
function environmentsFor(action: 'read' | 'write', role: Role, { environments }: Project): string {
  const types: readonly EnvironmentType[] = environmentRules[action][role];
  const slugs = environments.filter(({ type }) => types.includes(type)).map(({ slug }) => slug);
  if (slugs.length === 0) return '–';
  return slugs.length === environments.length ? 'all environments' : slugs.join(', ');
}
