import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { AuditEntry } from '#lib/contracts/audit/entries.ts';
import type { AuditAction } from '#lib/contracts/fields/audit-action.ts';
import type { SecretVersion } from '#lib/contracts/secrets/history.ts';
import { at, find } from '#lib/table/read.ts';
import { environmentStateRecord } from '#lib/table/records/environment.ts';
import { transact, update } from '#lib/table/write.ts';
import { type Api, type Caller, createProject, startApi } from './api.ts';
import { eventually } from './eventually.ts';
import { fresh, shared } from './fixtures.ts';
import { type Person, seedOwner, seedPerson } from './people.ts';
import { join } from './sample-requests.ts';

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

/** A project of a new organization, or of this owner's, with short functions for requests to its environments. */
export async function openWorkplace(api: Api, ownerGiven?: Person) {
  const owner = ownerGiven ?? (await seedOwner());
  const { organization, session } = owner;
  const project = await createProject(api, owner, `Shop ${randomUUID().slice(0, 8)}`);
  const projectPath = `/projects/${organization.id}/${project.slug}`;
  const secrets = `/secrets/${organization.slug}/${project.slug}`;
  const pathTo = (env: string, rest = '') => `${secrets}/${env}${rest}`;
  const post = (path: string, body: object | undefined, { as = session, headers, query = '', ...rest }: Sending = {}) =>
    api.post(`${path}${query}`, body && { ...body, ...rest.body }, as, headers);
  const pull = (env: string, query = '', { as = session, headers }: Sending = {}) =>
    api.get(pathTo(env, query), as, headers);
  const pulled = async (env: string, query: string) => {
    const { status, body } = await pull(env, query);
    if (status !== 200) throw new Error(`The request failed: ${status} ${JSON.stringify(body)}`);
    return body;
  };
  return {
    owner,
    project,
    projectPath,
    at: pathTo,
    /** What an environment's items in the table are named after. */
    pathOf: (env = 'dev') => ({ orgSlug: organization.slug, project: project.slug, env }),
    /** The id of one of the first three environments. */
    environmentId: (env: string) => project.environments.find(({ slug }) => slug === env)?.id as string,
    pull,
    set: (env: string, key: string, value: string, { as = session, headers, query = '', body }: Sending = {}) =>
      api.put(pathTo(env, query), { key, value, ...body }, as, headers),
    importAll: (env: string, given: unknown, options?: Sending) =>
      post(pathTo(env, '/bulk'), typeof given === 'string' ? { dotenv: given } : { secrets: given }, options),
    change: (env: string, body: object, options?: Sending) => post(pathTo(env, '/changes'), body, options),
    remove: (env: string, key: string, { as = session, headers, query = '' }: Sending = {}) =>
      api.delete(pathTo(env, `/${key}${query}`), as, headers),
    bulkDelete: (env: string, keys: readonly string[], options?: Sending) =>
      post(pathTo(env, '/bulk-delete'), { keys }, options),
    restore: (env: string, body: object, options?: Sending) => post(pathTo(env, '/restore'), body, options),
    destroy: (env: string, key: string, body: object, options?: Sending) =>
      post(pathTo(env, `/versions/${key}/destroy`), body, options),
    promote: (body: object, options?: Sending) => post(`${secrets}/promote`, body, options),
    rotateKey: (options?: Sending) => post(`${projectPath}/rotate-key`, undefined, options),
    /** The completed rotation of the data key, as soon as there is one. */
    whenRotated: () =>
      eventually(async () => {
        const { rotation } = (await api.get(projectPath, session)).body.project;
        expect(rotation).toMatchObject({ status: 'completed' });
        return rotation;
      }),
    /** The values of a pull that must succeed, by key. */
    values: async (env: string, query = ''): Promise<Record<string, string>> => {
      const { secrets: shown } = await pulled(env, query);
      return Object.fromEntries(shown.map(({ key, value }: Record<string, string>) => [key, value]));
    },
    /** The key's versions that a request for all values must return, newest first. */
    history: async (env: string, key: string): Promise<SecretVersion[]> =>
      (await pulled(env, `/versions/${key}?values=true`)).versions,
    /** The audit entries of the action, on the project or its environments, newest first. */
    entriesOf: async (action: AuditAction): Promise<AuditEntry[]> => {
      const { entries } = (await api.get(`/audit/${organization.id}?action=${action}`, session)).body;
      return entries.filter(({ target }: AuditEntry) => target.id === project.id);
    },
    member: async (role: 'owner' | 'admin' | 'developer' | 'viewer') => {
      const person = await seedPerson({ name: role });
      await join(api, owner, person, role);
      return person;
    },
  };
}

export type Workplace = Awaited<ReturnType<typeof openWorkplace>>;

/** Lets the next writer take over the change in progress at once, as if its writer had been silent for the lease. */
export async function expireLease(place: Workplace, env: string): Promise<void> {
  const state = at(environmentStateRecord, place.pathOf(env));
  if ((await find(state))?.pending === undefined) return;
  await transact([update(state, { set: { 'pending.abandoned': true } })]);
}
