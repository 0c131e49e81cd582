import type { MemberContext } from '../access/request-context.ts';
import { chunksOf } from '../core/chunks-of.ts';
import { queueJob } from '../core/queue.ts';
import { changeCounts } from '../organizations/change-counts.ts';
import { closeEnvironment } from '../secrets/engine/fencing.ts';
import { equals } from '../table/expressions.ts';
import { ranges } from '../table/keys.ts';
import { at, find, list } from '../table/read.ts';
import { type EnvironmentRecord, environmentRecord } from '../table/records/environment.ts';
import { countPlatform } from '../table/records/platform.ts';
import { type ProjectRecord, projectRecord } from '../table/records/project.ts';
import { noteWork } from '../table/records/unfinished-work.ts';
import { retryWithFreshRead, transact, transactIfHolds, update, type Write } from '../table/write.ts';
import type { FoundProject } from './read-projects.ts';

/** Reads the project first: if its count is unchanged at the deletion, the list has every environment. */
async function readInOrder(orgSlug: string, slug: string): Promise<FoundProject> {
  const project = await find(at(projectRecord, orgSlug, slug));
  return { orgSlug, project, environments: await list(environmentRecord, ranges.projectEnvironments(orgSlug, slug)) };
}

/** Whether a project and environments that were read in parallel are consistent, by the project's count. */
function fitsTogether({ project, environments }: FoundProject): boolean {
  return project === undefined || project.environmentCount === environments.filter(isActive).length;
}

const isActive = ({ status }: EnvironmentRecord) => status === 'active';

/** How many environments fit in the deleting transaction alongside its other five writes. */
const environmentsAtOnce = 90;

/** Makes a project inaccessible and destroys its data keys; a job erases the rest. @throws project_not_found */
export async function deleteProject(context: MemberContext, slug: string, begun: FoundProject | undefined) {
  const { organization, access } = context;
  const readAgain = () => readInOrder(organization.slug, slug);
  const firstRead = begun?.orgSlug === organization.slug && fitsTogether(begun) ? begun : await readAgain();
  const later = await retryWithFreshRead(firstRead, readAgain, async reads => {
    const project = access.requireProject(reads.project);
    const closings = reads.environments
      .filter(environment => environment.projectId === project.id && isActive(environment))
      .map(({ id, slug: env }) => closeEnvironment({ orgSlug: organization.slug, project: slug, env }, id));
    const [first = [], ...others] = chunksOf(environmentsAtOnce, closings);
    const target = { type: 'project', id: project.id, name: slug } as const;
    const audit = await context.audit({ action: 'project.deleted', target });
    const ids = { organizationId: organization.id, projectId: project.id };
    const job = { type: 'erase-project', orgSlug: organization.slug, project: slug, ...ids } as const;
    await queueJob(job, 1);
    await transact([...deletion(context, project), noteWork(job), audit, ...first]);
    return others;
  });
  // The deletion is committed, so nothing may depend on the project, and the job may have erased some environments.
  for (const chunk of later) await Promise.all(chunk.map(write => transactIfHolds([write])));
}

function deletion({ organization }: MemberContext, { id, slug, environmentCount }: ProjectRecord): Write[] {
  return [
    update(
      at(projectRecord, organization.slug, slug),
      { set: { status: 'deleting', wrappedKeys: {} } },
      // A conditional pull could still reach an environment that was added after the list was read.
      { if: { status: equals('active'), id: equals(id), environmentCount: equals(environmentCount) } },
    ),
    // A deleted organization has already taken its projects out of the platform's count.
    changeCounts(organization, { projectCount: -1 }),
    countPlatform({ projects: -1 }),
  ];
}
