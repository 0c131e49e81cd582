import { GatewayError, HoldfastError } from '@holdfast/sdk';
import { defineCommand } from '../define-command.ts';
import { exitCodes, Failure } from '../failure.ts';
import { keyArgument } from '../options.ts';
import { someOf } from '../printable.ts';
import type { Session } from '../session.ts';

export default defineCommand({
  name: 'find',
  heading: 'Use secrets',
  position: 5,
  description: 'list the projects and environments that have a key',
  example: 'holdfast find DATABASE_URL',
  arguments: [keyArgument],
  run: find,
});

/** Requests at a time. */
const atOnce = 8;

/** Lists where a key is set, from the lists of keys; no value is read. */
async function find(session: Session, key: string): Promise<void> {
  const { output } = session;
  const { organization } = await session.place('organization');
  const client = await session.client();
  const path = { orgId: await session.organizationId() };
  const { projects } = await client.request('GET', '/v1/projects/{orgId}', { path });
  const places = projects.flatMap(project => project.environments.map(({ slug }) => ({ project: project.slug, slug })));
  /** Without `keys` if the caller may not read the environment. */
  const search = async ({ project, slug }: (typeof places)[number]) => {
    try {
      const { keys } = await client.environment(organization, project, slug).keys({ search: key });
      return { project, environment: slug, keys };
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return { project, environment: slug };
    }
  };
  const results: Awaited<ReturnType<typeof search>>[] = [];
  for (let from = 0; from < places.length; from += atOnce) {
    results.push(...(await Promise.all(places.slice(from, from + atOnce).map(search))));
  }
  // The search also returns keys that contain this one.
  const found = results.flatMap(({ project, environment, keys = [] }) =>
    keys
      .filter(secret => secret.key === key)
      .map(({ version, updatedAt, updatedBy }) => ({
        project,
        environment,
        version,
        updatedAt,
        updatedBy: updatedBy.email,
      })),
  );
  const notReadable = results.flatMap(({ project, environment, keys }) =>
    keys === undefined ? [`${project}/${environment}`] : [],
  );
  if (output.json) return output.document({ key, found, notReadable });
  if (notReadable.length > 0) output.note(`Not searched, because you may not read them: ${notReadable.join(', ')}.`);
  if (found.length === 0) {
    const names = [...new Set(results.flatMap(({ keys = [] }) => keys.map(secret => secret.key)))].toSorted();
    throw new Failure(
      exitCodes.notFound,
      'secret_not_found',
      `${key} is not set in any environment that you may read.`,
      {
        details: { similar: names },
        hint:
          names.length === 0
            ? 'Keys are case-sensitive. List the keys of an environment: holdfast list'
            : `Keys with such a name: ${someOf(names)} · find one with: holdfast find ${names[0]}`,
      },
    );
  }
  output.table(
    ['PROJECT', 'ENVIRONMENT', 'VERSION', 'UPDATED', 'BY'],
    found.map(({ project, environment, version, updatedAt, updatedBy }) => [
      project,
      environment,
      String(version),
      output.ago(updatedAt),
      updatedBy,
    ]),
  );
}

/** The caller may not read the environment, or it was deleted since it was listed. */
const isRefusal = (error: unknown): boolean =>
  error instanceof HoldfastError && !(error instanceof GatewayError) && (error.status === 403 || error.status === 404);
