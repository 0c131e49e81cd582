import { Argument, defineCommand, defineSubcommand, type FlagsOf, Option } from '../define-command.ts';
import { environmentIdOf, isId } from '../evidence/ids.ts';
import { exitCodes, Failure, usage } from '../failure.ts';
import { findMember } from '../find-member.ts';
import { id, integer } from '../options.ts';
import type { Session } from '../session.ts';
import type { GivenFlags } from '../settings/settings.ts';

const defaultMinutes = 60;

const grantOptions = [
  new Option('--access <access>', 'read or change secrets; write does not include reading').choices(['read', 'write']),
  new Option('--minutes <number>', `how long, from 5 minutes to a day (default: ${defaultMinutes})`).argParser(
    integer(5, 1440),
  ),
  new Option('--reason <text>', 'reason, which the audit log and e-mails show'),
] as const;

type GrantFlags = FlagsOf<typeof grantOptions> & GivenFlags;

/** What is given or asked for in the environment in use. @throws Failure without a reason */
async function grantOf(session: Session, { access = 'read', minutes = defaultMinutes, reason, env }: GrantFlags) {
  if (reason === undefined) throw usage('Give a reason, which the audit log shows.', 'Such as: --reason "an incident"');
  return { environmentId: await environmentIdOf(session, env), access, minutes, reason };
}

const give = defineSubcommand({
  name: 'give',
  description: 'give a member access to an environment for a limited time, or grant a request',
  example: 'holdfast grants give alan@example.com --env production --minutes 30 --reason "Payments fail"',
  notes: 'A request is granted as it was sent, by its id.',
  arguments: [new Argument('<who>', 'address of the member, or the id of a request')],
  options: grantOptions,
  run: async (session, who, flags) => {
    const orgId = await session.organizationId();
    const answerRequest = () => {
      if ([flags.access, flags.minutes, flags.reason].some(given => given !== undefined)) {
        throw usage('A request says what it asks for: leave out --access, --minutes and --reason.');
      }
      return session.request('POST', '/v1/grants/{orgId}/requests/{id}/grant', { path: { orgId, id: who } });
    };
    const giveTo = async () => {
      const body = await grantOf(session, flags);
      const path = { orgId, id: (await findMember(session, orgId, who)).id };
      return session.request('POST', '/v1/members/{orgId}/{id}/grants', { path, body });
    };
    const answer = await (isId(who) ? answerRequest() : giveTo());
    if (session.output.json) return session.output.document(answer);
    const { grant } = answer;
    session.output.note(`${grant.email} has ${grant.access} access until ${session.output.time(grant.expiresAt, 2)}.`);
  },
});

const revoke = defineSubcommand({
  name: 'revoke',
  description: 'end a grant at once',
  example: 'holdfast grants revoke d3a91c57-4e06-4f8b-9b2d-71c5e8a0f364',
  arguments: [new Argument('<id>', 'id of the grant, as “holdfast grants” shows it').argParser(id)],
  run: async (session, grantId) => {
    const orgId = await session.organizationId();
    const { grants } = await session.request('GET', '/v1/grants/{orgId}', { path: { orgId } });
    const found = grants.find(grant => grant.id === grantId);
    if (found === undefined) {
      throw new Failure(exitCodes.notFound, 'grant_not_found', 'There is no such grant.', {
        hint: 'List them: holdfast grants',
      });
    }
    const path = { orgId, id: found.memberId, grantId };
    const answer = await session.request('DELETE', '/v1/members/{orgId}/{id}/grants/{grantId}', { path });
    if (session.output.json) return session.output.document(answer);
    session.output.note(`${found.email} no longer has this access.`);
  },
});

const request = defineSubcommand({
  name: 'request',
  description: 'ask for access to an environment for a limited time',
  example: 'holdfast grants request --env production --access write --reason "Rotate the database password"',
  options: grantOptions,
  run: async (session, flags) => {
    const [path, body] = [{ orgId: await session.organizationId() }, await grantOf(session, flags)];
    const answer = await session.request('POST', '/v1/grants/{orgId}/requests', { path, body });
    if (session.output.json) return session.output.document(answer);
    session.output.note(
      `Requested. Those who may grant it are told; it ends ${session.output.time(answer.request.expiresAt, 2)}.`,
    );
  },
});

const refuse = defineSubcommand({
  name: 'refuse',
  description: 'refuse a request',
  example: 'holdfast grants refuse 5e8c2f90-7d41-4a3b-8c6e-19b4d7f0a825',
  arguments: [new Argument('<id>', 'id of the request, as “holdfast grants” shows it').argParser(id)],
  run: async (session, requestId) => {
    const path = { orgId: await session.organizationId(), id: requestId };
    const answer = await session.request('POST', '/v1/grants/{orgId}/requests/{id}/refuse', { path });
    if (session.output.json) return session.output.document(answer);
    session.output.note('Refused.');
  },
});

/** The environments that the caller can list, as `project/environment`, by id. */
async function environmentNames(session: Session, orgId: string): Promise<ReadonlyMap<string, string>> {
  const { projects } = await session.request('GET', '/v1/projects/{orgId}', { path: { orgId } });
  return new Map(
    projects.flatMap(({ slug, environments }) => environments.map(one => [one.id, `${slug}/${one.slug}`])),
  );
}

export default defineCommand({
  name: 'grants',
  heading: 'Organize',
  position: 10,
  description: 'list temporary access to environments, and requests for it',
  example: 'holdfast grants',
  notes: 'Your own, and those of the projects that you manage.',
  subcommands: [give, revoke, request, refuse],
  run: async session => {
    const { output } = session;
    const orgId = await session.organizationId();
    const [answer, names] = await Promise.all([
      session.request('GET', '/v1/grants/{orgId}', { path: { orgId } }),
      output.json ? undefined : environmentNames(session, orgId),
    ]);
    if (output.json) return output.document(answer);
    const nameOf = (environmentId: string) => names?.get(environmentId) ?? environmentId;
    output.table(
      ['ID', 'WHO', 'ENVIRONMENT', 'ACCESS', 'STATE', 'REASON'],
      [
        ...answer.grants.map(one => [
          one.id,
          one.email,
          nameOf(one.environmentId),
          one.access,
          `until ${output.time(one.expiresAt)}`,
          one.reason,
        ]),
        ...answer.requests.map(one => [
          one.id,
          one.email,
          nameOf(one.environmentId),
          one.access,
          `requested for ${one.minutes} minutes`,
          one.reason,
        ]),
      ],
      'Nobody has temporary access or asks for it.',
      ['REASON'],
    );
  },
});
