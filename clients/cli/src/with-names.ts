import { Failure } from './failure.ts';
import { failureOf, withHint } from './failure-of.ts';
import { namesThere } from './names-there.ts';
import type { Session } from './session.ts';
import { isSlug } from './settings/settings-file.ts';

/**
 * The error of a command. If a project or an environment does not exist, it names those that do: only those that the
 * caller can list.
 * @param words the arguments of the command, which may name environments
 */
export async function withNames(error: unknown, session: Session, words: readonly unknown[]): Promise<unknown> {
  const { code, hint } = failureOf(error);
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
    // Keys, files and values among the arguments are never repeated.
    const slugs = asked.filter(isSlug);
    // `diff 1` means a revision.
    const isRevision = number !== undefined && own !== undefined;
    const there = isRevision ? namesThere(names, [], `Did you mean ${own}@${number}?`) : namesThere(names, slugs, hint);
    return withHint(error, there);
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
