import { randomBytes, randomUUID } from 'node:crypto';

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
  /** Requests by kind. */
  requests: Map<string, number>;
  /** Responses that a client should never get. */
  problems: string[];
  /** The service is stopping: from now on a request may get no response. */
  isStopping: boolean;
  /** Requests without a response. */
  unheard: number;
}

interface Place {
  url: string;
  token: string;
  slug: string;
  organizationId: string;
}

export async function call({ url, token }: Pick<Place, 'url' | 'token'>, method: string, path: string, body?: unknown) {
  const response = await fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: whatever the API returns
  return { status: response.status, body: (await response.json()) as any };
}

/** Registers a person with a project that all clients share. */
export async function preparePlace(url: string): Promise<Place> {
  const response = await fetch(`${url}/auth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: `${randomUUID()}@example.com`, password: 'correct horse battery' }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: whatever the API returns
  const { organization } = (await response.json()) as any;
  const [cookie = ''] = response.headers.getSetCookie()[0]?.split(';') ?? [];
  const made = await fetch(`${url}/auth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie, 'x-requested-with': 'service' },
    body: JSON.stringify({ name: 'load' }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: whatever the API returns
  const { token } = (await made.json()) as any;
  const place = { url, token, slug: organization.slug, organizationId: organization.id };
  await call(place, 'POST', `/projects/${organization.id}`, { name: 'Shop', slug: 'shop' });
  for (const slug of addedEnvironments) {
    await call(place, 'POST', `/projects/${organization.id}/shop/environments`, { name: slug, slug });
  }
  return place;
}

const addedEnvironments = ['qa', 'preview', 'demo', 'load', 'europe'];
/** Four clients per key on average: enough for conflicts and retries. */
export const environments = ['dev', 'staging', 'production', ...addedEnvironments];

/**
 * One client, until the service no longer answers: mostly pulls, then sets and deletions of a few shared keys, imports,
 * lists, histories, audit pages, and sometimes a project that is created and deleted.
 */
export async function runClient(place: Place, number: number, tally: Tally): Promise<void> {
  const path = (env: string) => `/secrets/${place.slug}/shop/${env}`;
  for (let turn = 0; ; turn += 1) {
    const env = environments[(number + turn) % environments.length] as string;
    const key = `KEY_${(number * 7 + turn * 3) % 40}`;
    const dice = (number * 13 + turn * 29) % 100;
    try {
      if (dice < 55) await expected(tally, 'pull', call(place, 'GET', path(env)), 200);
      else if (dice < 80) {
        const value = randomBytes(100).toString('hex');
        const { body } = await expected(tally, 'set', call(place, 'PUT', path(env), { key, value }), 200, 201);
        if (body?.changed) {
          tally.accepted.push({ env, key, version: body.secret.version, revision: body.revision, value });
        }
      } else if (dice < 84) {
        await expected(tally, 'delete', call(place, 'DELETE', `${path(env)}/${key}`), 200, 404);
      } else if (dice < 88) {
        const secrets = Object.fromEntries(
          Array.from({ length: 10 }, (_, index) => [`KEY_${index}`, `${number} ${turn}`]),
        );
        await expected(tally, 'import', call(place, 'POST', `${path(env)}/bulk`, { secrets }), 200);
      } else if (dice < 92) {
        await expected(tally, 'keys', call(place, 'GET', `${path(env)}/keys?limit=10`), 200);
      } else if (dice < 95) {
        await expected(tally, 'history', call(place, 'GET', `${path(env)}/versions/${key}`), 200, 404);
      } else if (dice < 98) {
        await expected(tally, 'audit', call(place, 'GET', `/audit/${place.organizationId}`), 200);
      } else {
        const name = `p-${number}-${turn}`;
        const projects = `/projects/${place.organizationId}`;
        // The plan allows ten at once.
        const made = await expected(tally, 'project', call(place, 'POST', projects, { name, slug: name }), 201, 402);
        if (made.status === 201) await expected(tally, 'project', call(place, 'DELETE', `${projects}/${name}`), 200);
      }
    } catch {
      // Without a response, the outcome is unknown.
      tally.unheard += 1;
      if (!tally.isStopping) tally.problems.push(`client ${number} had no answer while the service was up`);
      return;
    }
  }
}

async function expected(
  tally: Tally,
  what: string,
  answer: ReturnType<typeof call>,
  ...statuses: number[]
): ReturnType<typeof call> {
  const got = await answer;
  tally.requests.set(what, (tally.requests.get(what) ?? 0) + 1);
  if (!statuses.includes(got.status)) {
    tally.problems.push(`${what} was answered ${got.status}: ${JSON.stringify(got.body)}`);
  }
  return got;
}

/** Confirmed changes that are missing from the history or differ there. */
export async function lostChanges(place: Place, accepted: readonly Accepted[]): Promise<string[]> {
  const lost: string[] = [];
  const histories = new Map<string, Map<number, { revision: number; value?: string }>>();
  for (const { env, key } of accepted) {
    const name = `${env} ${key}`;
    if (histories.has(name)) continue;
    const { body } = await call(place, 'GET', `/secrets/${place.slug}/shop/${env}/versions/${key}?values=true`);
    histories.set(
      name,
      new Map(
        (body.versions as { version: number; revision: number; value?: string }[]).map(one => [one.version, one]),
      ),
    );
  }
  for (const { env, key, version, revision, value } of accepted) {
    const found = histories.get(`${env} ${key}`)?.get(version);
    if (found?.revision !== revision || found.value !== value) {
      lost.push(`${env} ${key} version ${version} of revision ${revision}`);
    }
  }
  return lost;
}
