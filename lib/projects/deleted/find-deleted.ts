import type { MemberContext } from '../../access/request-context.ts';
import type { Deleted } from '../../contracts/projects/deleted.ts';
import { deletedNotFound } from '../../organizations/keep-deleted.ts';
import { ranges } from '../../table/keys.ts';
import { at, find, list } from '../../table/read.ts';
import { type EnvironmentRecord, environmentRecord } from '../../table/records/environment.ts';
import { isKept, isKeptUntilLater, type KeptRecord } from '../../table/records/kept.ts';
import { organizationPointerRecord } from '../../table/records/organization.ts';
import { type ProjectRecord, projectRecord } from '../../table/records/project.ts';

export type KeptProject = KeptRecord<ProjectRecord>;
export type KeptEnvironment = KeptRecord<EnvironmentRecord>;

interface FoundDeleted {
  projects: KeptProject[];
  environments: KeptEnvironment[];
}

/** The projects and environments under an organization's slug, read in parallel. */
export interface Listed {
  orgSlug: string;
  projects: ProjectRecord[];
  environments: EnvironmentRecord[];
}

/** One round trip. */
async function listAll(orgSlug: string): Promise<Listed> {
  const [projects, environments] = await Promise.all([
    list(projectRecord, ranges.projects(orgSlug)),
    list(environmentRecord, ranges.environments(orgSlug)),
  ]);
  return { orgSlug, projects, environments };
}

/** Two round trips, in parallel with the two of authentication by an organization's id; undefined for an unknown id. */
export async function listAllById(orgId: string): Promise<Listed | undefined> {
  const pointer = await find(at(organizationPointerRecord, orgId));
  return pointer === undefined ? undefined : listAll(pointer.orgSlug);
}

/** What is due counts as erased, although its job may run later. */
async function readDeleted({ organization }: MemberContext, begun: Listed | undefined): Promise<FoundDeleted> {
  const { id, slug } = organization;
  const { projects, environments } = begun?.orgSlug === slug ? begun : await listAll(slug);
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
export async function listDeleted(context: MemberContext, begun: Listed | undefined): Promise<Deleted[]> {
  const { projects, environments } = await readDeleted(context, begun);
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
  begun: Listed | undefined,
): Promise<{ project: KeptProject; environment?: never } | { environment: KeptEnvironment; project?: never }> {
  const { projects, environments } = await readDeleted(context, begun);
  const project = projects.find(each => each.id === id);
  if (project !== undefined) return { project };
  const environment = environments.find(each => each.id === id);
  if (environment === undefined) throw deletedNotFound();
  return { environment };
}
