import type { MemberContext } from '../access/request-context.ts';
import { queueJob } from '../core/queue.ts';
import { detailsOf, keepFor } from '../organizations/keep-deleted.ts';
import { closeEnvironment } from '../secrets/engine/fencing.ts';
import { asRead, isActive } from '../table/expressions.ts';
import { at } from '../table/read.ts';
import { environmentRecord } from '../table/records/environment.ts';
import { projectRecord } from '../table/records/project.ts';
import { noteWork, planWork } from '../table/records/unfinished-work.ts';
import { retryWithFreshRead, transact, update } from '../table/write.ts';
import { requireMayLowerApprovals } from './lower-approvals.ts';
import { type FoundEnvironment, findEnvironment, requireFound } from './read-projects.ts';

/**
 * Makes an environment inaccessible in one transaction; a job erases it and frees its slug, after `keepDays`.
 * @throws project_not_found, environment_not_found; for one that requires approvals, forbidden to all but owners and
 * insufficient_scope for a token
 */
export async function deleteEnvironment(
  context: MemberContext,
  { slug, env, keepDays }: { slug: string; env: string; keepDays: number },
  begun: FoundEnvironment | undefined,
): Promise<void> {
  const { organization } = context;
  const path = { orgSlug: organization.slug, project: slug, env };
  const readAgain = () => findEnvironment(path);
  const firstRead = begun?.orgSlug === organization.slug ? begun : await readAgain();
  await retryWithFreshRead(firstRead, readAgain, async reads => {
    const { project, environment, state } = requireFound(context, reads);
    const { id } = environment;
    // Another environment under its slug would need none.
    if ((state.approvals ?? 0) > 0) requireMayLowerApprovals(context);
    const kept = keepFor(context, keepDays);
    const audit = await context.audit({
      action: 'environment.deleted',
      target: { type: 'environment', id, name: env },
      project: { id: project.id, slug },
      environment: { id, slug: env },
      details: { type: environment.type, ...(kept && detailsOf(kept)) },
    });
    const ids = { organizationId: organization.id, projectId: project.id, environmentId: id };
    const job = { type: 'erase-environment', ...path, ...ids } as const;
    if (kept === undefined) await queueJob(job, 1);
    const description = at(environmentRecord, organization.slug, slug, env);
    const owner = at(projectRecord, organization.slug, slug);
    await transact([
      update(description, { set: { status: 'deleting', kept } }, { if: isActive(id) }),
      closeEnvironment(path, id, asRead(state, ['approvals'])),
      update(owner, { add: { environmentCount: kept === undefined ? -1 : 0 } }, { if: isActive(project.id) }),
      kept === undefined ? noteWork(job) : planWork(job, kept.erasedAt),
      audit,
    ]);
  });
}
