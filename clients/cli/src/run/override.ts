import type { Environment } from '@holdfast/sdk';
import { type DotenvFlags, readDotenv } from '../dotenv-text.ts';
import { exitCodes, Failure } from '../failure.ts';
import { readIfThere } from '../files.ts';
import type { Session } from '../session.ts';
import { decode } from '../standard-input.ts';

export interface OverrideFlags extends DotenvFlags {
  allowOverride?: boolean;
  offline?: boolean;
}

/**
 * The values of a local file, which win over those of the service.
 * @throws Failure if one of the environments is a production environment and the user did not expect that
 */
export async function readOverrides(
  session: Session,
  environments: readonly Environment[],
  file: string,
  { allowOverride = false, offline = false, ...flags }: OverrideFlags,
): Promise<Map<string, string>> {
  const bytes = readIfThere(file);
  if (bytes === undefined) throw new Failure(exitCodes.notRun, 'file_not_found', `There is no file ${file}.`);
  if (!allowOverride) await requireNoProduction(session, environments, offline);
  return readDotenv(decode(bytes, file), file, { ...flags, outcome: 'the command was not run' });
}

async function requireNoProduction(
  session: Session,
  environments: readonly Environment[],
  offline: boolean,
): Promise<void> {
  const refuse = (why: string) =>
    new Failure(exitCodes.notRun, 'override_refused', `The command was not run: ${why}.`, {
      hint: 'To let the local file win there: --allow-override',
    });
  if (offline) throw refuse('offline, it is unknown whether --override would hide production values');
  const types = await Promise.all(environments.map(environment => typeOf(session, environment)));
  const at = types.indexOf('production');
  const production = environments[at];
  if (production === undefined) return;
  const { organization, project, slug } = production;
  throw refuse(`--override would hide values of ${organization}/${project}/${slug}, which is a production environment`);
}

/** The type decides, not the slug: a production environment may have any name. */
async function typeOf(session: Session, { organization, project, slug }: Environment): Promise<string> {
  const path = { orgId: await session.organizationId(organization), slug: project };
  const answer = await session.request('GET', '/v1/projects/{orgId}/{slug}', { path });
  const environment = answer.project.environments.find(one => one.slug === slug);
  if (environment !== undefined) return environment.type;
  throw new Failure(exitCodes.notFound, 'environment_not_found', `${project} has no environment ${slug}.`, {
    hint: 'List the environments: holdfast envs',
  });
}
