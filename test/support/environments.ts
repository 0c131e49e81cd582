import { randomUUID } from 'node:crypto';
import type { AuditEntry } from '#lib/contracts/audit/entries.ts';
import type { AuditAction } from '#lib/contracts/fields/audit-action.ts';
import type { SecretVersion } from '#lib/contracts/secrets/history.ts';
import type { EnvironmentPath } from '#lib/table/keys.ts';
import { at, find } from '#lib/table/read.ts';
import { environmentStateRecord } from '#lib/table/records/environment.ts';
import { transact, update } from '#lib/table/write.ts';
import { type Answer, type Api, type Caller, createProject, startApi } from './api.ts';
import { fresh, shared } from './fixtures.ts';
import { type Person, seedOwner, seedPerson } from './people.ts';
import { join } from './sample-requests.ts';

/** A project of a new organization, with short functions for requests to its environments. */
export interface Workplace {
  owner: Person;
  project: { id: string; slug: string };
  /** Path of the project. */
  projectPath: string;
  /** Path of an environment's secrets. */
  at(env: string, rest?: string): string;
  /** What an environment's items in the table are named after. */
  pathOf(env?: string): EnvironmentPath;
  set(env: string, key: string, value: string, options?: Sending): Promise<Answer>;
  importAll(env: string, secrets: unknown, options?: Sending): Promise<Answer>;
  /** Sets and deletions as one change. */
  change(env: string, body: object, options?: Sending): Promise<Answer>;
  remove(env: string, key: string, options?: Sending): Promise<Answer>;
  bulkDelete(env: string, keys: readonly string[], options?: Sending): Promise<Answer>;
  restore(env: string, body: object, options?: Sending): Promise<Answer>;
  destroy(env: string, key: string, body: object, options?: Sending): Promise<Answer>;
  /** With `from` and `to`. */
  promote(body: object, options?: Sending): Promise<Answer>;
  rotateKey(options?: Sending): Promise<Answer>;
  pull(env: string, query?: string, options?: Sending): Promise<Answer>;
  /** The values of a pull that must succeed, by key. */
  values(env: string, query?: string): Promise<Record<string, string>>;
  /** The key's versions that a request for all values must return, newest first. */
  history(env: string, key: string): Promise<SecretVersion[]>;
  /** The audit entries of the action, on the project or its environments, newest first. */
  entriesOf(action: AuditAction): Promise<AuditEntry[]>;
  /** Another member of the organization, with that role. */
  member(role: 'owner' | 'admin' | 'developer' | 'viewer'): Promise<Person>;
}

interface Sending {
  as?: Caller;
  headers?: Record<string, string>;
  /** Added to the path, for a dry run. */
  query?: string;
  /** Added to the body, such as a message. */
  body?: object;
}

/** The service with one owner of all projects, and a new project for each test around the call. */
export function useWorkplace(start: () => Promise<Api> = startApi): { api: Api; owner: Person; place: Workplace } {
  const api = shared(start);
  const owner = shared(seedOwner);
  return { api, owner, place: fresh(() => openWorkplace(api, owner)) };
}

export async function openWorkplace(api: Api, ownerGiven?: Person): Promise<Workplace> {
  const owner = ownerGiven ?? (await seedOwner());
  const { organization, session } = owner;
  const project = await createProject(api, owner, `Shop ${randomUUID().slice(0, 8)}`);
  const projectPath = `/projects/${organization.id}/${project.slug}`;
  const secrets = `/secrets/${organization.slug}/${project.slug}`;
  const pathOf = (env: string, rest = '') => `${secrets}/${env}${rest}`;
  const post = (path: string, body: object | undefined, { as = session, headers, query = '', ...rest }: Sending = {}) =>
    api.post(`${path}${query}`, body && { ...body, ...rest.body }, as, headers);
  const pull: Workplace['pull'] = (env, query = '', { as = session, headers } = {}) =>
    api.get(pathOf(env, query), as, headers);
  const pulled = async (env: string, query: string) => {
    const { status, body } = await pull(env, query);
    if (status !== 200) throw new Error(`The request failed: ${status} ${JSON.stringify(body)}`);
    return body;
  };
  return {
    owner,
    project,
    projectPath,
    at: pathOf,
    pathOf: (env = 'dev') => ({ orgSlug: organization.slug, project: project.slug, env }),
    pull,
    set: (env, key, value, { as = session, headers, query = '', body } = {}) =>
      api.put(pathOf(env, query), { key, value, ...body }, as, headers),
    importAll: (env, given, options) =>
      post(pathOf(env, '/bulk'), typeof given === 'string' ? { dotenv: given } : { secrets: given }, options),
    change: (env, body, options) => post(pathOf(env, '/changes'), body, options),
    remove: (env, key, { as = session, headers, query = '' } = {}) =>
      api.delete(pathOf(env, `/${key}${query}`), as, headers),
    bulkDelete: (env, keys, options) => post(pathOf(env, '/bulk-delete'), { keys }, options),
    restore: (env, body, options) => post(pathOf(env, '/restore'), body, options),
    destroy: (env, key, body, options) => post(pathOf(env, `/versions/${key}/destroy`), body, options),
    promote: (body, options) => post(`${secrets}/promote`, body, options),
    rotateKey: options => post(`${projectPath}/rotate-key`, undefined, options),
    values: async (env, query = '') => {
      const { secrets: shown } = await pulled(env, query);
      return Object.fromEntries(shown.map(({ key, value }: Record<string, string>) => [key, value]));
    },
    history: async (env, key) => (await pulled(env, `/versions/${key}?values=true`)).versions,
    entriesOf: async action => {
      const { entries } = (await api.get(`/audit/${organization.id}?action=${action}`, session)).body;
      return entries.filter(({ target }: AuditEntry) => target.id === project.id);
    },
    member: async role => {
      const person = await seedPerson({ name: role });
      await join(api, owner, person, role);
      return person;
    },
  };
}

/** Lets the next writer take over the change in progress at once, as if its writer had been silent for the lease. */
export async function expireLease(place: Workplace, env: string): Promise<void> {
  const state = at(environmentStateRecord, place.pathOf(env));
  if ((await find(state))?.pending === undefined) return;
  await transact([update(state, { set: { 'pending.abandoned': true } })]);
}
