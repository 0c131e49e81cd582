import type { MemberContext } from '../access/request-context.ts';
import type { EnvironmentType } from '../contracts/fields/environment-type.ts';
import type { Environment } from '../contracts/projects.ts';
import { ApiError } from '../core/errors.ts';
import { slugFromName, withSuffix } from '../organizations/slug.ts';
import { effectiveLimits, isUnlimited, planLimitExceeded, readPlanConfigs } from '../plans/effective-limits.ts';
import { newEnvironment } from '../secrets/engine/new-environment.ts';
import { equals, lessThan } from '../table/expressions.ts';
import { projectRecord } from '../table/records/project.ts';
import { at, ConditionFailed, find, transact, update } from '../table/store.ts';
import { environmentView } from './project-view.ts';

interface NewEnvironment {
  name: string;
  slug?: string | undefined;
  type: EnvironmentType;
}

/**
 * Adds an environment to a project.
 * @throws project_not_found, plan_limit_exceeded; slug_taken for an explicit slug
 */
export async function createEnvironment(
  context: MemberContext,
  projectSlug: string,
  wanted: NewEnvironment,
): Promise<Environment> {
  const { organization, access } = context;
  const configs = readPlanConfigs();
  const findProject = () => find(at(projectRecord, organization.slug, projectSlug));
  let [found, limits] = await Promise.all([findProject(), configs]);
  const { maxEnvironmentsPerProject: limit } = effectiveLimits(organization, limits).effective;
  const createdAt = new Date().toISOString();
  let slug = wanted.slug ?? slugFromName(wanted.name);
  for (;;) {
    const project = access.requireProject(found);
    const { environment, state, writes } = newEnvironment(organization.slug, project, { ...wanted, slug }, createdAt);
    const [described, ...others] = writes;
    if (described === undefined) throw new Error('A new environment has no writes.');
    const unchanged = { status: equals('active'), id: equals(project.id), keyVersion: equals(project.keyVersion) };
    try {
      await transact([
        // The key version is part of the condition: an environment made beside a rotation must not be left behind by it.
        update(
          at(projectRecord, organization.slug, projectSlug),
          { add: { environmentCount: 1 } },
          {
            if: isUnlimited(limit) ? unchanged : { ...unchanged, environmentCount: lessThan(limit) },
            refused: current =>
              Number(current?.environmentCount) >= limit && !isUnlimited(limit)
                ? planLimitExceeded('maxEnvironmentsPerProject', limit, Number(current?.environmentCount))
                : new ConditionFailed([0]),
          },
        ),
        {
          ...described,
          refused: () =>
            wanted.slug === undefined
              ? new ConditionFailed([1])
              : new ApiError('slug_taken', `The slug ${slug} is taken in this project.`),
        },
        ...others,
        await context.audit({
          action: 'environment.created',
          target: { type: 'environment', id: environment.id, name: slug },
          environment: { id: environment.id, slug },
        }),
      ]);
      return environmentView(environment, state);
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      if (error.indexes.includes(0)) found = await findProject();
      else slug = withSuffix(slugFromName(wanted.name));
    }
  }
}
