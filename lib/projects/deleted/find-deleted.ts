import type { MemberContext } from '../../access/request-context.ts';
import type { Deleted } from '../../contracts/projects/deleted.ts';
import { deletedNotFound } from '../../organizations/keep-deleted.ts';
import { ranges } from '../../table/keys.ts';
import { list } from '../../table/read.ts';
import { type EnvironmentRecord, environmentRecord } from '../../table/records/environment.ts';
import { isKept, isKeptUntilLater, type KeptRecord } from '../../table/records/kept.ts';
import { type ProjectRecord, projectRecord } from '../../table/records/project.ts';

export type KeptProject = KeptRecord<ProjectRecord>;
export type KeptEnvironment = KeptRecord<EnvironmentRecord>;

interface FoundDeleted {
  projects: KeptProject[];
  environments: KeptEnvironment[];
}

/** One round trip. What is due counts as erased, although its job may run later. */
async function readDeleted({ organization: { id, slug } }: Pick<MemberContext, 'organization'>): Promise<FoundDeleted> {
  const [projects, environments] = await Promise.all([
    list(projectRecord, ranges.projects(slug)),
    list(environmentRecord, ranges.environments(slug)),
  ]);
  const own = projects.filter(({ organizationId }) => organizationId === id);
  const ids = new Set(own.map(project => project.id));
  return {
    projects: own.filter(isKept).filter(isKeptUntilLater),
    environments: environments
      .filter(({ projectId }) => ids.has(projectId))
      .filter(isKept)
      .filter(isKeptUntilLater),
  };
}

/** What can be restored in the organization, the latest deletion first. */
export async function listDeleted(context: MemberContext): Promise<Deleted[]> {
  const { projects, environments } = await readDeleted(context);
  const all: Deleted[] = [
    ...projects.map(project => ({ ...shown(project), type: 'project' as const, project: null })),
    ...environments.map(environment => ({
      ...shown(environment),
      type: 'environment' as const,
      project: environment.project,
    })),
  ];
  return all.toSorted((a, b) => b.deletedAt.localeCompare(a.deletedAt) || a.id.localeCompare(b.id));
}

function shown({ id, slug, name, kept }: KeptProject | KeptEnvironment) {
  return { id, slug, name, ...kept };
}

/** @throws deleted_not_found */
export async function getDeleted(
  context: MemberContext,
  id: string,
): Promise<{ project: KeptProject; environment?: never } | { environment: KeptEnvironment; project?: never }> {
  const { projects, environments } = await readDeleted(context);
  const project = projects.find(each => each.id === id);
  if (project !== undefined) return { project };
  const environment = environments.find(each => each.id === id);
  if (environment === undefined) throw deletedNotFound();
  return { environment };
}
