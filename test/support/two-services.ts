import { expect } from 'vitest';
import type { Contract } from '#lib/contracts/contract.ts';
import { parameterNames } from '#lib/contracts/path-parameters.ts';
import type { Answer, Api, Caller } from './api.ts';
import { openWorkplace, type Workplace } from './environments.ts';
import { expectStatus } from './sample-requests.ts';

/*
 * Two services that differ only in the values of some environments; the requests guess those of the first. Whoever may
 * know nothing about these values gets the same response from both, except for ids and times, to every request built
 * from a contract.
 */

export const guesses = { DATABASE_HOST: 'db.internal.example', LOG_LEVEL: 'info', REGION: 'eu' };
const keys = Object.keys(guesses);

/** The values of an environment in each of the two services, by revision. */
export const past: Record<'guessed' | 'unguessed', Record<string, string>[]> = {
  guessed: [{ ...guesses, GONE: 'x' }, { ...guesses, DATABASE_HOST: 'another', GONE: 'x' }, guesses],
  unguessed: [1, 2, 3].map(life => {
    const names = life === 3 ? keys : [...keys, 'GONE'];
    return Object.fromEntries(names.map((key, index) => [key, `${life}${key}`.repeat(3 + 7 * index * life)]));
  }),
};

export interface Service {
  place: Workplace;
  /** By environment: its values, by revision. */
  values: Readonly<Record<string, Record<string, string>[]>>;
  ids: Record<string, string>;
  callers: Record<string, Caller>;
  /** What paths name in this service. */
  names: Record<string, string>;
}

/** @param values of the environments that get several revisions; the others of the project get the guesses */
export async function buildService(api: Api, values: Service['values']): Promise<Service> {
  const place = await openWorkplace(api);
  const { organization } = place.owner;
  for (const env of ['dev', 'staging', 'production'].filter(env => values[env] === undefined)) {
    expect((await place.importAll(env, guesses)).status).toBe(200);
  }
  const service: Service = {
    place,
    values,
    ids: { [organization.slug]: 'organization', [place.project.slug]: 'project' },
    callers: { owner: place.owner.session },
    names: {
      orgId: organization.id,
      orgSlug: organization.slug,
      project: place.project.slug,
      slug: place.project.slug,
    },
  };
  for (const env of Object.keys(values)) for (const one of values[env] ?? []) await setExactly(service, env, one);
  return service;
}

/** Sets the environment to exactly these values, each as a new version. */
async function setExactly({ place }: Service, env: string, values: Record<string, string>): Promise<void> {
  const blank = Object.fromEntries(Object.keys(values).map(key => [key, 'nothing that is there']));
  for (const secrets of [blank, values]) expect((await place.importAll(env, secrets)).status).toBe(200);
  const there = Object.keys(await place.values(env)).filter(key => values[key] === undefined);
  if (there.length === 0) return;
  expect((await place.bulkDelete(env, there)).status).toBe(200);
}

export interface Request {
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

/**
 * All requests of a route: dry runs first, then changes. What `paths` doesn't name is that of the service.
 * @param more bodies beside those that are derived from the contract
 */
export function requestsOf(
  contract: Contract,
  paths: Readonly<Record<string, readonly string[]>>,
  more: readonly unknown[] = [],
): Request[] {
  let all = [contract.path.slice('/v1'.length)];
  for (const name of parameterNames(contract.path)) {
    all = all.flatMap(path => (paths[name] ?? [`{${name}}`]).map(value => path.replace(`{${name}}`, value)));
  }
  const base = required(contract.query);
  const queries = variants(contract.query, base, texts) as Record<string, string>[];
  const headers = variants(contract.headers, {}, tags) as Record<string, string>[];
  const dry = 'dryRun' in shapeOf(contract.query) ? [{ ...base, dryRun: 'true' }] : [];
  const bodies = [...bodiesOf(contract), ...more];
  const [first] = bodies;
  const { method } = contract;
  return all.flatMap(path => [
    ...[...dry, base].flatMap(query => bodies.map(body => ({ method, path, query, headers: {}, body }))),
    ...queries.flatMap(query => headers.map(header => ({ method, path, query, headers: header, body: first }))),
  ]);
}

async function send(api: Api, { callers, names }: Service, caller: string, request: Request): Promise<Answer> {
  const path = request.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => names[name] ?? '');
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
    .replace(/Shop [0-9a-f]{8}/g, 'Shop')
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}(@example\.com)?/g, 'id')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time');
  return JSON.stringify([status, headers.get('etag'), headers.get('retry-after'), plain]);
}

/** Sends the request to both services, and reverts its changes in both. */
export async function ask(
  api: Api,
  services: readonly [Service, Service],
  caller: string,
  request: Request,
): Promise<[string, string]> {
  const answers = await Promise.all(services.map(service => send(api, service, caller, request)));
  const told = answers.map((answer, index) => toldBy(services[index] as Service, answer));
  const isChange = answers.some(({ status, body }) => status < 300 && request.method !== 'GET' && body.dryRun !== true);
  if (isChange) await Promise.all(services.map((service, index) => revert(api, service, request, answers[index])));
  return told as [string, string];
}

async function revert(api: Api, service: Service, { path }: Request, answer: Answer | undefined): Promise<void> {
  const { proposal } = answer?.body ?? {};
  if (proposal === undefined) {
    for (const [env, values] of Object.entries(service.values)) await setExactly(service, env, values.at(-1) ?? {});
  } else if (proposal.state === 'open' && !path.includes('{proposalId}')) {
    // An environment has only so many open ones.
    const env = path.split('/').at(-2) as string;
    const session = service.callers.owner;
    const withdraw = api.post(service.place.at(env, `/proposals/${proposal.id}/withdraw`), undefined, session);
    // Only its author may.
    expect([200, 403]).toContain((await withdraw).status);
  }
}

/** A proposal in the environment, which the paths of both services name. */
export async function proposeIn(api: Api, service: Service, env: string, body: object): Promise<void> {
  const { place, names, ids } = service;
  const { proposal } = (await expectStatus(api.post(place.at(env, '/proposals'), body, place.owner.session), 201)).body;
  names.proposalId = proposal.id;
  ids[proposal.id] = 'proposal';
}
