import { Argument, defineCommand, defineSubcommand, Option } from '../define-command.ts';
import { exitCodes, Failure, usage } from '../failure.ts';
import { yesOption } from '../options.ts';

const invite = defineSubcommand({
  name: 'invite',
  description: 'invite a person by e-mail',
  example: 'holdfast members invite grace@example.com --role developer',
  arguments: [new Argument('<email>', 'address to invite')],
  options: [
    new Option('--role <role>', 'role of the new member')
      .choices(['owner', 'admin', 'developer', 'viewer'])
      .default('developer'),
  ],
  run: async (session, email, { role }) => {
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
  subcommands: [invite, leave],
  run: async session => {
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
  },
});
