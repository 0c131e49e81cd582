import type { Command } from 'commander';
import { Option } from 'commander';
import { exitCodes, Failure } from '../failure.ts';
import { given } from '../given.ts';
import type { Session } from '../session.ts';
import { checkSlug } from '../settings/settings-file.ts';
import { yesOption } from './options.ts';

const slugOption = () =>
  new Option('--slug <slug>', 'identifier in paths; derived from the name if omitted').argParser((text: string) =>
    checkSlug(text, '--slug'),
  );

export async function listOrganizations(session: Session): Promise<void> {
  const { organizations } = await session.currentUser();
  if (session.output.json) return session.output.document({ organizations });
  session.output.table(
    ['SLUG', 'NAME', 'ROLE', 'PLAN'],
    organizations.map(({ slug, name, role, plan }) => [slug, name, role, plan]),
  );
}

export async function listProjects(session: Session): Promise<void> {
  const path = { orgId: await session.organizationId() };
  const answer = await session.request('GET', '/v1/projects/{orgId}', { path });
  if (session.output.json) return session.output.document(answer);
  session.output.table(
    ['SLUG', 'NAME', 'ENVIRONMENTS'],
    answer.projects.map(({ slug, name, environments }) => [slug, name, environments.map(one => one.slug).join(' ')]),
    'No projects. Create one: holdfast projects create NAME',
  );
}

interface CreateFlags {
  slug?: string;
  description?: string;
  type?: 'development' | 'staging' | 'production';
}

export const createProjectOptions = (command: Command): Command =>
  command
    .argument('<name>', 'name of the project')
    .addOption(slugOption())
    .option('--description <text>', 'description');

export async function createProject(session: Session, name: string, { slug, description }: CreateFlags): Promise<void> {
  const answer = await session.request('POST', '/v1/projects/{orgId}', {
    path: { orgId: await session.organizationId() },
    body: { name, ...given({ slug, description }) },
  });
  if (session.output.json) return session.output.document(answer);
  const { environments } = answer.project;
  session.output.data(`${answer.project.slug}\n`);
  session.output.note(`Created with ${environments.map(one => one.slug).join(', ')}. Use it here: holdfast link`);
}

export async function listEnvironments(session: Session): Promise<void> {
  const { environments } = await session.project();
  if (session.output.json) return session.output.document({ environments });
  session.output.table(
    ['SLUG', 'NAME', 'TYPE', 'REVISION', 'SECRETS'],
    environments.map(one => [one.slug, one.name, one.type, String(one.revision), String(one.secretCount)]),
  );
}

export const createEnvironmentOptions = (command: Command): Command =>
  command
    .argument('<name>', 'name of the environment')
    .addOption(slugOption())
    .addOption(
      new Option('--type <type>', 'type of environment, which decides who may read and change it').choices([
        'development',
        'staging',
        'production',
      ]),
    );

export async function createEnvironment(session: Session, name: string, { slug, type }: CreateFlags): Promise<void> {
  const { project } = await session.place('project');
  const answer = await session.request('POST', '/v1/projects/{orgId}/{slug}/environments', {
    path: { orgId: await session.organizationId(), slug: project },
    body: { name, ...given({ slug, type }) },
  });
  if (session.output.json) session.output.document(answer);
  else session.output.data(`${answer.environment.slug}\n`);
}

export async function listMembers(session: Session): Promise<void> {
  const path = { orgId: await session.organizationId() };
  const answer = await session.request('GET', '/v1/members/{orgId}', { path });
  if (session.output.json) return session.output.document(answer);
  session.output.table(
    ['EMAIL', 'NAME', 'ROLE', 'STATE'],
    [
      ...answer.members.map(({ email, name, role }) => [email, name, role, 'member']),
      ...answer.invitations.map(({ email, role, expiresAt }) => [
        email,
        '',
        role,
        `invited until ${session.output.time(expiresAt)}`,
      ]),
    ],
  );
}

export const leaveOptions = (command: Command): Command => command.addOption(yesOption());

export async function leave(session: Session): Promise<void> {
  const path = { orgId: await session.organizationId() };
  const { organization } = await session.place('organization');
  const { confirms, confirm } = session.terminal;
  if (confirms && !(await confirm(`Leave ${organization}?`))) {
    throw new Failure(exitCodes.other, 'declined', 'Nothing was changed.');
  }
  const answer = await session.request('DELETE', '/v1/members/{orgId}/me', { path });
  if (session.output.json) session.output.document(answer);
  else session.output.note(`You are no longer a member of ${organization}.`);
}

export const inviteOptions = (command: Command): Command =>
  command
    .argument('<email>', 'address to invite')
    .addOption(
      new Option('--role <role>', 'role of the new member')
        .choices(['owner', 'admin', 'developer', 'viewer'])
        .default('developer'),
    );

export async function invite(
  session: Session,
  email: string,
  { role }: { role: 'owner' | 'admin' | 'developer' | 'viewer' },
): Promise<void> {
  const { invitation, mailed } = await session.request('POST', '/v1/members/{orgId}/invite', {
    path: { orgId: await session.organizationId() },
    body: { email, role },
  });
  // The response contains the invitation token, which admits anyone who has it. Only the mail carries it.
  if (session.output.json) session.output.document({ invitation, mailed });
  else if (!mailed) {
    session.output.note(
      `${email} is invited as ${role}, but has had too many invitations by e-mail today. ` +
        'Invite it again tomorrow to send one.',
    );
  } else session.output.note(`${email} is invited as ${role}; the e-mail contains the link.`);
}
