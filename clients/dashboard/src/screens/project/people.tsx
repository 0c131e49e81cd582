import { roles } from 'virtual:contracts';
import type { Member } from '@holdfast/contracts/members/members.ts';
import type { Project } from '@holdfast/contracts/projects/projects.ts';
import { useState } from 'preact/hooks';
import { call } from '../../api.ts';
import { useLoad } from '../../load.ts';
import { organizationBySlug } from '../../session.ts';
import { sources } from '../../ui/access-sources.ts';
import { Await } from '../../ui/await.tsx';
import { Button } from '../../ui/button.tsx';
import type { ProjectProps } from '../../ui/in-project.tsx';
import { MemberName } from '../../ui/member-name.tsx';
import { MemberProjects, whyNotProjects } from '../../ui/member-projects.tsx';
import { Page } from '../../ui/page.tsx';
import { accessIn, inWords, type ProjectAccess } from '../../ui/project-access.ts';
import { Table } from '../../ui/table.tsx';

interface PersonHere {
  member: Member;
  access: ProjectAccess;
}

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
                cell: ({ member }) => <MemberName slug={slug} member={member} />,
              },
              { title: 'Reads', cell: ({ access: { read, asked } }) => inWords(read, asked) },
              { title: 'Changes', cell: ({ access: { write, asked } }) => inWords(write, asked) },
              { title: 'Because of', cell: ({ access: { why } }) => why.join(', ') },
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

function peopleIn(project: Project, members: readonly Member[]): PersonHere[] {
  const people = members.flatMap(member => {
    const access = accessIn(sources, member, project);
    return access.why.length === 0 ? [] : [{ member, access }];
  });
  const rank = ({ access: { role } }: PersonHere) => (role === undefined ? roles.length : roles.indexOf(role));
  return people.toSorted((a, b) => rank(a) - rank(b));
}
