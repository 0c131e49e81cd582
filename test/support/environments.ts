import { randomUUID } from 'node:crypto';
import { at, find } from '#lib/table/read.ts';
import { environmentStateRecord } from '#lib/table/records/environment.ts';
import { transact, update } from '#lib/table/write.ts';
import { type Api, type Caller, createProject } from './api.ts';
import { type Person, seedOwner, seedPerson } from './people.ts';
import { expectStatus, join } from './sample-requests.ts';

interface Sending {
  as?: Caller;
  headers?: Record<string, string>;
}

/** A project of a new organization, with short functions for requests to its environments. */
export async function openWorkplace(api: Api, ownerGiven?: Person) {
  const owner = ownerGiven ?? (await seedOwner());
  const project: { id: string; slug: string } = await createProject(api, owner, `Shop ${randomUUID().slice(0, 8)}`);
  /** Path of an environment's secrets. */
  const pathOf = (env: string, rest = '') => `/secrets/${owner.organization.slug}/${project.slug}/${env}${rest}`;
  const pull = (env: string, query = '', { as = owner.session, headers }: Sending = {}) =>
    api.get(pathOf(env, query), as, headers);
  return {
    owner,
    project,
    at: pathOf,
    pull,
    set: (env: string, key: string, value: string, { as = owner.session, headers }: Sending = {}) =>
      api.put(pathOf(env), { key, value }, as, headers),
    importAll: (env: string, secrets: unknown, { as = owner.session, headers }: Sending = {}) =>
      api.post(pathOf(env, '/bulk'), typeof secrets === 'string' ? { dotenv: secrets } : { secrets }, as, headers),
    /** The values of a pull that must succeed, by key. */
    values: async (env: string): Promise<Record<string, string>> => {
      const answer = await expectStatus(pull(env), 200);
      return Object.fromEntries(answer.body.secrets.map(({ key, value }: Record<string, string>) => [key, value]));
    },
    /** Another member of the organization, with that role. */
    member: async (role: 'owner' | 'admin' | 'developer' | 'viewer'): Promise<Person> => {
      const person = await seedPerson({ name: role });
      await join(api, owner, person, role);
      return person;
    },
  };
}

export type Workplace = Awaited<ReturnType<typeof openWorkplace>>;

/** Lets the next writer take over the change in progress at once, as if its writer had been silent for the lease. */
export async function expireLease({ owner, project }: Workplace, env: string): Promise<void> {
  const state = at(environmentStateRecord, { orgSlug: owner.organization.slug, project: project.slug, env });
  if ((await find(state))?.pending === undefined) return;
  await transact([update(state, { set: { 'pending.abandoned': true } })]);
}
