import { changedFields } from '../access/changed-fields.ts';
import type { MemberContext } from '../access/request-context.ts';
import type { Project } from '../contracts/projects/project.ts';
import { asRead, equals } from '../table/expressions.ts';
import { at } from '../table/read.ts';
import { type ProjectRecord, projectRecord } from '../table/records/project.ts';
import { ConditionFailed, retryWithFreshRead, transact, update } from '../table/write.ts';
import { viewProjects } from './project-view.ts';
import { type FoundProject, findProject } from './read-projects.ts';

interface ProjectChanges {
  name?: string | undefined;
  /** null: none. */
  description?: string | null | undefined;
}

/**
 * Changes the given fields; values that are already set add no audit entry.
 * @throws project_not_found
 */
export async function updateProject(
  context: MemberContext,
  slug: string,
  changes: ProjectChanges,
  begun: FoundProject | undefined,
): Promise<Project> {
  const { access, organization } = context;
  const readAgain = () => findProject(organization.slug, slug);
  const known = begun?.orgSlug === organization.slug ? begun : await readAgain();
  return retryWithFreshRead(known, readAgain, async ({ project, environments }, budget) => {
    const before = access.requireProject(project);
    const name = changes.name ?? before.name;
    const description = changes.description === undefined ? before.description : changes.description;
    const after: ProjectRecord = { ...before, name, description };
    const [view] = await viewProjects(context, [after], environments);
    const details = changedFields(before, after, ['name', 'description']);
    if (details !== undefined) {
      const condition = {
        ...asRead(before, ['name', 'description']),
        id: equals(before.id),
        status: equals('active'),
      } as const;
      const change = update(
        at(projectRecord, organization.slug, slug),
        { set: { name, description } },
        {
          if: condition,
          refused: current =>
            current?.status === 'active' && current.id === before.id
              ? new ConditionFailed([0])
              : access.projectNotFound(),
        },
      );
      const audit = await context.audit({
        action: 'project.updated',
        target: { type: 'project', id: before.id, name: slug },
        details,
      });
      await transact([change, audit], budget);
    }
    return view as Project;
  });
}
