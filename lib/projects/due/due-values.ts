import { canBeDue, dueAtOf } from '../../contracts/fields/due-dates.ts';
import type { Due } from '../../contracts/projects/due.ts';
import { chunksOf } from '../../core/chunks-of.ts';
import { ranges, rareRanges } from '../../table/keys.ts';
import { at, list, readAll } from '../../table/read.ts';
import { type KeyAgesRecord, keyAgesRecord } from '../../table/records/due.ts';
import {
  type EnvironmentRecord,
  type EnvironmentState,
  environmentRecord,
  environmentStateRecord,
} from '../../table/records/environment.ts';
import {
  type ProjectRecord,
  projectRecord,
  type TemplateKeyRecord,
  templateKeyRecord,
} from '../../table/records/project.ts';
import { type KeyAges, readKeyAges } from './key-ages.ts';

/** An environment with the keys of its project's template whose values can be due. */
interface DueEnvironment {
  project: ProjectRecord;
  environment: EnvironmentRecord;
  keys: readonly TemplateKeyRecord[];
}

/** A due value, with the ids of its place. */
export interface DueValue {
  projectId: string;
  environmentId: string;
  shown: Due;
}

const environmentsAtOnce = 10;

interface Organization {
  id: string;
  slug: string;
}
type Places = readonly [projects: readonly ProjectRecord[], environments: readonly EnvironmentRecord[]];

const readPlaces = (slug: string): Promise<Places> =>
  Promise.all([list(projectRecord, ranges.projects(slug)), list(environmentRecord, ranges.environments(slug))]);

async function readTemplates(slug: string): Promise<TemplateKeyRecord[]> {
  return (await list(templateKeyRecord, rareRanges.templates(slug))).filter(canBeDue);
}

/** The environments in which values can be due. Templates that name nothing due, as most do, cost one Query. */
export async function findDueEnvironments(organization: Organization): Promise<DueEnvironment[]> {
  const template = await readTemplates(organization.slug);
  return template.length === 0 ? [] : dueEnvironments(organization, template, await readPlaces(organization.slug));
}

/** The same for somebody who waits: in one round trip. */
export async function readDueEnvironments(organization: Organization): Promise<DueEnvironment[]> {
  const { slug } = organization;
  const [template, places] = await Promise.all([readTemplates(slug), readPlaces(slug)]);
  return dueEnvironments(organization, template, places);
}

/** Pure. */
function dueEnvironments(
  organization: Organization,
  template: readonly TemplateKeyRecord[],
  [projects, environments]: Places,
): DueEnvironment[] {
  const keysOf = Map.groupBy(template, ({ projectId }) => projectId);
  const active = projects.filter(
    ({ organizationId, status }) => organizationId === organization.id && status === 'active',
  );
  const projectOf = new Map(active.map(project => [project.id, project]));
  return environments.flatMap(environment => {
    const project = projectOf.get(environment.projectId);
    const keys = (keysOf.get(environment.projectId) ?? []).filter(
      key => key.maxAgeDays !== undefined || key.expiresAt?.[environment.id] !== undefined,
    );
    return project === undefined || environment.status !== 'active' || keys.length === 0
      ? []
      : [{ project, environment, keys }];
  });
}

/** The ages that were read of an environment, to keep them. */
export type OnRead = (read: {
  orgSlug: string;
  found: DueEnvironment;
  state: EnvironmentState;
  stored: KeyAgesRecord | undefined;
  ages: KeyAges;
}) => Promise<void>;

/**
 * The values of these environments that are due by `until`, in order. No value is read that the stored ages cover.
 * @param until ISO 8601
 */
export async function dueValues(
  orgSlug: string,
  environments: readonly DueEnvironment[],
  until: string,
  onRead: OnRead = async () => undefined,
): Promise<DueValue[]> {
  const values: DueValue[] = [];
  for (const chunk of chunksOf(environmentsAtOnce, environments)) {
    const read = await Promise.all(chunk.map(found => dueIn(orgSlug, found, until, onRead)));
    values.push(...read.flat());
  }
  const orderOf = ({ shown: { dueAt, project, environment, key } }: DueValue) =>
    [dueAt, project, environment, key].join(' ');
  return values
    .map(value => ({ value, order: orderOf(value) }))
    .toSorted((a, b) => (a.order < b.order ? -1 : 1))
    .map(({ value }) => value);
}

async function dueIn(orgSlug: string, found: DueEnvironment, until: string, onRead: OnRead): Promise<DueValue[]> {
  const { project, environment, keys } = found;
  const path = { orgSlug, project: project.slug, env: environment.slug };
  const [state, stored] = (await readAll<EnvironmentState | KeyAgesRecord>([
    at(environmentStateRecord, path),
    at(keyAgesRecord, path),
  ])) as [EnvironmentState | undefined, KeyAgesRecord | undefined];
  if (state?.id !== environment.id || state.status !== 'active') return [];
  const names = keys.map(({ key }) => key);
  const ages = await readKeyAges(path, state, names, stored);
  await onRead({ orgSlug, found, state, stored, ages });
  return keys.flatMap(described => {
    const { version = 0, writtenAt = '' } = ages.get(described.key) ?? {};
    const dueAt = version === 0 ? null : dueAtOf(described, environment.id, writtenAt);
    if (dueAt === null || dueAt > until) return [];
    const { key, owner = null, renewUrl = null, tags = [] } = described;
    const place = { project: project.slug, environment: environment.slug };
    const shown = { ...place, key, version, writtenAt, dueAt, owner, renewUrl, tags };
    return [{ projectId: project.id, environmentId: environment.id, shown }];
  });
}
