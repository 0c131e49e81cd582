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
  const found: { project: string; environment: string; version: number; updatedAt: string; updatedBy: string }[] = [];
  const notReadable: string[] = [];
  const similar = new Set<string>();
  const look = async ({ project, slug }: { project: string; slug: string }) => {
    const { keys } = await client.environment(organization, project, slug).keys({ search: key });
    // The search also finds keys that contain this one.
    const match = keys.find(one => one.key === key);
    for (const one of keys) similar.add(one.key);
    if (match === undefined) return;
    const { version, updatedAt, updatedBy } = match;
    found.push({ project, environment: slug, version, updatedAt, updatedBy: updatedBy.email });
  };
  for (let from = 0; from < places.length; from += atOnce) {
    await Promise.all(
      places.slice(from, from + atOnce).map(place =>
        look(place).catch(error => {
          if (!isRefusal(error)) throw error;
          notReadable.push(`${place.project}/${place.slug}`);
        }),
      ),
    );
  }
  const order = places.map(({ project, slug }) => `${project}/${slug}`);
  const placeOf = (one: { project: string; environment: string }) => order.indexOf(`${one.project}/${one.environment}`);
  found.sort((a, b) => placeOf(a) - placeOf(b));
  notReadable.sort((a, b) => order.indexOf(a) - order.indexOf(b));
  if (output.json) return output.document({ key, found, notReadable });
  if (notReadable.length > 0) output.note(`Not searched, because you may not read them: ${notReadable.join(', ')}.`);
  if (found.length === 0) {
    const names = [...similar].toSorted();
    throw new Failure(exitCodes.notFound, 'secret_not_found', `${key} is set nowhere that you may read.`, {
      details: { similar: names },
      hint:
        names.length === 0
          ? 'Upper and lower case differ. List the keys of an environment: holdfast list'
          : `Keys with such a name: ${someOf(names)} · find one with: holdfast find ${names[0]}`,
    });
  }
  output.table(
    ['PROJECT', 'ENVIRONMENT', 'VERSION', 'UPDATED', 'BY'],
    found.map(one => [one.project, one.environment, String(one.version), output.ago(one.updatedAt), one.updatedBy]),
  );
}

/** The caller may not read the environment, or it was deleted since it was listed. */
const isRefusal = (error: unknown): boolean =>
  error instanceof HoldfastError && !(error instanceof GatewayError) && (error.status === 403 || error.status === 404);
