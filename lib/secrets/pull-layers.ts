import { sharedProject } from '../access/kept-access.ts';
import type { MemberContext } from '../access/request-context.ts';
import { putReadEntry } from '../audit/partitions.ts';
import { matchesRevisions, type Precondition } from '../contracts/fields/preconditions.ts';
import type { ServedFormat } from '../contracts/secrets/secrets.ts';
import { ApiError, invalidRequest } from '../core/errors.ts';
import { AlteredCiphertext } from '../crypto/envelope.ts';
import type { EnvironmentPath } from '../table/keys.ts';
import { at, find, readAll } from '../table/read.ts';
import type { EnvironmentState } from '../table/records/environment.ts';
import { type ProjectKeys, projectKeysRecord } from '../table/records/project.ts';
import type { HeadRecord } from '../table/records/secret.ts';
import { stateAt } from './engine/fencing.ts';
import { forgetSnapshot } from './engine/kept-snapshots.ts';
import { headsToOpen } from './engine/open-values.ts';
import { environmentFacts } from './engine/read-environment.ts';
import { type EnvironmentReads, type LiveSecrets, readLive } from './engine/read-live-secrets.ts';
import { beginSnapshot } from './engine/read-snapshot.ts';
import { maxEnvironmentBytes } from './engine/secret-size.ts';
import { openEntries, renderSecrets } from './pull-secrets.ts';
import { expandedBytes } from './require-fitting-expanded.ts';

/*
 * An environment with others below it. Each is read as a snapshot of its own, so the layers are of different moments, as
 * if they had been pulled one after the other. Each is read as a whole, also for named keys: whether a layer has a key
 * decides what the others show, and a kept snapshot answers that for one read unit.
 */

interface LayeredQuery {
  /** As `project/environment`, the lowest layer first. */
  layers: readonly string[];
  keys?: readonly string[] | undefined;
  /** Whether to return values as they were set instead of expanding them. */
  raw?: boolean | undefined;
  format?: ServedFormat | undefined;
  allow?: readonly string[] | undefined;
}

interface Place {
  name: string;
  path: EnvironmentPath;
  /** Whether it is one of the layers, and not the environment in the path. */
  isLayer: boolean;
}

type Reading = { unchanged: EnvironmentState[] } | { reads: EnvironmentReads[] };

interface BegunLayers {
  /** The lowest layer first, the environment in the path last. */
  places: readonly Place[];
  /** Not awaited before it is known that all these projects exist for the caller: that must not take longer then. */
  reading: Promise<Reading>;
}

/** One round trip, in parallel with authentication. @throws invalid_request if the environment is its own layer */
export async function beginLayers(
  path: EnvironmentPath,
  layers: readonly string[],
  ifNoneMatch: Precondition | undefined,
): Promise<BegunLayers> {
  const name = `${path.project}/${path.env}`;
  if (layers.includes(name)) {
    throw invalidRequest([{ path: `layers.${layers.indexOf(name)}`, message: 'must not be the environment itself' }]);
  }
  const below = layers.map(layer => {
    const [project = '', env = ''] = layer.split('/');
    return { name: layer, path: { orgSlug: path.orgSlug, project, env }, isLayer: true };
  });
  const places = [...below, { name, path, isLayer: false }];
  const reading = beginReading(places, ifNoneMatch);
  // Whoever is refused before the end of the reads gets no answer that depends on them.
  reading.catch(() => undefined);
  return { places, reading };
}

async function beginReading(places: readonly Place[], ifNoneMatch: Precondition | undefined): Promise<Reading> {
  const states = ifNoneMatch === undefined ? [] : await readAll(places.map(({ path }) => stateAt(path)));
  const present = states.filter(state => state !== undefined);
  const revisions = present.map(({ revision }) => revision);
  if (ifNoneMatch !== undefined && present.length === places.length && matchesRevisions(ifNoneMatch, revisions)) {
    return { unchanged: present };
  }
  const projects = new Map<string, Promise<ProjectKeys | undefined>>();
  const projectOf = (path: EnvironmentPath) => {
    const read =
      projects.get(path.project) ?? sharedProject(path) ?? find(at(projectKeysRecord, path.orgSlug, path.project));
    projects.set(path.project, read);
    return read;
  };
  const begin = async ({ path }: Place, index: number) => {
    const [project, snapshot] = await Promise.all([projectOf(path), beginSnapshot(path, states[index])]);
    return { path, project, snapshot, revisions: [], changes: [] };
  };
  return { reads: await Promise.all(places.map(begin)) };
}

type Layer = Place & Pick<LiveSecrets, 'project' | 'state' | 'live' | 'ring'>;

/**
 * The secrets of the layers with their values. Where several have a key, the last one wins. No value is returned without
 * the audit entry of every layer.
 * @throws what a pull of each of them throws; secret_not_found for a key that none of them has; payload_too_large
 */
export async function pullLayers(
  context: MemberContext,
  { keys, raw = false, format, allow }: Omit<LayeredQuery, 'layers'>,
  { places, reading }: BegunLayers,
) {
  for (const place of places) inLayer(context, place, () => contextIn(context, place));
  const read = await reading;
  if ('unchanged' in read) return { notModified: requireUnchanged(context, places, read.unchanged) };
  for (const [index, place] of places.entries()) requireRead(context, place, read.reads[index]);
  const layers = await Promise.all(
    places.map(async (place, index) => readLayer(context, place, read.reads[index] as EnvironmentReads)),
  );
  const shownLayers = topmost(layers, keys, raw);
  requireFitting(shownLayers, raw);
  const revisions = layers.map(({ state }) => state.revision);
  const audit = () => Promise.all(shownLayers.map(layer => auditLayer(context, layer, keys === undefined)));
  const { project, state } = layers.at(-1) as Layer;
  if (format !== undefined) {
    // A format may refuse a value, and a refused pull must not be audited as delivered.
    const entries = (await openLayers(shownLayers, raw)).map(({ key, value }) => [key, value] as const);
    const rendered = renderSecrets(format, entries, { project: project.slug, environment: state.slug }, allow);
    await audit();
    return { ...rendered, revisions };
  }
  const [secrets] = await Promise.all([openLayers(shownLayers, raw), audit()]);
  return { body: { secrets, revision: state.revision }, revisions };
}

/** The request as one to the layer's project. */
function contextIn(context: MemberContext, { path }: Place): MemberContext {
  return { ...context, access: context.access.inProject(path.project) };
}

/** An error about a layer names it. */
function inLayer<T>({ organization }: MemberContext, { name, isLayer }: Place, work: () => T): T {
  const named = (error: unknown) => {
    if (!isLayer || !(error instanceof ApiError) || ![403, 404].includes(error.status)) return error;
    const message = `${organization.slug}/${name}: ${error.message}`;
    return new ApiError(error.code, message, { details: { layer: name }, cause: error });
  };
  try {
    const result = work();
    if (!(result instanceof Promise)) return result;
    return result.catch(error => {
      throw named(error);
    }) as T;
  } catch (error) {
    throw named(error);
  }
}

/** @returns the revisions */
function requireUnchanged(context: MemberContext, places: readonly Place[], states: readonly EnvironmentState[]) {
  return places.map((place, index) =>
    inLayer(context, place, () => contextIn(context, place).access.requireEnvironment(states[index], 'read').revision),
  );
}

/** Before anything else is read: one layer that is refused refuses all. */
function requireRead(context: MemberContext, place: Place, reads: EnvironmentReads | undefined): void {
  inLayer(context, place, () => {
    const { access } = contextIn(context, place);
    access.requireProject(reads?.project);
    access.requireEnvironment(reads?.snapshot.state, 'read');
  });
}

function readLayer(context: MemberContext, place: Place, reads: EnvironmentReads): Promise<Layer> {
  return inLayer(context, place, () =>
    readLive(contextIn(context, place), reads, async ({ project, state, live, ring }) => {
      return { ...place, project, state, live, ring };
    }),
  );
}

interface ShownLayer extends Layer {
  /** The heads of the keys that no later layer has. */
  shown: readonly HeadRecord[];
  /** Those, and the heads of the keys that their values name, which are of the same environment. */
  needed: readonly HeadRecord[];
}

/** @throws secret_not_found */
function topmost(layers: readonly Layer[], keys: readonly string[] | undefined, raw: boolean): ShownLayer[] {
  const sources = new Map(layers.flatMap(layer => layer.live.map(({ key }) => [key, layer] as const)));
  const missing = keys?.find(key => !sources.has(key));
  if (missing !== undefined) {
    throw new ApiError('secret_not_found', `There is no secret ${missing} in any of these environments.`);
  }
  const requested = keys && new Set(keys);
  return layers.map(layer => {
    const shown = layer.live.filter(({ key }) => sources.get(key) === layer && (requested?.has(key) ?? true));
    return { ...layer, shown, needed: raw ? shown : headsToOpen(shown, layer.live) };
  });
}

/** Before the audit entries are written: a rejected pull leaves none. */
function requireFitting(layers: readonly ShownLayer[], raw: boolean): void {
  const bytesOf = ({ shown, needed }: ShownLayer) => (raw ? storedBytes(shown) : expandedBytes(shown, needed));
  const sizeBytes = layers.reduce((sum, layer) => sum + bytesOf(layer), 0);
  if (sizeBytes <= maxEnvironmentBytes) return;
  const message = 'The secrets of these environments do not fit in one response. Request fewer, with keys.';
  throw new ApiError('payload_too_large', message, { details: { sizeBytes, maximumBytes: maxEnvironmentBytes } });
}

const storedBytes = (heads: readonly HeadRecord[]): number =>
  heads.reduce((sum, head) => sum + (head.sizeBytes ?? 0), 0);

/** In key order. Only what is shown, and what it names, is decrypted. */
async function openLayers(layers: readonly ShownLayer[], raw: boolean) {
  const opened = layers.map(async layer => {
    const entries = await openLayer(layer, raw);
    return entries.map(({ key, ...facts }) => ({ key, from: layer.name, ...facts }));
  });
  return (await Promise.all(opened)).flat().toSorted((a, b) => (a.key < b.key ? -1 : 1));
}

async function openLayer({ path, state, ...layer }: ShownLayer, raw: boolean) {
  try {
    return await openEntries(state.id, { ...layer, raw });
  } catch (error) {
    // It may have been restored in the table since.
    if (error instanceof AlteredCiphertext) forgetSnapshot(path);
    throw error;
  }
}

/**
 * A layer counts as pulled as a whole, also if another one hides some of its keys: naming the others would make its entry
 * several times larger.
 */
async function auditLayer(context: MemberContext, { project, state, needed }: ShownLayer, isWhole: boolean) {
  const facts = environmentFacts(project, state);
  const keys = isWhole ? {} : { keys: needed.map(({ key }) => key) };
  const entry = await context.audit({ action: 'secret.pulled', ...facts, ...keys });
  await putReadEntry(entry, context.organization.id, context.log);
}
