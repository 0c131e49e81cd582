import type { MemberContext } from '../../access/request-context.ts';
import type { AuditFacts } from '../../audit/write.ts';
import type { LastingJob } from '../../core/job.ts';
import { queueJob } from '../../core/queue.ts';
import { deletedNotFound, detailsOf } from '../../organizations/keep-deleted.ts';
import { absent, equals, isActive } from '../../table/expressions.ts';
import { at } from '../../table/read.ts';
import { environmentRecord } from '../../table/records/environment.ts';
import { isKept, isStillKept, type Kept } from '../../table/records/kept.ts';
import { type OrganizationRecord, organizationRecord } from '../../table/records/organization.ts';
import { countPlatform } from '../../table/records/platform.ts';
import { projectRecord } from '../../table/records/project.ts';
import { noteWork } from '../../table/records/unfinished-work.ts';
import { transact, update, type Write } from '../../table/write.ts';
import { getDeleted, type KeptEnvironment, type KeptProject, type Listed } from './find-deleted.ts';

type Place = Pick<OrganizationRecord, 'id' | 'slug' | 'status' | 'kept'>;
type Refused = { refused?: () => Error };

/** The beginning of an erasure: from then on it can't be restored. The caller adds the audit entry. */
export interface Erasure {
  kept: Kept;
  job: LastingJob;
  facts: AuditFacts;
  writes: Write[];
}

/** Destroys the project's data keys, so that none of its values can be decrypted again. */
export function projectErasure(organization: Place, project: KeptProject, refused: Refused = {}): Erasure {
  const { id, slug, kept } = project;
  const inOrganization = { orgSlug: organization.slug, organizationId: organization.id };
  const job = { type: 'erase-project', ...inOrganization, project: slug, projectId: id } as const;
  const gone = { set: { kept: undefined, wrappedKeys: {} } };
  const item = at(projectRecord, organization.slug, slug);
  return {
    kept,
    job,
    facts: { action: 'project.erased', target: { type: 'project', id, name: slug }, details: detailsOf(kept) },
    writes: [
      update(item, gone, { if: { ...isStillKept(project), restoring: absent }, ...refused }),
      discount(organization, refused),
      // A deleted organization has already taken its projects out of the platform's count.
      ...(organization.status === 'active' ? [countPlatform({ projects: -1 })] : []),
      noteWork(job),
    ],
  };
}

/** The project may be erased in an organization that is kept as well. */
function discount(organization: Place, refused: Refused): Write {
  const { id, slug } = organization;
  const isSame = isKept(organization) ? isStillKept(organization) : isActive(id);
  return update(at(organizationRecord, slug), { add: { projectCount: -1 } }, { if: isSame, ...refused });
}

export function environmentErasure(organization: Place, environment: KeptEnvironment, refused: Refused = {}): Erasure {
  const { id, slug, project, projectId, type, kept } = environment;
  const path = { orgSlug: organization.slug, project, env: slug };
  const ids = { organizationId: organization.id, projectId, environmentId: id };
  const job = { type: 'erase-environment', ...path, ...ids } as const;
  const item = at(environmentRecord, organization.slug, project, slug);
  const owner = at(projectRecord, organization.slug, project);
  return {
    kept,
    job,
    facts: {
      action: 'environment.erased',
      target: { type: 'environment', id, name: slug },
      project: { id: projectId, slug: project },
      environment: { id, slug },
      details: { type, ...detailsOf(kept) },
    },
    writes: [
      update(item, { set: { kept: undefined } }, { if: isStillKept(environment), ...refused }),
      // Whatever the status of the project: it may be kept as well.
      update(owner, { add: { environmentCount: -1 } }, { if: { id: equals(projectId) }, ...refused }),
      noteWork(job),
    ],
  };
}

/** Erases something deleted before its time. @throws deleted_not_found, also if it was restored first */
export async function eraseDeleted(context: MemberContext, id: string, begun: Listed | undefined): Promise<void> {
  const { organization } = context;
  const found = await getDeleted(context, id, begun);
  const refused = { refused: deletedNotFound };
  const { job, facts, writes } =
    found.project === undefined
      ? environmentErasure(organization, found.environment, refused)
      : projectErasure(organization, found.project, refused);
  const audit = await context.audit(facts);
  await queueJob(job, 1);
  await transact([...writes, audit]);
}
