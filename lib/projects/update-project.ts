import { changedFields } from '../access/changed-fields.ts';
import type { MemberContext } from '../access/request-context.ts';
import type { BodyOf } from '../contracts/contract.ts';
import type { updateProject as contract, Project } from '../contracts/projects/projects.ts';
import { asRead } from '../table/expressions.ts';
import { at } from '../table/read.ts';
import { type ProjectRecord, projectRecord } from '../table/records/project.ts';
import { retryWithFreshRead, transact, update } from '../table/write.ts';
import { type FoundProject, findProject, viewProjects } from './read-projects.ts';

/** Changes the given fields; values that are already set add no audit entry. @throws project_not_found */
export async function updateProject(
  context: MemberContext,
  slug: string,
  changes: BodyOf<typeof contract>,
  begun: FoundProject | undefined,
): Promise<Project> {
  const { access, organization } = context;
  const readAgain = () => findProject(organization.slug, slug);
  const known = begun?.orgSlug === organization.slug ? begun : await readAgain();
  return retryWithFreshRead(known, readAgain, async ({ project, environments }) => {
    const before = access.requireProject(project);
    const name = changes.name ?? before.name;
    const description = changes.description === undefined ? before.description : changes.description;
    const after: ProjectRecord = { ...before, name, description };
    const [view] = await viewProjects(context, [after], environments);
    const details = changedFields(before, after, ['name', 'description']);
    if (details !== undefined) {
      const change = update(
        at(projectRecord, organization.slug, slug),
        { set: { name, description } },
        { if: asRead(before, ['name', 'description', 'id', 'status']) },
      );
      const audit = await context.audit({
        action: 'project.updated',
        target: { type: 'project', id: before.id, name: slug },
        details,
      });
      await transact([change, audit]);
    }
    return view as Project;
  });
}
