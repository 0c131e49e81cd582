import { useState } from 'preact/hooks';
import { cellWords, whyInWords } from '../../../ui/project-access.ts';
import { Table } from '../../../ui/table.tsx';
import type { AccessViewProps } from './matrix.tsx';
import './matrix.css';

/** The same for a narrow page: one person after another, and their projects on demand. */
export function AccessByPerson({ slug, rows, projects }: AccessViewProps) {
  return (
    <ul class="people-access">
      {rows.map(row => (
        <PersonAccess key={row.person.id} slug={slug} row={row} projects={projects} />
      ))}
    </ul>
  );
}

interface PersonAccessProps {
  slug: string;
  row: AccessViewProps['rows'][number];
  projects: AccessViewProps['projects'];
}

function PersonAccess({ slug, row: { person, cells, counts }, projects }: PersonAccessProps) {
  const [isOpen, setOpen] = useState(false);
  const { id, name, email } = person;
  const found = projects.flatMap((project, index) => {
    const access = cells[index];
    const words = access && cellWords(access);
    return access === undefined || words === undefined ? [] : [{ project, words, why: whyInWords(access) }];
  });
  return (
    <li>
      <details onToggle={event => setOpen(event.currentTarget.open)}>
        <summary>
          <bdi>{name || email}</bdi>
          <small>
            reads in {counts.read} of {projects.length}, changes in {counts.write}
          </small>
        </summary>
        {isOpen && (
          <>
            {found.length === 0 ? (
              <p class="hint">No access.</p>
            ) : (
              <Table
                caption={`Projects of ${email}`}
                rows={found}
                keyOf={({ project }) => project.id}
                columns={[
                  { title: 'Project', cell: ({ project }) => <span class="mono key">{project.slug}</span> },
                  { title: 'May', cell: ({ words }) => words },
                  { title: 'Because of', cell: ({ why }) => why },
                ]}
              />
            )}
            <p>
              <a href={`/organizations/${slug}/members/${id}`}>All about {name || email}</a>
            </p>
          </>
        )}
      </details>
    </li>
  );
}
