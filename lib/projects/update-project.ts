import { changedFields } from '../access/changed-fields.ts';
import type { MemberContext } from '../access/request-context.ts';
import type { BodyOf } from '../contracts/contract.ts';
import type { updateProject as contract, Project } from '../contracts/projects/projects.ts';
import { asRead } from '../table/expressions.ts';
import { at } from '../table/read.ts';
import { projectRecord } from '../table/records/project.ts';
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
  const firstRead = begun?.orgSlug === organization.slug ? begun : await readAgain();
  return retryWithFreshRead(firstRead, readAgain, async ({ project, environments }) => {
    const current = access.requireProject(project);
    const { name = current.name, description = current.description } = changes;
    const changed = { ...current, name, description };
    const [view] = await viewProjects(context, [changed], environments);
    const details = changedFields(current, changed, ['name', 'description']);
    if (details !== undefined) {
      const isSame = asRead(current, ['name', 'description', 'id', 'status']);
      const target = { type: 'project', id: current.id, name: slug } as const;
      await transact([
        update(at(projectRecord, organization.slug, slug), { set: { name, description } }, { if: isSame }),
        await context.audit({ action: 'project.updated', target, details }),
      ]);
    }
    return view as Project;
  });
}
