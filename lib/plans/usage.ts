import type { Usage } from '../contracts/fields/limits.ts';
import { organizationNotFound } from '../core/errors.ts';
import { ranges } from '../table/keys.ts';
import { at, list, ofKind, queryItems, readAll } from '../table/read.ts';
import { environmentRecord, environmentStateRecord } from '../table/records/environment.ts';
import { isCounted } from '../table/records/kept.ts';
import {
  invitationRecord,
  memberRecord,
  type OrganizationRecord,
  organizationRecord,
  sortInvitations,
} from '../table/records/organization.ts';
import { type ProjectRecord, projectRecord } from '../table/records/project.ts';

/**
 * Counts the usage that has no counter, in two round trips that need only the organization's slug.
 * @returns also the organization that owned the slug
 */
export async function readUsage(slug: string) {
  const [projects, environments, roster] = await Promise.all([
    list(projectRecord, ranges.projects(slug)),
    list(environmentRecord, ranges.environments(slug)),
    queryItems(ranges.roster(slug)),
  ]);
  const [{ id: organizationId } = {}] = ofKind(organizationRecord, roster);
  // Projects that are being erased no longer count.
  const isOwn = (project: ProjectRecord) => isCounted(project) && project.organizationId === organizationId;
  const projectIds = new Set(projects.filter(isOwn).map(({ id }) => id));
  const counted = environments.filter(environment => isCounted(environment) && projectIds.has(environment.projectId));
  const states = await readAll(
    counted.map(({ project, slug: env }) => at(environmentStateRecord, { orgSlug: slug, project, env })),
  );
  const usage = {
    projects: projectIds.size,
    invitations: sortInvitations(ofKind(invitationRecord, roster), ofKind(memberRecord, roster)).pending.length,
    environments: counted.length,
    secrets: states.reduce((sum, state) => sum + (state?.secretCount ?? 0), 0),
  };
  return { organizationId, usage };
}

/**
 * An organization's usage: the counted part plus its counters.
 * @throws organization_not_found if the slug belonged to another organization when it was counted
 */
export function usageOf(
  { id, memberCount, webhookCount }: Pick<OrganizationRecord, 'id' | 'memberCount' | 'webhookCount'>,
  { organizationId, usage }: Awaited<ReturnType<typeof readUsage>>,
): Usage {
  if (organizationId !== id) throw organizationNotFound();
  return { ...usage, members: memberCount, webhooks: webhookCount };
}
