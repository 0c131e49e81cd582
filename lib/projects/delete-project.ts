import { countPlatform } from '../admin/platform-counts.ts';
import { actorOf, auditWrite } from '../audit/audit-write.ts';
import { environmentStateRecord } from '../environments/records.ts';
import type { MemberAccess } from '../http/access.ts';
import type { RequestSource } from '../http/request.ts';
import { queueJob } from '../jobs/queue.ts';
import { organizationRecord } from '../organizations/records.ts';
import { equals, isThere } from '../table/expressions.ts';
import { ranges } from '../table/keys.ts';
import { at, chunksOf, find, list, transact, update } from '../table/store.ts';
import { environmentRecord, projectRecord } from './records.ts';

/** Environments that fit the deleting transaction beside its other four writes. */
const environmentsAtOnce = 90;

/**
 * Puts a project out of reach and destroys its wrapped data keys, in one transaction; the background erases the rest.
 * @throws project_not_found
 */
export async function deleteProject(access: MemberAccess, source: RequestSource, slug: string): Promise<void> {
  const { organization, principal } = access;
  const [found, environments] = await Promise.all([
    find(at(projectRecord, organization.slug, slug)),
    list(environmentRecord, ranges.projectEnvironments(organization.slug, slug)),
  ]);
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
  const audit = await auditWrite(organization, actorOf(principal), source, {
    action: 'project.deleted',
    target: { type: 'project', id: project.id, name: slug },
  });
  await queueJob(
    {
      type: 'erase-project',
      orgSlug: organization.slug,
      organizationId: organization.id,
      project: slug,
      projectId: project.id,
    },
    1,
  );
  await transact([
    update(
      at(projectRecord, organization.slug, slug),
      { set: { status: 'deleting', wrappedKeys: {} } },
      {
        if: { status: equals('active'), id: equals(project.id) },
        refused: () => access.projectNotFound(),
      },
    ),
    update(at(organizationRecord, organization.slug), { add: { projectCount: -1 } }, { if: isThere }),
    countPlatform({ projects: -1 }),
    audit,
    ...first,
  ]);
  for (const chunk of later) await transact(chunk);
}
