import type { Member } from '@holdfast/contracts/members/members.ts';
import type { Project } from '@holdfast/contracts/projects/projects.ts';
import { useRef } from 'preact/hooks';
import { cellWords, type MatrixRow, type ProjectAccess, whyInWords } from '../../../ui/project-access.ts';
import { Spacer, useRowsInFrame } from '../../../ui/rows-in-frame.tsx';
import { ScrollArea } from '../../../ui/scroll-area.tsx';
import '../../../ui/matrix.css';
import './matrix.css';

/** The height of `.matrix.access tbody tr` in the style sheet. */
const rowPx = 56;

export interface AccessViewProps {
  /** The organization's. */
  slug: string;
  rows: readonly MatrixRow<Member>[];
  /** In the order of the cells. */
  projects: readonly Project[];
}

const label = 'Who can read and change what';

/** A row for each person, and a column for each project. Only the rows in sight are rendered. */
export function AccessMatrix({ slug, rows, projects }: AccessViewProps) {
  const body = useRef<HTMLTableSectionElement>(null);
  const [first, end] = useRowsInFrame(body, { rows: rows.length, rowPx });
  const base = `/organizations/${slug}`;
  return (
    <ScrollArea class="matrix-frame" label={label}>
      <table class="matrix access" aria-rowcount={rows.length + 1}>
        <caption class="visually-hidden">{label}</caption>
        <thead>
          <tr aria-rowindex={1}>
            <th scope="col">Person</th>
            {projects.map((project, index) => (
              <th key={project.id} scope="col">
                <a class="mono" href={`${base}/projects/${project.slug}/people`}>
                  {project.slug}
                </a>
                <small>{readersOf(rows, index)}</small>
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          {first > 0 && <Spacer rows={first} rowPx={rowPx} />}
          {rows.slice(first, end).map(({ person: { id, name, email }, cells }, offset) => (
            <tr key={id} aria-rowindex={first + offset + 2}>
              <th scope="row">
                <a href={`${base}/members/${id}`} title={email}>
                  <bdi>{name || email}</bdi>
                </a>
                {name !== '' && <small>{email}</small>}
              </th>
              {cells.map((access, index) => (
                <Cell key={projects[index]?.id} access={access} />
              ))}
            </tr>
          ))}
          {end < rows.length && <Spacer rows={rows.length - end} rowPx={rowPx} />}
        </tbody>
      </table>
    </ScrollArea>
  );
}

function readersOf(rows: AccessViewProps['rows'], index: number): string {
  const readers = rows.filter(({ cells }) => (cells[index]?.read.environments.length ?? 0) > 0).length;
  return readers === 1 ? '1 reads' : `${readers} read`;
}

function Cell({ access }: { access: ProjectAccess }) {
  const words = cellWords(access);
  if (words === undefined)
    return (
      <td>
        <span aria-hidden="true">–</span>
        <span class="visually-hidden">no access</span>
      </td>
    );
  return (
    <td class={access.read.environments.length > 0 ? 'reads' : undefined}>
      {words}
      <small>{whyInWords(access)}</small>
    </td>
  );
}
