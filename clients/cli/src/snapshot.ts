import type { Entry } from '@holdfast/contracts/fields/formats/format.ts';
import { type Environment, GatewayError, HoldfastError } from '@holdfast/sdk';
import { span } from './ago.ts';
import type { Cached, Pulled } from './cache.ts';
import { exitCodes, Failure, usage } from './failure.ts';
import { failureOf, isOutage } from './failure-of.ts';
import { given } from './given.ts';
import type { Session } from './session.ts';
import { originOf } from './settings/address.ts';

export interface PullFlags {
  only?: string[] | undefined;
  revision?: number;
  cache?: boolean;
  offline?: boolean;
}

/** The limit of `?keys=`. */
export const mostNamedKeys = 100;

/** The values for a command: of one environment, or of several, where the last one that has a key wins. */
export interface PulledLayers {
  entries: Entry[];
  /** That of the last environment. */
  revision: number;
  /** As `HOLDFAST_REVISION` has it: the revision, or with several layers each environment with its own. */
  revisions: string;
}

export const revisionsOf = (pulled: readonly (readonly [environment: Environment, revision: number])[]): string =>
  pulled.length === 1
    ? String(pulled[0]?.[1])
    : pulled.map(([{ project, slug }, revision]) => `${project}/${slug}@${revision}`).join(',');

/** From the cache if requested, or if allowed and the service is unreachable; each layer has its own copy. */
export async function pullEntries(session: Session, flags: PullFlags): Promise<PulledLayers> {
  const environments = await session.layers();
  const [only] = environments;
  if (only !== undefined && environments.length === 1) {
    const { entries, revision } = await pullOne(session, only, flags);
    return { entries, revision, revisions: String(revision) };
  }
  if (flags.revision !== undefined) {
    throw usage('--revision applies to one environment, and there are several layers.', 'Name one with --env.');
  }
  const isOfOne = environments.every(({ organization }) => organization === environments[0]?.organization);
  if (isOfOne && !(keepsCopy(flags) || flags.offline)) return await pullTogether(session, environments, flags);
  const pulled = await Promise.all(
    environments.map(async environment => {
      try {
        return [environment, await pullOne(session, environment, { ...flags, only: undefined })] as const;
      } catch (error) {
        throw ofLayer(environment, error);
      }
    }),
  );
  const revisions = revisionsOf(pulled.map(([environment, { revision }]) => [environment, revision]));
  const values = new Map(pulled.flatMap(([, { entries }]) => entries));
  const sorted = [...values].sort(([a], [b]) => (a < b ? -1 : 1));
  const revision = pulled.at(-1)?.[1].revision ?? 0;
  return { entries: select(sorted, flags.only, revisions), revision, revisions };
}

const keepsCopy = ({ cache }: PullFlags): boolean => cache === true || process.env.HOLDFAST_CACHE === '1';

/** One request. A copy for the cache needs every layer as a whole. */
async function pullTogether(
  session: Session,
  environments: readonly Environment[],
  { only }: PullFlags,
): Promise<PulledLayers> {
  const client = await session.client();
  const keys = only !== undefined && only.length <= mostNamedKeys ? only : undefined;
  const snapshot = await client.layers(environments, given({ keys })).catch(error => {
    throw refusedIn(environments, error);
  });
  const { layers, revision } = snapshot;
  const revisions = revisionsOf(environments.map((one, index) => [one, layers[index]?.revision ?? 0]));
  const entries = snapshot.keys().map((key): Entry => [key, snapshot.require(key)]);
  return { entries: select(entries, only, revisions), revision, revisions };
}

/** The service names the layer that it refuses, unless that is the environment on top. */
function refusedIn(environments: readonly Environment[], error: unknown): unknown {
  const top = environments.at(-1);
  if (top === undefined || !(error instanceof HoldfastError) || ![403, 404].includes(error.status ?? 0)) return error;
  const isOfTop = error.code !== 'secret_not_found' && error.details === undefined;
  return isOfTop ? ofLayer(top, error) : error;
}

/** The failure of one of several layers names it. */
function ofLayer({ organization, project, slug }: Environment, error: unknown): Failure {
  const { exitCode, code, message, ...more } = failureOf(error);
  return new Failure(exitCode, code, `${organization}/${project}/${slug}: ${message}`, more);
}

async function pullOne(session: Session, environment: Environment, flags: PullFlags): Promise<Pulled> {
  const { only, revision, offline } = flags;
  const keepsCache = keepsCopy(flags);
  if (revision !== undefined && offline)
    throw new Failure(exitCodes.usage, 'usage', 'The cache only has the last pull; --revision needs the service.');
  if (revision !== undefined || !(keepsCache || offline)) return await pullFrom(environment, only, revision);
  const { token: given } = await session.credential();
  const token = typeof given === 'string' ? given : await given();
  const { deleteCached, readCached, writeCached } = await import('./cache.ts');
  const place = {
    origin: originOf(session.url()),
    path: [environment.organization, environment.project, environment.slug],
  };
  const cached = readCached(place, token);
  const chosen = (from: Cached) => ({ ...from, entries: select(from.entries, only, from.revision) });
  if (offline) {
    if (cached !== undefined) return chosen(cached);
    throw new Failure(
      exitCodes.unreachable,
      'not_cached',
      'The cache has no copy of this environment for this credential.',
      {
        hint: 'Pull it once while online: holdfast pull --cache',
      },
    );
  }
  // With a cached copy, one warning reports the outage, so the retries before it stay quiet.
  if (cached !== undefined) session.silenceRetries();
  try {
    const pulled = await pullFrom(environment, undefined, undefined);
    try {
      writeCached(place, token, pulled);
    } catch (error) {
      session.output.warn(`holdfast: this pull is not cached: ${failureOf(error).message}`);
    }
    return { ...pulled, entries: select(pulled.entries, only, pulled.revision) };
  } catch (error) {
    // A user who lost read access must not read the cached copy. A gateway's answer says nothing about it.
    const isRefused = error instanceof HoldfastError && [401, 403, 404].includes(error.status ?? 0);
    if (isRefused && !(error instanceof GatewayError)) deleteCached(place);
    if (!isOutage(error) || cached === undefined) throw error;
    const { revision: kept, at } = cached;
    session.output.warn(
      `holdfast: the service does not respond; continuing with revision ${kept}, pulled ${span(Date.now() - at)} ago.`,
    );
    return chosen(cached);
  }
}

async function pullFrom(
  environment: Environment,
  only: string[] | undefined,
  revision: number | undefined,
): Promise<Pulled> {
  const asksForKeys = only !== undefined && only.length <= mostNamedKeys;
  const snapshot = await environment.pull(given({ revision, keys: asksForKeys ? only : undefined }));
  const entries = snapshot.keys().map((key): Entry => [key, snapshot.require(key)]);
  return { entries: select(entries, only, snapshot.revision), revision: snapshot.revision };
}

/** @throws Failure naming every missing key */
export function select(
  entries: readonly Entry[],
  only: readonly string[] | undefined,
  revision: number | string,
): Entry[] {
  if (only === undefined) return [...entries];
  const there = new Set(entries.map(([key]) => key));
  const missing = only.filter(key => !there.has(key));
  if (missing.length === 0) return entries.filter(([key]) => only.includes(key));
  throw new Failure(exitCodes.notFound, 'secret_not_found', `Not set at revision ${revision}: ${missing.join(', ')}.`, {
    details: { keys: missing },
    hint: 'List the keys: holdfast list',
  });
}

/** The keys of each environment, without values. @throws Failure that names the one that can't be listed */
export async function listLayers(session: Session) {
  const environments = await session.layers();
  return await Promise.all(
    environments.map(async environment => {
      try {
        return { environment, ...(await environment.keys()) };
      } catch (error) {
        throw environments.length > 1 ? ofLayer(environment, error) : error;
      }
    }),
  );
}
