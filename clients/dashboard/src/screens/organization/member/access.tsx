import type { OwnOrganization } from '@holdfast/contracts/auth/account.ts';
import type { Member } from '@holdfast/contracts/members/members.ts';
import type { Project } from '@holdfast/contracts/projects/projects.ts';
import { useState } from 'preact/hooks';
import { sources } from '../../../ui/access-sources.ts';
import { Button } from '../../../ui/button.tsx';
import { MemberProjects, whyNotProjects } from '../../../ui/member-projects.tsx';
import { Section } from '../../../ui/page.tsx';
import { accessIn, inWords } from '../../../ui/project-access.ts';
import { Table } from '../../../ui/table.tsx';

interface MemberAccessProps {
  organization: OwnOrganization;
  member: Member;
  projects: readonly Project[];
  onChanged: () => Promise<void>;
}

/** What a member may read and change, project by project, and why. */
export function MemberAccess({ organization, member, projects, onChanged }: MemberAccessProps) {
  const [changing, setChanging] = useState(false);
  const visible = projects.flatMap(project => {
    const access = accessIn(sources, member, project);
    return access.why.length === 0 ? [] : [{ project, access }];
  });
  const base = `/organizations/${organization.slug}/projects`;
  return (
    <Section title="Projects">
      {visible.length === 0 ? (
        <p class="hint">{projects.length === 0 ? 'There are no projects yet.' : 'None.'}</p>
      ) : (
        <Table
          caption={`Projects of ${member.email}`}
          rows={visible}
          keyOf={({ project }) => project.id}
          columns={[
            {
              title: 'Project',
              cell: ({ project: { slug } }) => (
                <a class="mono key" href={`${base}/${slug}`}>
                  {slug}
                </a>
              ),
            },
            { title: 'Reads', cell: ({ access: { read, asked } }) => inWords(read, asked) },
            { title: 'Changes', cell: ({ access: { write, asked } }) => inWords(write, asked) },
            { title: 'Because of', cell: ({ access: { why } }) => why.join(', ') },
          ]}
        />
      )}
      {/* Nobody changes their own, so there is nothing to say about it there. */}
      {member.id !== organization.memberId && (
        <Button onClick={() => setChanging(true)} whyNot={whyNotProjects(organization.role, member)}>
          Change projects
        </Button>
      )}
      {changing && (
        <MemberProjects
          orgId={organization.id}
          member={member}
          onClose={() => setChanging(false)}
          onChanged={onChanged}
        />
      )}
    </Section>
  );
}
