import { auditLog } from '@holdfast/sdk';
import { exitCodes, Failure, usage } from '../failure.ts';
import type { Session } from '../session.ts';

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

export const isId = (text: string): boolean => uuid.test(text);

/** @param asked a slug, or the id of a project that may be deleted */
export async function projectIdOf(session: Session, asked: string): Promise<string> {
  return isId(asked) ? asked : (await session.project()).id;
}

/** @param asked the environment in the flags, if any: as everywhere, or the id of one that may be deleted */
export async function environmentIdOf(session: Session, asked: readonly string[] = []): Promise<string> {
  const [only = '', ...others] = asked;
  if (others.length === 0 && isId(only)) return only;
  const { environment: slug } = await session.place('organization', 'project', 'environment');
  const { environments } = await session.project();
  const found = environments.find(one => one.slug === slug);
  if (found !== undefined) return found.id;
  throw new Failure(exitCodes.notFound, 'environment_not_found', `There is no environment ${slug}.`);
}

/** @param asked an e-mail address, the name of an identity, or an id of either */
export function actorIdOf(session: Session, asked: string): Promise<string> {
  return asked.includes('@') ? personIdOf(session, asked) : identityIdOf(session, asked);
}

/** @param asked an e-mail address, of a member or of somebody who was one, or an id */
export function personIdOf(session: Session, asked: string): Promise<string> {
  return idOf(session, asked, ['member.joined'], async (client, path) => {
    const { members } = await client.request('GET', '/v1/members/{orgId}', { path });
    return members.map(({ userId, email }) => [userId, email]);
  });
}

/** @param asked the name of an identity, also an earlier one or a deleted one's, or an id */
export function identityIdOf(session: Session, asked: string): Promise<string> {
  const actions = ['identity.created', 'identity.updated', 'identity.deleted'] as const;
  return idOf(session, asked, actions, async (client, path) => {
    const { identities } = await client.request('GET', '/v1/identities/{orgId}', { path });
    return identities.map(({ id, name }) => [id, name]);
  });
}

type Client = Awaited<ReturnType<Session['client']>>;
type Action = NonNullable<NonNullable<Parameters<typeof auditLog>[2]>['action']>;

/**
 * @param actions whose entries name the ones that are gone
 * @param listed returns the ids and names of those that are not
 * @throws Failure unless exactly one has had the name
 */
async function idOf(
  session: Session,
  asked: string,
  actions: readonly Action[],
  listed: (client: Client, path: { orgId: string }) => Promise<(readonly [id: string, name: string])[]>,
): Promise<string> {
  if (isId(asked)) return asked;
  const [client, orgId] = [await session.client(), await session.organizationId()];
  const found = new Map<string, string>();
  const note = (id: string | null, name: unknown, when: string) => {
    const isAsked = typeof name === 'string' && name.toLowerCase() === asked.toLowerCase();
    if (isAsked && id !== null && !found.has(id)) found.set(id, when);
  };
  for (const [id, name] of await listed(client, { orgId })) note(id, name, 'today');
  for (const action of [...actions, undefined]) {
    // A name may be in nothing but the entries of what its owner did, so all are read if need be.
    if (action === undefined && found.size > 0) break;
    let requests = 0;
    const onPage = () => {
      requests += 1;
      if (requests > 1) session.output.progress(`Looking for ${asked} in the audit log: ${requests} requests`);
    };
    const query = { limit: 500, ...(action === undefined ? {} : { action }) };
    for await (const { actor, target, details, createdAt } of auditLog(client, orgId, query, { onPage })) {
      note(actor.id, actor.email ?? actor.name, createdAt);
      if (target.type === 'identity') {
        note(target.id, target.name, createdAt);
        note(target.id, (details?.from as { name?: unknown } | null | undefined)?.name, createdAt);
      }
      if (action === undefined && found.size > 0) break;
    }
  }
  session.output.progress('');
  const [only, ...others] = found.keys();
  if (only === undefined) {
    throw new Failure(exitCodes.notFound, 'not_in_log', `The audit log has no entry with ${asked}.`);
  }
  if (others.length === 0) return only;
  const list = [...found].map(([id, when]) => `\n  ${id}  ${when}`).join('');
  throw usage(`${asked} has named several; query each one by its id:${list}`);
}
