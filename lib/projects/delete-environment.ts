import type { MemberContext } from '../access/request-context.ts';
import { queueJob } from '../core/queue.ts';
import { closeEnvironment } from '../secrets/engine/fencing.ts';
import { equals } from '../table/expressions.ts';
import type { EnvironmentPath } from '../table/keys.ts';
import { at } from '../table/read.ts';
import { environmentRecord, isActiveEnvironment } from '../table/records/environment.ts';
import { projectRecord } from '../table/records/project.ts';
import { noteWork } from '../table/records/unfinished-work.ts';
import { retryWithFreshRead, transact, update } from '../table/write.ts';
import { type FoundEnvironment, findEnvironment, requireFound } from './read-projects.ts';

/**
 * Makes an environment inaccessible in one transaction; a job erases it and frees its slug.
 * @throws project_not_found, environment_not_found
 */
export async function deleteEnvironment(
  context: MemberContext,
  { slug, env }: { slug: string; env: string },
  begun: FoundEnvironment | undefined,
): Promise<void> {
  const { organization } = context;
  const path: EnvironmentPath = { orgSlug: organization.slug, project: slug, env };
  const readAgain = () => findEnvironment(path);
  const known = begun?.orgSlug === organization.slug ? begun : await readAgain();
  await retryWithFreshRead(known, readAgain, async found => {
    const { project, environment } = requireFound(context, found);
    const { id } = environment;
    const audit = await context.audit({
      action: 'environment.deleted',
      target: { type: 'environment', id, name: env },
      project: { id: project.id, slug },
      environment: { id, slug: env },
      details: { type: environment.type },
    });
    const ids = { organizationId: organization.id, projectId: project.id, environmentId: id };
    const job = { type: 'erase-environment', ...path, ...ids } as const;
    await queueJob(job, 1);
    await transact([
      update(
        at(environmentRecord, organization.slug, slug, env),
        { set: { status: 'deleting' } },
        { if: isActiveEnvironment(id) },
      ),
      closeEnvironment(path, id),
      update(
        at(projectRecord, organization.slug, slug),
        { add: { environmentCount: -1 } },
        { if: { id: equals(project.id), status: equals('active') } },
      ),
      noteWork(job),
      audit,
    ]);
  });
}
