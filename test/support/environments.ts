import { randomUUID } from 'node:crypto';
import { at, find } from '#lib/table/read.ts';
import { environmentStateRecord } from '#lib/table/records/environment.ts';
import { transact, update } from '#lib/table/write.ts';
import { type Answer, type Api, type Caller, createProject } from './api.ts';
import { type Person, seedOwner, seedPerson } from './people.ts';
import { join } from './sample-requests.ts';

/** A project of a new organization, with short functions for requests to its environments. */
export interface Workplace {
  owner: Person;
  project: { id: string; slug: string };
  /** Path of an environment's secrets. */
  at(env: string, rest?: string): string;
  set(env: string, key: string, value: string, options?: Sending): Promise<Answer>;
  importAll(env: string, secrets: unknown, options?: Sending): Promise<Answer>;
  pull(env: string, query?: string, options?: Sending): Promise<Answer>;
  /** The values of a pull that must succeed, by key. */
  values(env: string): Promise<Record<string, string>>;
  /** Another member of the organization, with that role. */
  member(role: 'owner' | 'admin' | 'developer' | 'viewer'): Promise<Person>;
}

interface Sending {
  as?: Caller;
  headers?: Record<string, string>;
}

export async function openWorkplace(api: Api, ownerGiven?: Person): Promise<Workplace> {
  const owner = ownerGiven ?? (await seedOwner());
  const project = await createProject(api, owner, `Shop ${randomUUID().slice(0, 8)}`);
  const pathOf = (env: string, rest = '') => `/secrets/${owner.organization.slug}/${project.slug}/${env}${rest}`;
  const pull: Workplace['pull'] = (env, query = '', { as = owner.session, headers } = {}) =>
    api.get(pathOf(env, query), as, headers);
  return {
    owner,
    project,
    at: pathOf,
    pull,
    set: (env, key, value, { as = owner.session, headers } = {}) => api.put(pathOf(env), { key, value }, as, headers),
    importAll: (env, secrets, { as = owner.session, headers } = {}) =>
      api.post(pathOf(env, '/bulk'), typeof secrets === 'string' ? { dotenv: secrets } : { secrets }, as, headers),
    values: async env => {
      const answer = await pull(env);
      if (answer.status !== 200) throw new Error(`The pull failed: ${answer.status} ${JSON.stringify(answer.body)}`);
      return Object.fromEntries(answer.body.secrets.map(({ key, value }: Record<string, string>) => [key, value]));
    },
    member: async role => {
      const person = await seedPerson({ name: role });
      await join(api, owner, person, role);
      return person;
    },
  };
}

/** Lets the next writer take over the change in progress at once, as if its writer had been silent for the lease. */
export async function expireLease({ owner, project }: Workplace, env: string): Promise<void> {
  const state = at(environmentStateRecord, { orgSlug: owner.organization.slug, project: project.slug, env });
  if ((await find(state))?.pending === undefined) return;
  await transact([update(state, { set: { 'pending.abandoned': true } })]);
}
