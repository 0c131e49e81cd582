import type { MemberContext } from '../access/request-context.ts';
import { putReadEntry } from '../audit/partitions.ts';
import type { ServedFormat } from '../contracts/secrets/secrets.ts';
import type { EnvironmentPath } from '../table/keys.ts';
import type { EnvironmentState } from '../table/records/environment.ts';
import type { ConditionalRead } from './engine/read-environment.ts';
import { beginRead, type EnvironmentReads, readLive } from './engine/read-live-secrets.ts';
import { requireValues } from './engine/read-past.ts';
import { beginNamedRead, type NamedReads, named, type PulledSecrets, readNamed } from './read-named-secrets.ts';
import { type PageWanted, pageOf } from './read-page.ts';
import { renderSecrets } from './render-secrets.ts';

type PullReads = EnvironmentReads | NamedReads;

interface PullWanted extends PageWanted {
  keys?: readonly string[] | undefined;
  revision?: number | undefined;
  format?: ServedFormat | undefined;
  /** Names that control which code runs, which the format may hold all the same. */
  allow?: readonly string[] | undefined;
}

/** Reads the environment or only its named keys. An earlier revision is always read as a whole. */
export function beginPull(
  path: EnvironmentPath,
  { keys, revision }: PullWanted,
  known: EnvironmentState | undefined,
): Promise<PullReads> {
  if (revision !== undefined) return beginRead(path, [revision]);
  return keys === undefined ? beginRead(path, [], known) : beginNamedRead(path, keys);
}

/** The secrets of an environment with their values, at one revision. No value is returned without its audit entry. */
export async function pullSecrets(context: MemberContext, query: PullWanted, begun: ConditionalRead<PullReads>) {
  if ('unchanged' in begun) return { notModified: context.access.requireEnvironment(begun.unchanged, 'read').revision };
  const isNamed = query.keys !== undefined;
  const answer = async ({ project, state, revision, live, ring }: PulledSecrets) => {
    const { shown, pagination } = pageOf(query.keys === undefined ? live : named(live, query.keys), query);
    requireValues(shown);
    const isWhole = !isNamed && query.limit === undefined && query.search === undefined;
    const open = () =>
      Promise.all(
        shown.map(async head => {
          const { key, version, createdAt, updatedAt, updatedBy } = head;
          return { key, value: await ring.open(state.id, head), version, createdAt, updatedAt, updatedBy };
        }),
      );
    const audit = async () => {
      const entry = await context.audit({
        action: 'secret.pulled',
        target: { type: 'project', id: project.id, name: project.slug },
        environment: { id: state.id, slug: state.slug },
        // For a whole pull the revision identifies the keys; naming them would make every entry several times larger.
        ...(isWhole ? {} : { keys: shown.map(({ key }) => key) }),
        revision,
      });
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
    const [secrets] = await Promise.all([open(), audit()]);
    return { secrets, revision, ...(pagination === undefined ? {} : { pagination }) };
  };
  return 'keys' in begun.begun ? readNamed(context, begun.begun, answer) : readLive(context, begun.begun, answer);
}
