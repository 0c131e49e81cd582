import { Failure } from './failure.ts';
import { failureOf } from './failure-of.ts';
import type { Session } from './session.ts';

const mostNames = 20;

/** What an argument must be to name a place: keys, files and values are never repeated. What a service sends, too. */
const slug = /^[a-z0-9][a-z0-9-]{0,47}$/;

/** A hint: "There are dev, staging." and what to do, unless one of them is close to what was asked for. */
export function namesThere(sent: readonly string[], asked: readonly string[], otherwise = ''): string {
  const names = sent.filter(name => slug.test(name));
  const [nearest] = asked.flatMap(word => nearestTo(word, names) ?? []);
  return `${listOf(names)} ${nearest === undefined ? otherwise : `Did you mean ${nearest}?`}`.trim();
}

/** The existing name of which a new one may be a slip or a short form. `dev-ada` beside `dev` is neither. */
export const slipOf = (word: string, names: readonly string[]): string | undefined =>
  nearestTo(
    word,
    names.filter(name => !word.startsWith(name) || word.length - name.length <= 2),
  );

function listOf(names: readonly string[]): string {
  if (names.length === 0) return '';
  const more = names.length > mostNames ? ` and ${names.length - mostNames} more` : '';
  return `There ${names.length === 1 ? 'is' : 'are'} ${names.slice(0, mostNames).join(', ')}${more}.`;
}

function nearestTo(word: string, names: readonly string[]): string | undefined {
  if (names.includes(word)) return undefined;
  const begins = names.filter(name => name.startsWith(word) || word.startsWith(name));
  if (begins[0] !== undefined) return begins[0];
  const near = names
    .map(name => ({ name, edits: editsBetween(word, name) }))
    .filter(({ name, edits }) => edits <= Math.max(1, Math.floor(Math.min(word.length, name.length) / 3)))
    .toSorted((a, b) => a.edits - b.edits);
  return near[0]?.name ?? names.find(name => isAbbreviation(word, name));
}

/** `stg` for `staging`. */
function isAbbreviation(word: string, name: string): boolean {
  let at = -1;
  const isWithin = [...word].every(character => {
    at = name.indexOf(character, at + 1);
    return at !== -1;
  });
  return isWithin && word.length > 1 && word[0] === name[0];
}

/** Levenshtein's distance. */
function editsBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [line, character] of [...a].entries()) {
    const next = [line + 1];
    for (let column = 1; column <= b.length; column += 1) {
      const replaced = (row[column - 1] ?? 0) + (character === b[column - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/**
 * The error of a command. If a project or an environment does not exist, it names those that do: only those that the
 * caller can list.
 * @param words the arguments of the command, which may name environments
 */
export async function withNames(error: unknown, session: Session, words: readonly unknown[]): Promise<unknown> {
  const failure = failureOf(error);
  const { exitCode, code, message, requestId, details, hint } = failure;
  // A failure of the command line itself has said what there is.
  if (error instanceof Failure || (code !== 'project_not_found' && code !== 'environment_not_found')) return error;
  try {
    const { project, environment } = session.settings();
    const isProject = code === 'project_not_found';
    const names = isProject ? await projectsIn(session) : await environmentsIn(session);
    const given = words.flat().filter((word): word is string => typeof word === 'string');
    const environments = [...given.map(word => word.replace(/@\d+$/, '')), environment?.value ?? ''];
    const asked = isProject ? [project?.value ?? ''] : environments;
    const [number] = isProject ? [] : given.filter(word => /^\d{1,9}$/.test(word) && !names.includes(word));
    const own = names.find(name => name === environment?.value) ?? names[0];
    const slugs = asked.filter(word => slug.test(word));
    // `diff 1` means a revision.
    const isRevision = number !== undefined && own !== undefined;
    const there = isRevision ? namesThere(names, [], `Did you mean ${own}@${number}?`) : namesThere(names, slugs, hint);
    return new Failure(exitCode, code, message, { requestId, details, hint: there });
  } catch {
    // Whoever may not list them gets the service's answer as it is.
    return error;
  }
}

async function projectsIn(session: Session): Promise<string[]> {
  const path = { orgId: await session.organizationId() };
  return (await session.request('GET', '/v1/projects/{orgId}', { path })).projects.map(({ slug }) => slug);
}

const environmentsIn = async (session: Session): Promise<string[]> =>
  (await session.project()).environments.map(({ slug }) => slug);
