import { randomUUID } from 'node:crypto';
import type { MemberContext } from '../access/request-context.ts';
import type { BodyOf } from '../contracts/contract.ts';
import { isMoreOpen } from '../contracts/fields/role.ts';
import type { createProject as contract, Project } from '../contracts/projects/projects.ts';
import { createDataKey } from '../crypto/data-keys.ts';
import { growOrganization } from '../organizations/change-counts.ts';
import { slugFromName } from '../organizations/slug.ts';
import { waitForSlug } from '../organizations/wait-for-slug.ts';
import { effectiveLimits, isUnlimited, planLimitExceeded, readPlanConfigs } from '../plans/effective-limits.ts';
import { firstEnvironments, newEnvironment } from '../secrets/engine/new-environment.ts';
import { isNew } from '../table/expressions.ts';
import { at, readAll } from '../table/read.ts';
import { countPlatform } from '../table/records/platform.ts';
import { type ProjectRecord, projectRecord } from '../table/records/project.ts';
import {
  firstRevisionAfter,
  retiredEnvironmentRecord,
  retiredProjectRecord,
  slugTaken,
} from '../table/records/retired-slug.ts';
import { put, transact } from '../table/write.ts';
import { environmentView, projectView } from './read-projects.ts';

/**
 * Creates a project with its data key and first environments, all or nothing.
 * @throws plan_limit_exceeded; slug_taken; step_up_required if an environment is more open than an erased one was
 */
export function createProject(context: MemberContext, requested: BodyOf<typeof contract>): Promise<Project> {
  const slug = requested.slug ?? slugFromName(requested.name);
  const holder = at(projectRecord, context.organization.slug, slug);
  return waitForSlug(holder, () => createUnder(slug, context, requested));
}

async function createUnder(slug: string, context: MemberContext, requested: BodyOf<typeof contract>): Promise<Project> {
  const { organization } = context;
  const id = randomUUID();
  const keyVersion = 1;
  const [history, wrapped, configs] = await Promise.all([
    firstRevisionAfter(at(retiredProjectRecord, organization.slug, slug), slug),
    createDataKey({ organizationId: organization.id, projectId: id, keyVersion }),
    readPlanConfigs(),
  ]);
  context.requireFresh(history.retired !== undefined && (await opensAnEnvironment(organization.slug, slug)));
  const { maxProjects, maxEnvironmentsPerProject } = effectiveLimits(organization, configs).effective;
  if (!isUnlimited(maxEnvironmentsPerProject) && maxEnvironmentsPerProject < firstEnvironments.length) {
    throw planLimitExceeded('maxEnvironmentsPerProject', maxEnvironmentsPerProject, 0);
  }
  const createdAt = new Date().toISOString();
  const project: ProjectRecord = {
    id,
    organizationId: organization.id,
    slug,
    name: requested.name,
    description: requested.description ?? null,
    keyVersion,
    wrappedKeys: { [keyVersion]: wrapped },
    rotation: null,
    environmentCount: firstEnvironments.length,
    firstRevision: Math.max(organization.firstRevision, history.firstRevision),
    createdAt,
    status: 'active',
  };
  const taken = (holder: { status?: string } | undefined) => slugTaken(slug, 'organization', holder);
  const environments = firstEnvironments.map(first => newEnvironment(organization.slug, project, first, createdAt));
  await transact([
    growOrganization(organization, 'projectCount', 'maxProjects', maxProjects),
    put(at(projectRecord, organization.slug, slug), project, { if: isNew, refused: taken }),
    ...history.stillHolds,
    ...environments.flatMap(({ writes }) => writes),
    countPlatform({ projects: 1 }),
    await context.audit({ action: 'project.created', target: { type: 'project', id, name: slug } }),
  ]);
  const views = environments.map(({ environment, state }) => environmentView(environment, state));
  return projectView(project, views);
}

/** Whether somebody who couldn't read an environment of the erased project could read the new one under its slug. */
async function opensAnEnvironment(orgSlug: string, project: string): Promise<boolean> {
  const reads = firstEnvironments.map(({ slug }) => at(retiredEnvironmentRecord, orgSlug, project, slug));
  const retired = await readAll(reads);
  return firstEnvironments.some(({ type }, index) => isMoreOpen(type, retired[index]?.type ?? type));
}
