import { randomBytes } from 'node:crypto';
import { type Answer, type Client, clientOf, createProject, createToken } from '../support/api.ts';
import { numbered } from '../support/numbered.ts';
import { registerPerson } from '../support/people.ts';
import { expectStatus } from '../support/sample-requests.ts';

/** A change that the service confirmed. */
export interface Accepted {
  env: string;
  key: string;
  version: number;
  revision: number;
  value: string;
}

export interface Tally {
  accepted: Accepted[];
  requests: Map<string, number>;
  /** Responses that a client should never get. */
  problems: string[];
  /** The service is stopping: from now on a request may get no response. */
  isStopping: boolean;
  unheard: number;
}

interface Place {
  api: Client;
  as: { token: string };
  slug: string;
  organizationId: string;
}

export async function preparePlace(url: string): Promise<Place> {
  const api = clientOf(url);
  const person = await registerPerson(api);
  const { id: organizationId, slug } = person.organization;
  const as = await createToken(api, person);
  await createProject(api, person);
  for (const added of addedEnvironments) {
    const body = { name: added, slug: added };
    await expectStatus(api.post(`/projects/${organizationId}/shop/environments`, body, as), 201);
  }
  return { api, as, slug, organizationId };
}

const addedEnvironments = ['qa', 'preview', 'demo', 'load', 'europe'];
/** Four clients per key on average: enough for conflicts and retries. */
export const environments = ['dev', 'staging', 'production', ...addedEnvironments];

/** One client, until the service no longer answers: mostly pulls, then changes of shared keys, lists and projects. */
export async function runClient(place: Place, number: number, tally: Tally): Promise<void> {
  const { api, as, slug, organizationId } = place;
  const path = (env: string) => `/secrets/${slug}/shop/${env}`;
  for (let turn = 0; ; turn += 1) {
    const env = environments[(number + turn) % environments.length] as string;
    const key = `KEY_${(number * 7 + turn * 3) % 40}`;
    const dice = (number * 13 + turn * 29) % 100;
    try {
      if (dice < 55) await expected(tally, 'pull', api.get(path(env), as), 200);
      else if (dice < 80) {
        const value = randomBytes(100).toString('hex');
        const { body } = await expected(tally, 'set', api.put(path(env), { key, value }, as), 200, 201);
        if (body?.changed) {
          tally.accepted.push({ env, key, version: body.secret.version, revision: body.revision, value });
        }
      } else if (dice < 84) await expected(tally, 'delete', api.delete(`${path(env)}/${key}`, as), 200, 404);
      else if (dice < 88) {
        const secrets = numbered(10, `${number} ${turn}`, 'KEY_');
        await expected(tally, 'import', api.post(`${path(env)}/bulk`, { secrets }, as), 200);
      } else if (dice < 92) await expected(tally, 'keys', api.get(`${path(env)}/keys?limit=10`, as), 200);
      else if (dice < 95) await expected(tally, 'history', api.get(`${path(env)}/versions/${key}`, as), 200, 404);
      else if (dice < 98) await expected(tally, 'audit', api.get(`/audit/${organizationId}`, as), 200);
      else {
        const name = `p-${number}-${turn}`;
        const projects = `/projects/${organizationId}`;
        // The plan allows ten at once.
        const created = await expected(tally, 'project', api.post(projects, { name, slug: name }, as), 201, 402);
        if (created.status === 201) await expected(tally, 'project', api.delete(`${projects}/${name}`, as), 200);
      }
    } catch {
      // Without a response, the outcome is unknown.
      tally.unheard += 1;
      if (!tally.isStopping) tally.problems.push(`client ${number} had no answer while the service was up`);
      return;
    }
  }
}

async function expected(tally: Tally, what: string, answer: Promise<Answer>, ...statuses: number[]): Promise<Answer> {
  const received = await answer;
  tally.requests.set(what, (tally.requests.get(what) ?? 0) + 1);
  if (!statuses.includes(received.status)) {
    tally.problems.push(`${what} was answered ${received.status}: ${JSON.stringify(received.body)}`);
  }
  return received;
}

/** Confirmed changes that are missing from the history or differ there. */
export async function lostChanges({ api, as, slug }: Place, accepted: readonly Accepted[]): Promise<string[]> {
  const lost: string[] = [];
  for (const [path, changes] of Map.groupBy(accepted, ({ env, key }) => `${env}/versions/${key}`)) {
    const { body } = await api.get(`/secrets/${slug}/shop/${path}?values=true`, as);
    const versions = body.versions as Pick<Accepted, 'version' | 'revision' | 'value'>[];
    for (const { env, key, version, revision, value } of changes) {
      const stored = versions.find(entry => entry.version === version);
      if (stored?.revision !== revision || stored.value !== value) {
        lost.push(`${env} ${key} version ${version} of revision ${revision}`);
      }
    }
  }
  return lost;
}
