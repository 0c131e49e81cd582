import { environmentNotFound, projectNotFound } from '../core/errors.ts';
import { type Condition, equals, isActive } from '../table/expressions.ts';
import { ranges } from '../table/keys.ts';
import { at, list } from '../table/read.ts';
import { environmentRecord } from '../table/records/environment.ts';
import { type ProjectRecord, projectRecord } from '../table/records/project.ts';
import type { WebhookRecord } from '../table/records/webhook.ts';
import { check, type Write } from '../table/write.ts';

/** A webhook's scope: the ids as the request named them, and the project and environment. */
type Scope = Pick<WebhookRecord, 'projectId' | 'environmentId' | 'project' | 'environment'>;

/** All projects and environments of the organization: items are keyed by slug, but scopes store ids. */
export async function readPlaces(orgSlug: string, isNeeded: boolean) {
  if (!isNeeded) return { projects: [], environments: [] };
  const [projects, environments] = await Promise.all([
    list(projectRecord, ranges.projects(orgSlug)),
    list(environmentRecord, ranges.environments(orgSlug)),
  ]);
  return { projects, environments };
}

/**
 * Finds the project and the environment with the given ids. Pure.
 * @throws project_not_found, environment_not_found (also for an environment outside `projectId`)
 */
export function findScope(
  { projects, environments }: Awaited<ReturnType<typeof readPlaces>>,
  ids: Pick<Scope, 'projectId' | 'environmentId'>,
): Scope {
  const active = projects.filter(project => project.status === 'active');
  const named = active.find(({ id }) => id === ids.projectId);
  if (ids.projectId !== null && named === undefined) throw projectNotFound();
  const environment = environments.find(({ id, status }) => id === ids.environmentId && status === 'active');
  const project = named ?? active.find(({ id }) => id === environment?.projectId);
  if (ids.environmentId !== null && (environment === undefined || environment.projectId !== project?.id)) {
    throw environmentNotFound();
  }
  return {
    projectId: named?.id ?? null,
    environmentId: environment?.id ?? null,
    project: project === undefined ? null : { id: project.id, slug: project.slug },
    environment: environment === undefined ? null : { id: environment.id, slug: environment.slug },
  };
}

/** Conditions that the scope's project and environment still exist, for the transaction that stores the scope. */
export function scopeChecks(orgSlug: string, { project, environment }: Scope): Write[] {
  if (project === null) return [];
  const condition: Condition<ProjectRecord> = { id: equals(project.id), status: equals('active') };
  const projectCheck = check(at(projectRecord, orgSlug, project.slug), { if: condition, refused: projectNotFound });
  if (environment === null) return [projectCheck];
  const environmentCheck = check(at(environmentRecord, orgSlug, project.slug, environment.slug), {
    if: isActive(environment.id),
    refused: environmentNotFound,
  });
  return [projectCheck, environmentCheck];
}
