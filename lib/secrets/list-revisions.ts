import type { MemberContext } from '../access/request-context.ts';
import { at, readTogether } from '../table/read.ts';
import { type EnvironmentState, environmentStateRecord } from '../table/records/environment.ts';
import { type ProjectRecord, projectRecord } from '../table/records/project.ts';
import { type EnvironmentPath, partsOf } from './engine/environment-path.ts';
import { type RecordedChange, readChangesBefore } from './engine/revision-log.ts';
import { readAgainWhileStale, StaleRead } from './engine/stale-read.ts';

interface Query {
  limit: number;
  before?: number | undefined;
}

interface RevisionsReads {
  project?: ProjectRecord | undefined;
  state?: EnvironmentState | undefined;
  recorded: Awaited<ReturnType<typeof readChangesBefore>>;
}

/** One round trip, to be begun together with authentication. */
export async function beginRevisions(path: EnvironmentPath, { before, limit }: Query): Promise<RevisionsReads> {
  const [fixed, recorded] = await Promise.all([
    readTogether({
      project: at(projectRecord, path.orgSlug, path.project),
      state: at(environmentStateRecord, ...partsOf(path)),
    }),
    readChangesBefore(path, before ?? Number.MAX_SAFE_INTEGER, limit),
  ]);
  return { ...fixed, recorded };
}

/** What each change of an environment did, newest first. Names of keys, never a value. */
export async function listRevisions(
  { access, log }: MemberContext,
  path: EnvironmentPath,
  query: Query,
  first: RevisionsReads,
) {
  return readAgainWhileStale(log, { ...path }, async tries => {
    const { project, state: found, recorded } = tries === 0 ? first : await beginRevisions(path, query);
    access.requireProject(project);
    const { id, revision, firstRevision } = access.requireEnvironment(found, 'read');
    const newest = Math.min(revision, (query.before ?? Number.MAX_SAFE_INTEGER) - 1);
    const pageIn = ({ changes, isCut }: RevisionsReads['recorded']) => {
      const oldest =
        (isCut ? changes.at(-1)?.revision : undefined) ?? Math.max(firstRevision + 1, newest - query.limit + 1);
      const shown = changes.filter(change => change.revision >= oldest && change.revision <= newest);
      return { oldest, shown, isWhole: shown.length > newest - oldest };
    };
    let page = pageIn(recorded);
    // The records were read beside the state: a change may have come between the two.
    if (!page.isWhole) page = pageIn(await readChangesBefore(path, newest + 1, query.limit));
    if (!page.isWhole) throw new StaleRead(`Environment ${id} lacks records of its changes up to revision ${newest}.`);
    const isLast = newest < page.oldest || page.oldest <= firstRevision + 1;
    return { revisions: page.shown.map(listed), next: isLast ? null : page.oldest };
  });
}

function listed({ changeId: _, digest: __, message, created, updated, deleted, ...change }: RecordedChange) {
  return {
    ...change,
    message: message ?? null,
    created: namesOf(created),
    updated: namesOf(updated),
    deleted: namesOf(deleted),
  };
}

function namesOf(changed: readonly (readonly [key: string, version: number])[]): string[] {
  return changed.map(([key]) => key).sort();
}
