import { beforeAll, describe, expect, it } from 'vitest';
import type { Contract } from '#lib/contracts/contract.ts';
import { parameterNames } from '#lib/contracts/path-parameters.ts';
import { routes } from '#lib/contracts/routes.ts';
import { type Answer, type Caller, createToken, startApi } from '#test/support/api.ts';
import { openWorkplace, type Workplace } from '#test/support/environments.ts';
import { shared } from '#test/support/fixtures.ts';

/*
 * Two services differ only in the values of production; the requests guess those of the first. A caller who may write
 * but not read it gets the same response from both, except for ids and times, to every request built from a contract.
 */

/** Every route whose response depends on who may read or write an environment. */
const routesOfSecrets = routes.filter(({ access }) => access.kind === 'member' && access.environmentRule !== undefined);
const guesses = { DATABASE_HOST: 'db.internal.example', LOG_LEVEL: 'info', REGION: 'eu' };
const keys = Object.keys(guesses);
/** The values of production in each of the two services, by revision. */
const past: Record<'guessed' | 'unguessed', Record<string, string>[]> = {
  guessed: [{ ...guesses, GONE: 'x' }, { ...guesses, DATABASE_HOST: 'another', GONE: 'x' }, guesses],
  unguessed: [1, 2, 3].map(life => {
    const names = life === 3 ? keys : [...keys, 'GONE'];
    return Object.fromEntries(names.map((key, index) => [key, `${life}${key}`.repeat(3 + 7 * index * life)]));
  }),
};

interface Service {
  place: Workplace;
  values: Record<string, string>[];
  ids: Record<string, string>;
  callers: Record<string, Caller>;
}

const api = shared(() => startApi({ LOG_LEVEL: 'SILENT', REQUESTS_PER_MINUTE: '-1' }));
let services: [Service, Service];

async function build(values: Record<string, string>[]): Promise<Service> {
  const place = await openWorkplace(api);
  const developer = await place.member('developer');
  const { organization } = place.owner;
  const path = `/projects/${organization.id}/${place.project.slug}`;
  const { environments } = (await api.get(path, place.owner.session)).body.project;
  const slugged = Object.fromEntries(environments.map(({ id, slug }: Record<string, string>) => [slug, id]));
  for (const env of ['dev', 'staging']) expect((await place.importAll(env, guesses)).status).toBe(200);
  const limited = { organizationId: organization.id, projectId: place.project.id, environmentId: slugged.production };
  const service = {
    place,
    values,
    ids: { [organization.slug]: 'organization', [place.project.slug]: 'project' },
    callers: {
      owner: place.owner.session,
      developer: developer.session,
      'developer: token for production': await createToken(api, developer, { ...limited, access: 'write' }),
    },
  };
  for (const one of values) await put(service, one);
  return service;
}

/** Sets production to exactly these values, each as a new version. */
async function put({ place }: Service, values: Record<string, string>): Promise<void> {
  const blank = Object.fromEntries(Object.keys(values).map(key => [key, 'nothing that is there']));
  for (const secrets of [blank, values]) expect((await place.importAll('production', secrets)).status).toBe(200);
  const there = Object.keys(await place.values('production')).filter(key => values[key] === undefined);
  if (there.length === 0) return;
  expect((await place.bulkDelete('production', there)).status).toBe(200);
}

beforeAll(async () => {
  services = [await build(past.guessed), await build(past.unguessed)];
});

interface Request {
  method: string;
  path: string;
  query: Record<string, string>;
  headers: Record<string, string>;
  body: unknown;
}

interface Shape {
  [name: string]: { safeParse(value: unknown): { success: boolean } };
}
const shapeOf = (schema: unknown): Shape => (schema as { shape?: Shape } | undefined)?.shape ?? {};

/** Values to try for every parameter, header and body member, filtered by its schema. */
const texts = ['true', '1', '4', '99', 'dev', 'production', 'DATABASE_HOST', 'DATABASE_HOST,GONE'];
const tags = ['"2"', '"8"', '*'];
const things = [guesses.DATABASE_HOST, 'a wrong guess', 'GONE', true, false, 0, 1, 4, keys, ['GONE'], ['NEVER']];
const sets = [{ DATABASE_HOST: guesses.DATABASE_HOST }, { ...guesses, NEW: 'new' }, { LOG_LEVEL: 'a wrong guess' }];
const lists = sets.map(one => Object.entries(one).map(([key, value]) => ({ key, value, expectedVersion: 6 })));
/** Values that name what the others hold. */
const naming = ['\u0024{LOG_LEVEL}', '\u0024{REGION} and more', '\u0024{NEVER}'].map(value => {
  return { key: 'LOG_LEVEL_TOO', value, expand: true };
});
const named = naming.map(entry => [entry]);

/** Variations of a base: each member in turn with every value that the schema accepts. */
function variants(schema: unknown, base: Record<string, unknown>, candidates: readonly unknown[]) {
  const changed = Object.entries(shapeOf(schema)).flatMap(([name, one]) =>
    candidates.filter(value => one.safeParse(value).success).map(value => ({ ...base, [name]: value })),
  );
  return [base, ...changed];
}

function required(schema: unknown): Record<string, string> {
  const needed = Object.entries(shapeOf(schema)).filter(([, one]) => !one.safeParse(undefined).success);
  return Object.fromEntries(needed.map(([name, one]) => [name, texts.find(text => one.safeParse(text).success) ?? '']));
}

function bodiesOf({ body, bodyExample }: Contract): unknown[] {
  if (body === undefined) return [undefined];
  const example = bodyExample as Record<string, unknown>;
  const pair = ['dev', 'production'];
  const ends = 'to' in example ? [pair, pair.toReversed()].map(([from, to]) => ({ from, to })) : [{}];
  const bodies = ends.flatMap(end => variants(body, { ...example, ...end }, [...things, ...lists, ...named]));
  const single = 'value' in example ? naming : [];
  return [...bodies, ...single, ...('secrets' in example ? sets.map(secrets => ({ secrets })) : [])];
}

/** All requests of a route: dry runs first, then changes. */
function requestsOf(contract: Contract): Request[] {
  const names: Record<string, string[]> = { env: ['production'], key: ['DATABASE_HOST', 'GONE', 'NEVER'] };
  let paths = [contract.path.slice('/v1'.length)];
  for (const name of parameterNames(contract.path)) {
    paths = paths.flatMap(path => (names[name] ?? [`{${name}}`]).map(value => path.replace(`{${name}}`, value)));
  }
  const base = required(contract.query);
  const queries = variants(contract.query, base, texts) as Record<string, string>[];
  const headers = variants(contract.headers, {}, tags) as Record<string, string>[];
  const dry = 'dryRun' in shapeOf(contract.query) ? [{ ...base, dryRun: 'true' }] : [];
  const bodies = bodiesOf(contract);
  const [first] = bodies;
  const { method } = contract;
  return paths.flatMap(path => [
    ...[...dry, base].flatMap(query => bodies.map(body => ({ method, path, query, headers: {}, body }))),
    ...queries.flatMap(query => headers.map(header => ({ method, path, query, headers: header, body: first }))),
  ]);
}

async function send({ place, callers }: Service, caller: string, request: Request): Promise<Answer> {
  const path = request.path
    .replace('{orgSlug}', place.owner.organization.slug)
    .replace('{project}', place.project.slug);
  const query = new URLSearchParams(request.query).toString();
  const { method, headers, body } = request;
  return api.call(method, query === '' ? path : `${path}?${query}`, { as: callers[caller], headers, body });
}

/** The content of a response, without parts that differ between any two responses. */
function toldBy({ ids }: Service, { status, headers, body }: Answer): string {
  const text = Object.entries(ids).reduce((all, [id, name]) => all.replaceAll(id, name), JSON.stringify(body ?? null));
  const plain = text
    .replace(/"requestId":"[^"]*"/g, '"requestId":""')
    // A proposal's digest has a key of its own.
    .replace(/"digest":"[0-9a-f]{64}"/g, '"digest":""')
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}(@example\.com)?/g, 'id')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time');
  return JSON.stringify([status, headers.get('etag'), headers.get('retry-after'), plain]);
}

/** Sends the request to both services, and reverts its changes in both. */
async function ask(caller: string, request: Request): Promise<[string, string]> {
  const answers = await Promise.all(services.map(service => send(service, caller, request)));
  const told = answers.map((answer, index) => toldBy(services[index] as Service, answer));
  const isChange = answers.some(({ status, body }) => status < 300 && request.method !== 'GET' && body.dryRun !== true);
  if (isChange) await Promise.all(services.map(service => put(service, service.values.at(-1) ?? {})));
  return told as [string, string];
}

describe('two services that differ only in the values of production', () => {
  it.each(['developer', 'developer: token for production'])('look the same to the %s', async caller => {
    const answered = new Set<number>();
    for (const request of routesOfSecrets.flatMap(requestsOf)) {
      const [guessed, unguessed] = await ask(caller, request);
      answered.add(JSON.parse(guessed)[0]);
      expect({ request, answer: unguessed }).toEqual({ request, answer: guessed });
    }
    expect([...answered]).toEqual(expect.arrayContaining([200, 403, 404, 412]));
  });

  it('look different to the owner on every route that returns or compares values', async () => {
    const same: string[] = [];
    for (const contract of routesOfSecrets) {
      // Without changes, because revisions would distinguish the services.
      const requests = requestsOf(contract).filter(({ method, query }) => method === 'GET' || query.dryRun === 'true');
      let isToldApart = requests.length === 0;
      for (const request of requests) {
        if (isToldApart) break;
        const [guessed, unguessed] = await ask('owner', request);
        isToldApart = guessed !== unguessed;
      }
      if (!isToldApart) same.push(contract.operationId);
    }
    const named = ['list-keys', 'list-revisions', 'bulk-delete-secrets', 'delete-secret', 'list-proposals'];
    // The requests know no proposal's id.
    expect(same).toEqual([...named, 'get-proposal']);
  });
});
