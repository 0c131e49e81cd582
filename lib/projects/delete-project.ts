import type { MemberContext } from '../access/request-context.ts';
import { ApiError } from '../core/errors.ts';
import { queueJob } from '../core/queue.ts';
import { equals, isThere } from '../table/expressions.ts';
import { ranges } from '../table/keys.ts';
import { type EnvironmentRecord, environmentRecord, environmentStateRecord } from '../table/records/environment.ts';
import { organizationPointerRecord, organizationRecord } from '../table/records/organization.ts';
import { countPlatform } from '../table/records/platform-count.ts';
import { type ProjectRecord, projectRecord } from '../table/records/project.ts';
import { at, ConditionFailed, chunksOf, find, list, retryWithFreshRead, transact, update } from '../table/store.ts';

export interface BegunDeletion {
  orgSlug: string;
  project: ProjectRecord | undefined;
  environments: EnvironmentRecord[];
}

/** Two waves beside the two that authentication by an organization's id takes; undefined where there is none of that id. */
export async function beginDeletion(orgId: string, slug: string): Promise<BegunDeletion | undefined> {
  const pointer = await find(at(organizationPointerRecord, orgId));
  return pointer === undefined ? undefined : readForDeletion(pointer.orgSlug, slug);
}

async function readForDeletion(orgSlug: string, slug: string): Promise<BegunDeletion> {
  const [project, environments] = await Promise.all([
    find(at(projectRecord, orgSlug, slug)),
    list(environmentRecord, ranges.projectEnvironments(orgSlug, slug)),
  ]);
  return { orgSlug, project, environments };
}

/** Environments that fit the deleting transaction beside its other four writes. */
const environmentsAtOnce = 90;

/**
 * Puts a project out of reach and destroys its wrapped data keys, in one transaction; the background erases the rest.
 * @throws project_not_found
 */
export async function deleteProject(
  context: MemberContext,
  slug: string,
  begun: BegunDeletion | undefined,
): Promise<void> {
  const { organization, access } = context;
  const readAgain = () => readForDeletion(organization.slug, slug);
  const known = begun?.orgSlug === organization.slug ? begun : await readAgain();
  await retryWithFreshRead(known, readAgain, async ({ project: found, environments }, budget) => {
    const project = access.requireProject(found);
    const [first = [], ...later] = chunksOf(
      environmentsAtOnce,
      environments.map(environment =>
        // A conditional pull reads an environment's state and not its project, so the state must say it as well.
        update(
          at(environmentStateRecord, organization.slug, slug, environment.slug),
          { set: { status: 'deleting' } },
          { if: { ...isThere, id: equals(environment.id) } },
        ),
      ),
    );
    const audit = await context.audit({
      action: 'project.deleted',
      target: { type: 'project', id: project.id, name: slug },
    });
    const ids = { organizationId: organization.id, projectId: project.id };
    await queueJob({ type: 'erase-project', orgSlug: organization.slug, project: slug, ...ids }, 1);
    await transact(
      [
        update(
          at(projectRecord, organization.slug, slug),
          { set: { status: 'deleting', wrappedKeys: {} } },
          {
            // An environment made since it was read would stay within reach, so their number must be the same.
            if: {
              status: equals('active'),
              id: equals(project.id),
              environmentCount: equals(environments.length),
            },
            refused: current =>
              current?.status === 'active' && current.id === project.id
                ? new ConditionFailed([0])
                : access.projectNotFound(),
          },
        ),
        // A deleted organization has taken its projects out of the platform's count already.
        update(
          at(organizationRecord, organization.slug),
          { add: { projectCount: -1 } },
          {
            if: { id: equals(organization.id), status: equals('active') },
            refused: () => new ApiError('organization_not_found', 'There is no such organization.'),
          },
        ),
        countPlatform({ projects: -1 }),
        audit,
        ...first,
      ],
      budget,
    );
    for (const chunk of later) await transact(chunk, budget);
  });
}
