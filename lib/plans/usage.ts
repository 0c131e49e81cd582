import type { Usage } from '../contracts/fields/limits.ts';
import { organizationNotFound } from '../core/errors.ts';
import { ranges } from '../table/keys.ts';
import { at, list, ofKind, queryItems, readAll } from '../table/read.ts';
import { environmentRecord, environmentStateRecord } from '../table/records/environment.ts';
import {
  invitationRecord,
  memberRecord,
  type OrganizationRecord,
  organizationRecord,
  sortInvitations,
} from '../table/records/organization.ts';
import { type ProjectRecord, projectRecord } from '../table/records/project.ts';

/** The part of an organization's usage that has to be counted, because no counter exists for it. */
export interface CountedUsage {
  /** The organization that owned the slug when it was counted. */
  organizationId: string | undefined;
  usage: Omit<Usage, 'members' | 'webhooks'>;
}

/** Counts what belongs to an organization, in two round trips that need only its slug. */
export async function readUsage(slug: string): Promise<CountedUsage> {
  const [projects, environments, roster] = await Promise.all([
    list(projectRecord, ranges.projects(slug)),
    list(environmentRecord, ranges.environments(slug)),
    queryItems(ranges.roster(slug)),
  ]);
  const [{ id: organizationId } = {}] = ofKind(organizationRecord, roster);
  const isOwn = (project: ProjectRecord) => project.organizationId === organizationId;
  // Projects that are being erased no longer count.
  const active = new Set(projects.filter(one => one.status === 'active' && isOwn(one)).map(({ id }) => id));
  const living = environments.filter(one => one.status === 'active' && active.has(one.projectId));
  const states = await readAll(
    living.map(one => at(environmentStateRecord, { orgSlug: slug, project: one.project, env: one.slug })),
  );
  const usage = {
    projects: active.size,
    invitations: sortInvitations(ofKind(invitationRecord, roster), ofKind(memberRecord, roster)).pending.length,
    environments: living.length,
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
  { organizationId, usage }: CountedUsage,
): Usage {
  if (organizationId !== id) throw organizationNotFound();
  return { ...usage, members: memberCount, webhooks: webhookCount };
}
