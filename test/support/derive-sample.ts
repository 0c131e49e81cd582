import { type PathParameterName, parameterNames } from '#lib/contracts/path-parameters.ts';
import { type RoutedContract, routes } from '#lib/contracts/routes.ts';
import type { Api, Caller } from './api.ts';
import { documentedRequest, type PathValues, sampleFileOf } from './documented-request.ts';
import { type Person, seedPerson } from './people.ts';
import {
  expectStatus,
  join,
  makeIdentity,
  makeWebhook,
  type Place,
  type Prepared,
  place,
  placeWithSecrets,
} from './sample-requests.ts';

type OrPromise<T> = T | Promise<T>;

/** What can't be derived from a contract for a sample of its operation. */
export interface Sample<W extends Person> {
  /** Creates what the request is about. By default a person who owns as much as the path names. */
  world?: (api: Api) => Promise<W>;
  /** What other parameters of the path name. */
  values?: (world: W, api: Api) => OrPromise<PathValues>;
  query?: string | ((world: W) => string);
  /** By default the example of the contract. */
  body?: (world: W, api: Api) => unknown;
  headers?: (world: W) => Record<string, string>;
  /** By default the person's session, unless the operation is public. */
  as?: (world: W) => Caller;
  works?: readonly number[];
  repeats?: readonly number[];
  /** By default a change is done if what the nearest GET operation returns has changed. */
  isDone?: (world: W, api: Api) => OrPromise<boolean>;
}

export type Prepare = (contract: RoutedContract, api: Api) => Promise<Prepared>;

/** By operation id, and a word after it if there are several. Each creates its own data, so all can run at once. */
export type Samples = Readonly<Record<string, Prepare>>;

/** A sample of which everything else is derived from the contract. */
export function sample<W extends Person = Place>(parts: Sample<W> = {}): Prepare {
  return async (contract, api) => {
    const { method } = contract;
    const world = await (parts.world ?? (defaultWorld(contract) as unknown as (api: Api) => Promise<W>))(api);
    const given = await parts.values?.(world, api);
    const values = { ...(await valuesOf(contract, api, world, given)), ...given };
    const documented = documentedRequest(contract, values);
    const query = typeof parts.query === 'function' ? parts.query(world) : (parts.query ?? '');
    const body = parts.body === undefined ? documented.body : await parts.body(world, api);
    const isPublic = contract.access.kind === 'public' || contract.access.kind === 'optional';
    const as = parts.as?.(world) ?? (isPublic ? undefined : world.session);
    const repeats = parts.repeats ?? repeatsOf(contract);
    const isDone = parts.isDone;
    return {
      request: {
        method,
        path: documented.path + query,
        ...(as && { as }),
        ...(body === undefined ? {} : { body }),
        ...(parts.headers && { headers: parts.headers(world) }),
      },
      works: parts.works ?? worksOf(contract),
      ...(repeats && { repeats }),
      isDone:
        isDone !== undefined
          ? async () => isDone(world, api)
          : method === 'GET'
            ? done
            : await watch(contract, api, values, as, body),
    };
  };
}

/** For requests whose repetition has the same effect as one, and for those whose effect nothing shows. */
export const done = async () => true;

function worksOf({ responses }: RoutedContract): number[] {
  return Object.keys(responses)
    .map(Number)
    .filter(status => status !== 304);
}

function repeatsOf({ method, errors = [] }: RoutedContract): number[] | undefined {
  if (method === 'DELETE') return [404];
  return errors.some(code => code.endsWith('_exists') || code.endsWith('_taken')) ? [409] : undefined;
}

function defaultWorld({ access, path }: RoutedContract): (api: Api) => Promise<Person> {
  const names = parameterNames(path);
  if (names.includes('env')) return placeWithSecrets;
  if (names.includes('slug') || names.includes('project')) return place;
  return () => seedPerson(access.kind === 'admin' ? { isAdmin: true } : {});
}

const makers: Readonly<Partial<Record<PathParameterName, (api: Api, owner: Person) => Promise<{ id: string }>>>> = {
  webhookId: makeWebhook,
  identityId: makeIdentity,
  id: async (api, owner) => join(api, owner, await seedPerson()),
};

async function valuesOf(contract: RoutedContract, api: Api, owner: Person, given: PathValues = {}) {
  const { id: orgId, slug: orgSlug } = owner.organization;
  const values: { -readonly [N in PathParameterName]?: string } = { orgId, orgSlug, project: 'shop', slug: 'shop' };
  Object.assign(values, { env: 'dev', key: 'KEY_1', planName: 'pro' });
  for (const name of parameterNames(contract.path)) {
    const make = makers[name];
    if (make !== undefined && given[name] === undefined) values[name] = (await make(api, owner)).id;
  }
  return values;
}

/** The GET operation with the longest path that the operation's path begins with. */
function readOf(contract: RoutedContract): RoutedContract {
  const { operationId, path } = contract;
  const [nearest] = routes
    .filter(read => read.method === 'GET' && `${path}/`.startsWith(`${read.path}/`))
    .toSorted((a, b) => b.path.length - a.path.length);
  if (nearest !== undefined) return nearest;
  throw new Error(
    `No GET operation shows whether ${operationId} took effect: add a sample of it with \`isDone\` to ` +
      `${sampleFileOf(contract)}.`,
  );
}

/** Whether a change took effect, by the nearest GET operation: an error if that shows a change of only some fields. */
async function watch(contract: RoutedContract, api: Api, values: PathValues, as: Caller, body: unknown) {
  const { path } = documentedRequest(readOf(contract), values);
  const [lastName] = parameterNames(contract.path.split('/').at(-1) ?? '');
  const name = lastName && values[lastName];
  const read = async () => withoutRequestId((await expectStatus(api.get(path, as), 200, 404)).body);
  const initial = await read();
  const isUpdate = contract.method === 'PATCH' || contract.method === 'PUT';
  const fields = isUpdate ? changedFields(entityIn(initial, body as object, name), body as object) : [];
  return async () => {
    const now = await read();
    if (fields.length === 0) return JSON.stringify(now) !== JSON.stringify(initial);
    const left = changedFields(entityIn(now, body as object, name), body as object);
    const leftOver = fields.filter(field => left.includes(field));
    if (leftOver.length > 0 && leftOver.length < fields.length) throw new Error('Half of a change is there.');
    return leftOver.length === 0;
  };
}

const withoutRequestId = (body: { error?: object }) =>
  body.error === undefined ? body : { error: { ...body.error, requestId: undefined } };

/** The object with the fields of the body, and with the id or slug that the path ends with. */
function entityIn(value: unknown, body: object, name: string | undefined): Record<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const isIt = Object.keys(body).every(key => key in value) && (!name || Object.values(value).includes(name));
  if (isIt) return value as Record<string, unknown>;
  return Object.values(value)
    .map(member => entityIn(member, body, name))
    .find(entity => entity !== undefined);
}

function changedFields(entity: Record<string, unknown> | undefined, body: object): string[] {
  if (entity === undefined) return [];
  const isThere = ([field, value]: [string, unknown]) => JSON.stringify(entity[field]) === JSON.stringify(value);
  return Object.entries(body)
    .filter(entry => !isThere(entry))
    .map(([field]) => field);
}
