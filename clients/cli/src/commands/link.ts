import { basename } from 'node:path';
import { HoldfastError } from '@holdfast/sdk';
import { Argument, defineCommand, Option } from '../define-command.ts';
import { exitCodes, Failure, usage } from '../failure.ts';
import { failureOf } from '../failure-of.ts';
import { namesThere, slipOf } from '../names-there.ts';
import { yesOption } from '../options.ts';
import type { Project } from '../place.ts';
import { openSession, type Session } from '../session.ts';
import type { GivenFlags } from '../settings/settings.ts';
import { checkSlug, nameOf, type Place, placeOf, writeProjectFile } from '../settings/settings-file.ts';
import { slugOf } from '../slug.ts';

interface LinkFlags extends GivenFlags {
  create?: boolean;
  yes?: boolean;
}

export default defineCommand({
  name: 'link',
  heading: 'Sign in',
  position: 5,
  description: 'link this directory to an environment',
  example: 'holdfast link acme/web-shop/dev',
  arguments: [new Argument('[place]', 'organization/project/environment; prompted for if omitted')],
  options: [
    new Option(
      '--create',
      'create what is missing; without a place, the project in use or one named after this directory',
    ),
    yesOption,
  ],
  run: link,
});

/** Writes `.holdfast.json` here, after checking that the environment exists. */
async function link(session: Session, text: string | undefined, flags: LinkFlags): Promise<void> {
  const { output } = session;
  const chosen = await choose(session, text === undefined ? undefined : placeOf(text, 'The place'), flags);
  // Whoever clones the repository gets it. It is never sent a token that was not stored for it.
  const linked = { ...chosen, url: session.url() };
  const path = writeProjectFile(process.cwd(), linked);
  if (output.json) output.document({ path, ...linked });
  else
    output.note(
      `${path} names ${nameOf(chosen)}. It contains no secrets, so you can commit it.\nNext: holdfast push .env, or holdfast run -- COMMAND`,
    );
}

async function choose(session: Session, named: Place | undefined, flags: LinkFlags): Promise<Place> {
  const { output, terminal } = session;
  if (named !== undefined) {
    const { organization: org, project: own, environment } = named;
    const inside = openSession({ ...flags, org, project: own, env: [environment] }, output, terminal);
    let isNew = false;
    const project = await inside.project().catch(async error => {
      if (!(error instanceof HoldfastError) || error.code !== 'project_not_found') throw error;
      if (!flags.create) await requireConsent(session, error, named);
      isNew = true;
      return await createProject(inside, named.project);
    });
    await requireEnvironment(inside, project, named, { ...flags, isNew });
    return named;
  }
  if (flags.create) return await linkOwnProject(session, flags);
  try {
    const place = await session.place('organization', 'project', 'environment');
    await requireEnvironment(session, await session.project(), place, flags);
    return place;
  } catch (error) {
    const isFirst = error instanceof Failure && error.code === 'project_not_found';
    if (!isFirst || terminal.isUnattended) throw error;
    return await linkOwnProject(session, flags);
  }
}

/** The project that is named after this directory, which is created if it does not exist. */
async function linkOwnProject(session: Session, flags: LinkFlags): Promise<Place> {
  const { terminal } = session;
  const settings = session.settings();
  const own = settings.project?.value ?? slugOf(basename(process.cwd()));
  const organization = await organizationOf(session, own || 'NAME', flags);
  const asks = terminal.confirms && !flags.create;
  const answer = asks
    ? (await terminal.ask(`${organization} has no project. Name of the first one${own && ` [${own}]`}: `)).trim()
    : '';
  const name = answer || own;
  const slug = slugOf(name);
  const place = (project: string) => ({ organization, project, environment: settings.environment?.value ?? 'dev' });
  if (slug === '') {
    const hint = `Name one: holdfast link ${nameOf(place('NAME'))} --create`;
    throw usage('The name has no letter or digit that a project’s identifier could have.', hint);
  }
  const existing = (await projectsOf(session)).find(one => one.slug === slug);
  if (existing !== undefined) {
    const isNamed = settings.project !== undefined || answer !== '';
    if (!isNamed) await requireJoining(session, place(slug));
    session.output.note(`The project ${slug} exists already.`);
  }
  const project = existing ?? (await createProject(session, name, slug));
  const environment = settings.environment?.value ?? project.environments[0]?.slug ?? 'dev';
  const chosen = { organization, project: project.slug, environment };
  await requireEnvironment(session, project, chosen, { ...flags, isNew: existing === undefined });
  return chosen;
}

/** Lines pasted after `link --create` would answer a question, so it asks none. */
async function organizationOf(session: Session, project: string, { create }: LinkFlags): Promise<string> {
  const { organization, environment } = session.settings();
  const isGiven = organization !== undefined || (await session.credential()).identity !== undefined;
  if (create && !isGiven) {
    const { organizations, authentication } = await session.currentUser();
    if (organizations.length > 1 && authentication.token?.organizationId == null) {
      const slugs = organizations.map(({ slug }) => slug);
      const hint = `holdfast link ORG/${project}/${environment?.value ?? 'dev'} --create`;
      throw usage('You are in several organizations.', namesThere(slugs, [], `Name one: ${hint}`));
    }
  }
  return (await session.place('organization')).organization;
}

/**
 * A directory of the same name elsewhere may be the origin of the project, and a push would overwrite its secrets.
 * @throws Failure unless somebody agrees
 */
async function requireJoining({ terminal }: Session, place: Place): Promise<void> {
  const problem = `There is a project ${place.project} in ${place.organization} already.`;
  if (terminal.confirms && (await terminal.confirm(`${problem} Link this directory to it?`))) return;
  const other = nameOf({ ...place, project: 'NAME' });
  const hint = `To use it: holdfast link ${nameOf(place)} · for a new one: holdfast link ${other} --create`;
  throw new Failure(exitCodes.conflict, 'project_exists', `${problem} Nothing was changed.`, { hint });
}

/** @throws Failure that names `--create`, unless somebody agrees to create the project */
async function requireConsent({ terminal }: Session, error: unknown, place: Place): Promise<void> {
  const problem = `${place.organization} has no project ${place.project}`;
  if (!terminal.isUnattended && (await terminal.confirm(`${problem}. Create it?`))) return;
  const { exitCode, code, requestId, details } = failureOf(error);
  const hint = `Create it: holdfast link ${nameOf(place)} --create`;
  throw new Failure(exitCode, code, `${problem}.`, { requestId, details, hint });
}

/** @throws Failure that names the environments of the project, unless this one may be created */
async function requireEnvironment(
  session: Session,
  project: Project,
  place: Place,
  { create, isNew }: LinkFlags & { isNew?: boolean },
): Promise<void> {
  const { environment: slug } = place;
  const slugs = project.environments.map(one => one.slug);
  if (slugs.includes(slug)) return;
  if (!create) {
    const hint = namesThere(slugs, [slug], `Create it: holdfast link ${nameOf(place)} --create`);
    const problem = `${place.project} has no environment ${slug}.`;
    throw new Failure(exitCodes.notFound, 'environment_not_found', problem, { hint });
  }
  const near = isNew ? undefined : slipOf(slug, slugs);
  if (near !== undefined) {
    const { organization: org } = place;
    const hint = `Did you mean ${near}? If not: holdfast envs create ${slug} --org ${org} --project ${project.slug}`;
    const problem = `${project.slug} has no environment ${slug}, but ${near}. Nothing was changed.`;
    throw new Failure(exitCodes.notFound, 'environment_not_found', problem, { hint });
  }
  const path = { orgId: await session.organizationId(), slug: project.slug };
  await session.request('POST', '/v1/projects/{orgId}/{slug}/environments', { path, body: { name: slug, slug } });
  session.output.note(`Created the environment ${slug}.`);
}

async function projectsOf(session: Session): Promise<Project[]> {
  const path = { orgId: await session.organizationId() };
  return (await session.request('GET', '/v1/projects/{orgId}', { path })).projects;
}

async function createProject(session: Session, name: string, slug = name): Promise<Project> {
  const path = { orgId: await session.organizationId() };
  const { project } = await session.request('POST', '/v1/projects/{orgId}', { path, body: { name, slug } });
  checkSlug(project.slug, 'The service’s project');
  session.output.note(`Created the project ${project.slug} with ${slugsOf(project)}.`);
  return project;
}

const slugsOf = ({ environments }: Project): string => environments.map(({ slug }) => slug).join(', ');
