import type { ProjectRole } from '@holdfast/contracts/fields/project-role.ts';
import { Argument, defineCommand, defineSubcommand, Option } from '../define-command.ts';
import { exitCodes, Failure, usage } from '../failure.ts';
import { findMember } from '../find-member.ts';
import { yesOption } from '../options.ts';
import type { Session } from '../session.ts';

const projectRoles: readonly ProjectRole[] = ['admin', 'developer', 'viewer'];

interface NamedRole {
  project: string;
  role: ProjectRole;
}

function namedRole(text: string, before: NamedRole[] = []): NamedRole[] {
  const [, project, given] = /^([^=]+)=(\w+)$/.exec(text) ?? [];
  const role = projectRoles.find(name => name === given);
  if (project === undefined || role === undefined) {
    throw usage(
      'Expected a project and a role in it, such as web-shop=developer.',
      `Roles: ${projectRoles.join(', ')}`,
    );
  }
  return [...before, { project, role }];
}

const inOption = new Option('--in <project=role>', 'role in one project; repeat it for several').argParser(namedRole);
const limitedOption = new Option('--limited', 'no other project exists for them');

/** The projects' ids, with which requests name them. @throws Failure for a project that isn't there */
async function projectRolesOf(session: Session, named: readonly NamedRole[]) {
  if (named.length === 0) return [];
  const path = { orgId: await session.organizationId() };
  const { projects } = await session.request('GET', '/v1/projects/{orgId}', { path });
  return named.map(({ project, role }) => {
    const projectId = projects.find(({ slug }) => slug === project)?.id;
    if (projectId !== undefined) return { projectId, role };
    throw new Failure(exitCodes.notFound, 'project_not_found', `There is no project ${project}.`, {
      hint: 'List them: holdfast projects',
    });
  });
}

/** Such as `only web-shop: admin`. */
function projectsText({ limited, projectRoles: listed }: Rights): string {
  const roles = listed.map(({ slug, role }) => `${slug}: ${role}`).join(', ');
  if (!limited) return roles;
  return roles === '' ? 'none' : `only ${roles}`;
}

const stateText = ({ via }: { via: 'person' | 'provider' }) =>
  via === 'provider' ? 'member through the provider' : 'member';

interface Rights {
  limited: boolean;
  projectRoles: readonly { slug: string; role: ProjectRole }[];
}

const invite = defineSubcommand({
  name: 'invite',
  description: 'invite a person by e-mail',
  example: 'holdfast members invite grace@example.com --role developer',
  arguments: [new Argument('<email>', 'address to invite')],
  options: [
    new Option('--role <role>', 'role of the new member')
      .choices(['owner', 'admin', 'developer', 'viewer'])
      .default('developer'),
    inOption,
    limitedOption,
  ],
  run: async (session, email, { role, in: named = [], limited = false }) => {
    const { invitation, mailed } = await session.request('POST', '/v1/members/{orgId}/invite', {
      path: { orgId: await session.organizationId() },
      body: { email, role, limited, projectRoles: await projectRolesOf(session, named) },
    });
    // The response contains the invitation token, which admits anyone who has it. Only the mail carries it.
    if (session.output.json) session.output.document({ invitation, mailed });
    else if (!mailed) {
      session.output.note(
        `${email} is invited as ${role}, but has had too many invitations by e-mail today. ` +
          'Invite it again tomorrow to send one.',
      );
    } else session.output.note(`${email} is invited as ${role}; the e-mail contains the link.`);
  },
});

const projects = defineSubcommand({
  name: 'projects',
  description: 'set a member’s roles in projects',
  example: 'holdfast members projects alan@example.com --in web-shop=admin --limited',
  notes: 'Replaces all of the member’s roles in projects. Without an option, it shows them.',
  arguments: [new Argument('<email>', 'address of the member')],
  options: [inOption, limitedOption, new Option('--clear', 'no roles in projects and no limit')],
  run: async (session, email, { in: named = [], limited = false, clear = false }) => {
    const isChange = named.length > 0 || limited;
    if (clear && isChange) throw usage('--clear can’t be combined with --in or --limited.');
    const orgId = await session.organizationId();
    const found = await findMember(session, orgId, email);
    const set = async () =>
      session.request('PUT', '/v1/members/{orgId}/{id}/projects', {
        path: { orgId, id: found.id },
        body: { limited, projectRoles: await projectRolesOf(session, named) },
      });
    const { member } = isChange || clear ? await set() : { member: found };
    if (session.output.json) return session.output.document({ member });
    session.output.note(
      `${member.email} is ${member.role} in the organization; projects: ${projectsText(member) || '–'}`,
    );
  },
});

const leave = defineSubcommand({
  name: 'leave',
  description: 'leave the organization',
  example: 'holdfast members leave --yes',
  options: [yesOption],
  run: async session => {
    const { confirms, confirm, isUnattended } = session.terminal;
    if (isUnattended) {
      const hint = 'Without a terminal, leaving requires --yes.';
      throw usage('Only an owner or admin could invite you again. Nothing was changed.', hint);
    }
    const path = { orgId: await session.organizationId() };
    const { organization } = await session.place('organization');
    if (confirms && !(await confirm(`Leave ${organization}?`))) {
      throw new Failure(exitCodes.other, 'declined', 'Nothing was changed.');
    }
    const answer = await session.request('DELETE', '/v1/members/{orgId}/me', { path });
    if (session.output.json) session.output.document(answer);
    else session.output.note(`You are no longer a member of ${organization}.`);
  },
});

export default defineCommand({
  name: 'members',
  heading: 'Organize',
  position: 4,
  description: 'list the members',
  example: 'holdfast members',
  subcommands: [invite, projects, leave],
  run: async session => {
    const path = { orgId: await session.organizationId() };
    const answer = await session.request('GET', '/v1/members/{orgId}', { path });
    if (session.output.json) return session.output.document(answer);
    session.output.table(
      ['EMAIL', 'NAME', 'ROLE', 'STATE', 'PROJECTS'],
      [
        ...answer.members.map(one => [one.email, one.name, one.role, stateText(one), projectsText(one)]),
        ...answer.invitations.map(one => [
          one.email,
          '',
          one.role,
          `invited until ${session.output.time(one.expiresAt)}`,
          projectsText(one),
        ]),
      ],
    );
  },
});
