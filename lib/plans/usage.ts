import type { Usage } from '../contracts/fields/limits.ts';
import { ranges } from '../table/keys.ts';
import { environmentRecord, environmentStateRecord } from '../table/records/environment.ts';
import { invitationRecord, sortInvitations } from '../table/records/invitation.ts';
import { memberRecord } from '../table/records/member.ts';
import type { OrganizationRecord } from '../table/records/organization.ts';
import { projectRecord } from '../table/records/project.ts';
import { at, list, ofKind, queryItems, readAll } from '../table/store.ts';

/** The part of an organization's usage that is counted and not read from its counters. */
export type CountedUsage = Omit<Usage, 'members' | 'webhooks'>;

/** Counts what belongs to an organization, in two waves of reads that need only its slug. */
export async function readUsage(slug: string): Promise<CountedUsage> {
  const [projects, environments, roster] = await Promise.all([
    list(projectRecord, ranges.projects(slug)),
    list(environmentRecord, ranges.environments(slug)),
    queryItems(ranges.roster(slug)),
  ]);
  // A project that is being erased is no longer in use.
  const active = new Set(projects.filter(project => project.status === 'active').map(project => project.id));
  const living = environments.filter(one => one.status === 'active' && active.has(one.projectId));
  const states = await readAll(living.map(one => at(environmentStateRecord, slug, one.project, one.slug)));
  return {
    projects: active.size,
    invitations: sortInvitations(ofKind(invitationRecord, roster), ofKind(memberRecord, roster)).pending.length,
    environments: living.length,
    secrets: states.reduce((sum, state) => sum + (state?.secretCount ?? 0), 0),
  };
}

/** An organization's usage: what was counted, with its own counters. */
export function usageOf(
  { memberCount, webhookCount }: Pick<OrganizationRecord, 'memberCount' | 'webhookCount'>,
  counted: CountedUsage,
): Usage {
  return { ...counted, members: memberCount, webhooks: webhookCount };
}
