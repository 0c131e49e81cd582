import type { MemberContext } from '../access/request-context.ts';
import { putReadEntry } from '../audit/partitions.ts';
import { type Entry, refusalsOf, type Source } from '../contracts/fields/formats/format.ts';
import { formats } from '../contracts/fields/formats/formats.ts';
import { expansionOf } from '../contracts/fields/references.ts';
import { contentTypeOf, type ServedFormat } from '../contracts/secrets/secrets.ts';
import { ApiError } from '../core/errors.ts';
import { encodingOf } from '../core/response-size.ts';
import type { EnvironmentPath } from '../table/keys.ts';
import type { EnvironmentState } from '../table/records/environment.ts';
import type { HeadRecord } from '../table/records/secret.ts';
import { type DescribedRead, describedKeys } from './describe-keys.ts';
import type { KeyRing } from './engine/key-ring.ts';
import { headsToOpen, openStored } from './engine/open-values.ts';
import { environmentFacts } from './engine/read-environment.ts';
import { beginRead, type EnvironmentReads, readLive } from './engine/read-live-secrets.ts';
import { requireValues } from './engine/read-past.ts';
import { beginNamedRead, type NamedReads, named, type PulledSecrets, readNamed } from './read-named-secrets.ts';
import { type PageQuery, pageOf } from './read-page.ts';
import { requireFittingExpanded } from './require-fitting-expanded.ts';

type PullReads = EnvironmentReads | NamedReads;

interface PullQuery extends PageQuery {
  keys?: readonly string[] | undefined;
  revision?: number | undefined;
  format?: ServedFormat | undefined;
  /** Whether to return values as they were set instead of expanding them. */
  raw?: boolean | undefined;
  /** Names that control which code runs, which the format may hold all the same. */
  allow?: readonly string[] | undefined;
}

/** Reads the environment or only its named keys. An earlier revision is always read as a whole. */
export function beginPull(
  path: EnvironmentPath,
  { keys, revision, raw = false }: PullQuery,
  currentState: EnvironmentState | undefined,
): Promise<PullReads> {
  if (revision !== undefined) return beginRead(path, [revision]);
  return keys === undefined ? beginRead(path, [], currentState) : beginNamedRead(path, keys, raw);
}

/** The secrets of an environment with their values, at one revision. No value is returned without its audit entry. */
export async function pullSecrets(context: MemberContext, query: PullQuery, begun: DescribedRead<PullReads>) {
  if ('unchanged' in begun) return { notModified: context.access.requireEnvironment(begun.unchanged, 'read').revision };
  const answer = async ({ project, state, revision, live, ring }: PulledSecrets) => {
    const { shown, pagination } = pageOf(query.keys === undefined ? live : named(live, query.keys), query);
    // Whoever reads an expanded value knows the values of the keys that it names.
    const needed = query.raw === true ? shown : headsToOpen(shown, live);
    requireValues(needed);
    if (query.raw !== true) requireFittingExpanded(shown, needed);
    const isWhole = query.keys === undefined && query.limit === undefined && query.search === undefined;
    const open = () => openEntries(state.id, { shown, needed, ring, raw: query.raw });
    const audit = async () => {
      // For a whole pull the revision identifies the keys; naming them would make every entry several times larger.
      const keys = isWhole ? {} : { keys: needed.map(({ key }) => key) };
      const facts = environmentFacts(project, state, revision);
      const entry = await context.audit({ action: 'secret.pulled', ...facts, ...keys });
      await putReadEntry(entry, context.organization.id, context.log);
    };
    if (query.format !== undefined) {
      // A format may refuse a value, and a refused pull must not be audited as delivered.
      const entries = (await open()).map(({ key, value }) => [key, value] as const);
      const source = { project: project.slug, environment: state.slug };
      const rendered = renderSecrets(query.format, entries, source, query.allow);
      await audit();
      return { ...rendered, revision };
    }
    const [opened] = await Promise.all([open(), audit()]);
    const secrets = describedKeys(opened, begun, { projectId: project.id, environmentId: state.id });
    return { secrets, revision, ...(pagination === undefined ? {} : { pagination }) };
  };
  return 'keys' in begun.reads ? readNamed(context, begun.reads, answer) : readLive(context, begun.reads, answer);
}

interface Opening {
  shown: readonly HeadRecord[];
  /** Those of `headsToOpen`, or `shown` if `raw`. */
  needed: readonly HeadRecord[];
  ring: KeyRing;
  raw?: boolean | undefined;
}

/** Secrets with their values, in the order of `shown`. */
export async function openEntries(environmentId: string, { shown, needed, ring, raw = false }: Opening) {
  const stored = await openStored(environmentId, needed, ring);
  const textOf = raw ? (key: string) => stored.get(key)?.value ?? '' : expansionOf(stored);
  return shown.map(({ key, version, createdAt, updatedAt, updatedBy, expands }) => {
    const expand = expands === undefined ? {} : { expand: true as const };
    return { key, value: textOf(key), ...expand, version, createdAt, updatedAt, updatedBy };
  });
}

/**
 * A pull as the text that `holdfast pull --format` writes.
 * @throws not_representable naming every key that the format can't hold or that is dangerous there, payload_too_large
 */
export function renderSecrets(
  name: ServedFormat,
  entries: readonly Entry[],
  source: Source,
  allowed: readonly string[] = [],
) {
  const format = formats[name];
  if (format === undefined) throw new Error(`There is no format ${name}.`);
  const refusals = refusalsOf(format, entries, { allowed, option: key => `allow=${key}` });
  if (refusals.length > 0) {
    const count = refusals.length === 1 ? '1 secret' : `${refusals.length} secrets`;
    const message = `${count} can’t be written as ${name}. Request the others with keys, or use format=json.`;
    throw new ApiError('not_representable', message, { details: { keys: refusals } });
  }
  const text = format.write(entries, source);
  if (encodingOf(text) === undefined) {
    const message = `The response is larger than 6 MB as ${name}. Request fewer secrets, with keys.`;
    throw new ApiError('payload_too_large', message);
  }
  return { text, contentType: contentTypeOf(name) };
}
