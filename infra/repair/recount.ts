import { addUpTo } from '#lib/secrets/engine/digest.ts';
import { fenced, notRisen, stateAt } from '#lib/secrets/engine/fencing.ts';
import { isLive } from '#lib/secrets/engine/read-snapshot.ts';
import { attribute, equals } from '#lib/table/expressions.ts';
import { ranges } from '#lib/table/keys.ts';
import { at, queryItems } from '#lib/table/read.ts';
import { type EnvironmentRecord, environmentRecord, environmentStateRecord } from '#lib/table/records/environment.ts';
import { isCounted } from '#lib/table/records/kept.ts';
import { type OrganizationRecord, organizationRecord } from '#lib/table/records/organization.ts';
import { type ProjectRecord, projectRecord } from '#lib/table/records/project.ts';
import { headRecord } from '#lib/table/records/secret.ts';
import { ConditionFailed, transact, update, type Write } from '#lib/table/write.ts';

/** A counter that differs from the actual count. */
export interface Drift {
  /** `projectCount`, `project shop: environmentCount`, `environment shop/dev: secretCount`. */
  counter: string;
  recorded: number;
  counted: number;
}

/** A drift and the write that fixes it, conditioned on nothing having changed since it was read. */
interface Difference extends Drift {
  repair: Write;
}

export interface Recount {
  drifts: Drift[];
  /** With `fix`: drifts that could not be fixed because the counted items kept changing. */
  unfixed: Drift[];
  /** Environments whose secrets do not match their digest, as `project/environment`; absent if there are none. */
  inconsistent?: string[];
}

type Item = Record<string, unknown>;

const organizationCounters = [
  'projectCount',
  'memberCount',
  'ownerCount',
  'invitationCount',
  'webhookCount',
  'identityCount',
] as const;

/** How many passes to try until two in a row agree. If changes never stop, the last result is reported as it is. */
const maximumPasses = 6;

/**
 * Recounts everything in an organization that has a counter, and compares. A pass of reads is not a snapshot, so a
 * drift is reported only if two passes in a row find exactly the same one. Undefined if the organization does not
 * exist.
 */
export async function recountOrganization(slug: string, { fix }: { fix: boolean }): Promise<Recount | undefined> {
  let seen = await observe(slug);
  for (let pass = 1; seen !== undefined && pass < maximumPasses; pass += 1) {
    const again: Observation | undefined = await observe(slug);
    const agree = again !== undefined && textOf(again) === textOf(seen);
    seen = again;
    if (agree) break;
  }
  if (seen === undefined) return undefined;
  const { differences, inconsistent } = seen;
  const unfixed = fix ? await repairAll(differences) : [];
  return {
    drifts: differences.map(driftOf),
    unfixed: unfixed.map(driftOf),
    ...(inconsistent.length === 0 ? {} : { inconsistent }),
  };
}

interface Observation {
  differences: Difference[];
  inconsistent: string[];
}

function textOf({ differences, inconsistent }: Observation): string {
  return JSON.stringify([differences.map(driftOf), inconsistent]);
}

function driftOf({ counter, recorded, counted }: Drift): Drift {
  return { counter, recorded, counted };
}

async function repairAll(differences: readonly Difference[]): Promise<Difference[]> {
  const unfixed: Difference[] = [];
  for (const difference of differences) {
    try {
      await transact([difference.repair]);
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      unfixed.push(difference);
    }
  }
  return unfixed;
}

async function observe(slug: string): Promise<Observation | undefined> {
  const items = await queryItems(ranges.organization(slug));
  const own = items.find(({ kind }) => kind === organizationRecord.kind);
  const organization = own === undefined ? undefined : organizationRecord.parse(own);
  if (organization?.status !== 'active') return undefined;
  const projects = items
    .filter(({ kind }) => kind === projectRecord.kind)
    .map(projectRecord.parse)
    .filter(({ status }) => status === 'active');
  const environments = items
    .filter(({ kind }) => kind === environmentRecord.kind)
    .map(environmentRecord.parse)
    .filter(isCounted);
  const differences = [
    ...compareOrganization(organization, countItems(items)),
    ...projects.flatMap(project => compareProject(slug, project, environments)),
  ];
  const active = new Set(projects.map(({ id }) => id));
  // One environment at a time: a partition may hold 4 MiB and more.
  const inconsistent: string[] = [];
  for (const environment of environments.filter(({ projectId }) => active.has(projectId))) {
    const compared = await compareEnvironment(slug, environment);
    differences.push(...compared.differences);
    inconsistent.push(...compared.inconsistent);
  }
  return { differences, inconsistent };
}

/** Counts the items of an organization's partition. Pure. */
export function countItems(items: readonly Item[]): Record<(typeof organizationCounters)[number], number> {
  const count = (kind: string, isCounted: (item: Item) => boolean = () => true) =>
    items.filter(item => item.kind === kind && isCounted(item)).length;
  return {
    projectCount: count('project', ({ status, kept }) => status === 'active' || kept !== undefined),
    memberCount: count('member'),
    ownerCount: count('member', ({ role }) => role === 'owner'),
    // Expired invitations keep counting until they are swept.
    invitationCount: count('invitation'),
    webhookCount: count('webhook'),
    identityCount: count('identity'),
  };
}

function compareOrganization(
  organization: OrganizationRecord,
  counted: Record<(typeof organizationCounters)[number], number>,
): Difference[] {
  return organizationCounters
    .filter(name => organization[name] !== counted[name])
    .map(name => ({
      counter: name,
      recorded: organization[name],
      counted: counted[name],
      repair: update(
        at(organizationRecord, organization.slug),
        { set: attribute(name, counted[name]) },
        { if: { id: equals(organization.id), ...attribute(name, equals(organization[name])) } },
      ),
    }));
}

function compareProject(
  orgSlug: string,
  project: ProjectRecord,
  environments: readonly EnvironmentRecord[],
): Difference[] {
  const { id, slug, environmentCount: recorded } = project;
  const counted = environments.filter(({ projectId }) => projectId === id).length;
  if (recorded === counted) return [];
  const repair = update(
    at(projectRecord, orgSlug, slug),
    { set: { environmentCount: counted } },
    { if: { id: equals(id), environmentCount: equals(recorded) } },
  );
  return [{ counter: `project ${slug}: environmentCount`, recorded, counted, repair }];
}

/** The head of an uncommitted change is stamped later. As long as there is one, the environment is skipped. */
async function compareEnvironment(orgSlug: string, { project, slug }: EnvironmentRecord): Promise<Observation> {
  const path = { orgSlug, project, env: slug };
  const [first, ...others] = await queryItems(ranges.environmentHeads({ orgSlug, project, env: slug }));
  const nothing = { differences: [], inconsistent: [] };
  if (first?.kind !== environmentStateRecord.kind) return nothing;
  const state = environmentStateRecord.parse(first);
  if (state.pending !== undefined || state.status !== 'active') return nothing;
  const heads = others.map(headRecord.parse);
  const inconsistent = addUpTo(state.digest, heads) ? [] : [`${project}/${slug}`];
  const live = heads.filter(head => isLive(head) && head.revision <= state.revision);
  if (live.length === state.secretCount) return { differences: [], inconsistent };
  // Raises the fencing token, so that a change that was decided on the old count is decided again.
  const set = { secretCount: live.length, fence: state.fence + 1 };
  const repair = update(stateAt(path), { set }, { if: notRisen(fenced(path, state)) });
  const counter = `environment ${project}/${slug}: secretCount`;
  return { differences: [{ counter, recorded: state.secretCount, counted: live.length, repair }], inconsistent };
}
