import type { MemberContext } from '../access/request-context.ts';
import type { QueryOf } from '../contracts/contract.ts';
import type { listRevisions as contract } from '../contracts/secrets/history.ts';
import type { EnvironmentPath } from '../table/keys.ts';
import { readEnvironment } from './engine/read-environment.ts';
import { type RecordedChange, readChangesBefore } from './engine/revision-log.ts';
import { readAgainWhileStale, StaleRead } from './engine/stale-read.ts';

type Query = QueryOf<typeof contract>;

type RevisionsReads = Awaited<ReturnType<typeof beginRevisions>>;

export async function beginRevisions(path: EnvironmentPath, { before, limit }: Query) {
  const [environment, recorded] = await Promise.all([
    readEnvironment(path),
    readChangesBefore(path, before ?? Number.MAX_SAFE_INTEGER, limit),
  ]);
  return { ...environment, recorded };
}

/** The changes of an environment, newest first: names of keys, never a value. */
export async function listRevisions(
  { access, log }: MemberContext,
  path: EnvironmentPath,
  query: Query,
  first: RevisionsReads,
) {
  return readAgainWhileStale(log, path, async tries => {
    const { project, state, recorded } = tries === 0 ? first : await beginRevisions(path, query);
    access.requireProject(project);
    const { id, projectId, revision, firstRevision } = access.requireEnvironment(state, 'read');
    const newest = Math.min(revision, (query.before ?? Number.MAX_SAFE_INTEGER) - 1);
    const pageIn = ({ changes, isCut }: RevisionsReads['recorded']) => {
      const oldest =
        (isCut ? changes.at(-1)?.revision : undefined) ?? Math.max(firstRevision + 1, newest - query.limit + 1);
      const shown = changes.filter(change => change.revision >= oldest && change.revision <= newest);
      return { oldest, shown, isWhole: shown.length > newest - oldest };
    };
    let page = pageIn(recorded);
    // The records were read in parallel with the state, so a change may have come in between.
    if (!page.isWhole) page = pageIn(await readChangesBefore(path, newest + 1, query.limit));
    if (!page.isWhole) throw new StaleRead(`Environment ${id} lacks records of its changes up to revision ${newest}.`);
    const isLast = newest < page.oldest || page.oldest <= firstRevision + 1;
    return {
      revisions: page.shown.map(change => listed(change, access.isGuestIn(projectId))),
      next: isLast ? null : page.oldest,
    };
  });
}

/** For a guest, the environment that a promotion came from doesn't exist. */
function listed({ changeId: _, digest: __, message, from, ...change }: RecordedChange, isGuest: boolean) {
  const namesOf = (changed: RecordedChange['created']) => changed.map(([key]) => key).sort();
  const { created, updated, deleted } = change;
  const names = { created: namesOf(created), updated: namesOf(updated), deleted: namesOf(deleted) };
  return { ...change, ...(isGuest ? {} : { from }), message: message ?? null, ...names };
}
