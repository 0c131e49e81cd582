import type { EnvironmentType } from '../contracts/fields/role.ts';
import { type EnvironmentPath, ranges } from '../table/keys.ts';
import { list } from '../table/read.ts';
import { environmentRecord } from '../table/records/environment.ts';
import { projectRecord } from '../table/records/project.ts';

export interface Place {
  project: { id: string; slug: string };
  environment: { id: string; slug: string; type: EnvironmentType | null };
  /** Undefined if the environment has been erased. */
  path: EnvironmentPath | undefined;
}

/** The organization's environments by id. Slugs can be reused, ids can't. */
export async function readPlaces(orgSlug: string): Promise<ReadonlyMap<string, Place>> {
  const [projects, environments] = await Promise.all([
    list(projectRecord, ranges.projects(orgSlug)),
    list(environmentRecord, ranges.environments(orgSlug)),
  ]);
  const active = new Set(projects.filter(({ status }) => status === 'active').map(({ id }) => id));
  return new Map(
    environments
      .filter(({ projectId, status }) => status === 'active' && active.has(projectId))
      .map(({ id, slug, type, projectId, project }) => {
        const path = { orgSlug, project, env: slug };
        return [id, { project: { id: projectId, slug: project }, environment: { id, slug, type }, path }] as const;
      }),
  );
}
