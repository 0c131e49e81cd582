import type { MemberContext } from '../access/request-context.ts';
import type { BodyOf } from '../contracts/contract.ts';
import {
  atMostAsOpenAs,
  type EnvironmentType,
  hasFreshRights,
  isMoreOpen,
  type Role,
} from '../contracts/fields/role.ts';
import type { createEnvironment as contract } from '../contracts/projects/environments.ts';
import type { Environment } from '../contracts/projects/projects.ts';
import { ApiError } from '../core/errors.ts';
import { slugFromName } from '../organizations/slug.ts';
import { waitForSlug } from '../organizations/wait-for-slug.ts';
import { effectiveLimits, isUnlimited, planLimitExceeded, readPlanConfigs } from '../plans/effective-limits.ts';
import { newEnvironment } from '../secrets/engine/new-environment.ts';
import { equals, isActive, lessThan } from '../table/expressions.ts';
import { at, find } from '../table/read.ts';
import { environmentRecord } from '../table/records/environment.ts';
import { type ProjectRecord, projectRecord } from '../table/records/project.ts';
import { firstRevisionAfter, retiredEnvironmentRecord, slugTaken } from '../table/records/retired-slug.ts';
import { ConditionFailed, retryWithFreshRead, transact, update, type Write } from '../table/write.ts';
import { environmentView } from './read-projects.ts';

/**
 * Adds an environment to a project.
 * @throws project_not_found, plan_limit_exceeded, slug_taken; forbidden for the slug of an erased environment, unless
 * the new type is no more open or the member is an owner or admin, who then needs a fresh session (step_up_required)
 */
export function createEnvironment(context: MemberContext, projectSlug: string, requested: BodyOf<typeof contract>) {
  const slug = requested.slug ?? slugFromName(requested.name);
  const holder = at(environmentRecord, context.organization.slug, projectSlug, slug);
  return waitForSlug(holder, () => createUnder(slug, context, projectSlug, requested));
}

async function createUnder(
  slug: string,
  context: MemberContext,
  projectSlug: string,
  { name, type }: BodyOf<typeof contract>,
): Promise<Environment> {
  const { organization, access } = context;
  const findProject = async () => access.requireProject(await find(at(projectRecord, organization.slug, projectSlug)));
  const [firstRead, configs, history] = await Promise.all([
    findProject(),
    readPlanConfigs(),
    firstRevisionAfter(at(retiredEnvironmentRecord, organization.slug, projectSlug, slug), slug),
  ]);
  const { maxEnvironmentsPerProject: limit } = effectiveLimits(organization, configs).effective;
  const createdAt = new Date().toISOString();
  const taken = (holder: { status?: string } | undefined) => slugTaken(slug, 'project', holder);
  return retryWithFreshRead(firstRead, findProject, async project => {
    // Clients may still write to a slug they know, and only users who could read the old type should see that. Checked
    // in each attempt, because the role may have changed.
    const lastType = history.retired?.type;
    const opens = lastType !== undefined && isMoreOpen(type, lastType);
    if (opens && !hasFreshRights(access.projectRole)) {
      const current = await find(at(environmentRecord, organization.slug, projectSlug, slug));
      throw current === undefined ? mayNotOpen(access.projectRole, slug, lastType) : taken(current);
    }
    context.requireFresh(opens);
    const owner = { ...project, firstRevision: Math.max(project.firstRevision, history.firstRevision) };
    const { environment, state, writes } = newEnvironment(organization.slug, owner, { slug, name, type }, createdAt);
    const audit = await context.audit({
      action: 'environment.created',
      target: { type: 'environment', id: environment.id, name: slug },
      project: { id: project.id, slug: projectSlug },
      environment: { id: environment.id, slug },
    });
    const creations = writes.map(write => ({ ...write, refused: taken }));
    await transact([growProject(organization.slug, project, limit), ...creations, ...history.stillHolds, audit]);
    return environmentView(environment, state);
  });
}

function mayNotOpen(role: Role, slug: string, lastType: EnvironmentType): ApiError {
  return new ApiError(
    'forbidden',
    `The slug ${slug} belonged to a ${lastType} environment before, so the role ${role} may reuse it only for an ` +
      `environment of type ${atMostAsOpenAs(lastType).join(' or ')}. Choose that type or another slug, or ask an ` +
      'owner or admin.',
  );
}

/** Counts an environment in its project. An unchanged key version means that no rotation in progress can miss it. */
function growProject(orgSlug: string, { id, slug, keyVersion }: ProjectRecord, limit: number): Write {
  const isSame = { ...isActive(id), keyVersion: equals(keyVersion) };
  const project = at(projectRecord, orgSlug, slug);
  return update(
    project,
    { add: { environmentCount: 1 } },
    {
      if: isUnlimited(limit) ? isSame : { ...isSame, environmentCount: lessThan(limit) },
      refused: ({ environmentCount = 0 } = {}) =>
        environmentCount >= limit && !isUnlimited(limit)
          ? planLimitExceeded('maxEnvironmentsPerProject', limit, environmentCount)
          : new ConditionFailed([0]),
    },
  );
}
