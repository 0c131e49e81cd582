import { randomUUID } from 'node:crypto';
import type { EnvironmentType } from '../../contracts/fields/role.ts';
import { isNew } from '../../table/expressions.ts';
import { at } from '../../table/read.ts';
import type { EnvironmentRecord, EnvironmentState } from '../../table/records/environment.ts';
import { environmentRecord, environmentStateRecord } from '../../table/records/environment.ts';
import type { ProjectRecord } from '../../table/records/project.ts';
import { put, type Write } from '../../table/write.ts';
import { emptyDigest } from './digest.ts';

export const firstEnvironments: readonly { slug: string; name: string; type: EnvironmentType }[] = [
  { slug: 'dev', name: 'Development', type: 'development' },
  { slug: 'staging', name: 'Staging', type: 'staging' },
  { slug: 'production', name: 'Production', type: 'production' },
];

/** An environment without secrets: its description, its state, and the two writes that create them if it is new. */
export function newEnvironment(
  orgSlug: string,
  project: Pick<ProjectRecord, 'id' | 'organizationId' | 'slug' | 'keyVersion' | 'firstRevision'>,
  { slug, name, type }: { slug: string; name: string; type: EnvironmentType },
  createdAt: string,
): { environment: EnvironmentRecord; state: EnvironmentState; writes: Write[] } {
  const common = { id: randomUUID(), slug, type, projectId: project.id, status: 'active' } as const;
  const environment: EnvironmentRecord = { ...common, name, project: project.slug, createdAt };
  const { organizationId, firstRevision, keyVersion } = project;
  const revisions = { revision: firstRevision, firstRevision, digest: emptyDigest, fence: 1, keyVersion };
  const counts = { secretCount: 0, sizeBytes: 0, valueCount: 0 };
  const state: EnvironmentState = { ...common, organizationId, ...revisions, ...counts };
  const writes = [
    put(at(environmentRecord, orgSlug, project.slug, slug), environment, { if: isNew }),
    put(at(environmentStateRecord, { orgSlug, project: project.slug, env: slug }), state, { if: isNew }),
  ];
  return { environment, state, writes };
}
