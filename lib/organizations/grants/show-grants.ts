import type { Grant, GrantRequest } from '../../contracts/fields/grant.ts';
import { liveGrants } from '../../contracts/fields/role-in-project.ts';
import { isOver, isoOfSeconds } from '../../core/time.ts';
import { at, readAll } from '../../table/read.ts';
import { environmentRecord } from '../../table/records/environment.ts';
import type { GrantRequestRecord } from '../../table/records/grant-request.ts';
import type { MemberRecord, StoredGrant } from '../../table/records/organization.ts';
import { projectKeysRecord } from '../../table/records/project.ts';

type Holder = Pick<MemberRecord, 'id' | 'email' | 'grants'>;

/** A grant as the API shows it. Pure. */
export function grantView({ id: memberId, email }: Omit<Holder, 'grants'>, grant: StoredGrant): Grant {
  const { id, projectId, environmentId, access, reason, createdAt, expiresAt, createdBy } = grant;
  return { id, memberId, email, projectId, environmentId, access, reason, createdAt, expiresAt, createdBy };
}

/** An open request as the API shows it. Pure. */
export function requestView(
  { id: memberId, email }: Omit<Holder, 'grants'>,
  request: GrantRequestRecord,
): GrantRequest {
  const { id, projectId, environmentId, access, minutes, reason, createdAt } = request;
  const expiresAt = isoOfSeconds(request.expiresAt);
  return { id, memberId, email, projectId, environmentId, access, minutes, reason, createdAt, expiresAt };
}

type InEnvironment = Pick<StoredGrant, 'projectId' | 'project' | 'environmentId' | 'environment'>;

/** Whether the environment of each is there. One round trip, or none for an empty list. */
async function findExisting(
  orgSlug: string,
  named: readonly InEnvironment[],
): Promise<(one: InEnvironment) => boolean> {
  const [projects, environments] = await Promise.all([
    readAll(named.map(({ project }) => at(projectKeysRecord, orgSlug, project))),
    readAll(named.map(({ project, environment }) => at(environmentRecord, orgSlug, project, environment))),
  ]);
  const active = new Set([...projects, ...environments].flatMap(one => (one?.status === 'active' ? [one.id] : [])));
  return ({ projectId, environmentId }) => active.has(projectId) && active.has(environmentId);
}

/** Each member's grants that have not ended, without those in deleted environments, which give nothing. */
async function findLiveGrants(orgSlug: string, members: readonly Holder[]): Promise<StoredGrant[][]> {
  const nowMs = Date.now();
  const live = members.map(member => liveGrants(member, nowMs));
  const exists = await findExisting(orgSlug, live.flat());
  return live.map(own => own.filter(exists));
}

/** The same as the API shows them. One round trip if somebody has a grant, otherwise no read. */
export async function showGrants(orgSlug: string, members: readonly Holder[]): Promise<Grant[][]> {
  const live = await findLiveGrants(orgSlug, members);
  return members.map((member, index) => (live[index] ?? []).map(grant => grantView(member, grant)));
}

/** Those that are open. */
export async function findOpenRequests(orgSlug: string, stored: readonly GrantRequestRecord[]) {
  const open = stored.filter(({ expiresAt }) => !isOver(expiresAt));
  return open.filter(await findExisting(orgSlug, open));
}
