import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { loadFromFunctions } from '#infra/local/lambda/invoke.ts';
import type { Contract } from '#lib/contracts/contract.ts';
import { parameterNames } from '#lib/contracts/path-parameters.ts';
import { routes } from '#lib/contracts/routes.ts';
import type { Answer } from '../support/api.ts';
import { shared } from '../support/fixtures.ts';
import { inParallel } from '../support/in-parallel.ts';
import { startObservedApi, withFault } from '../support/observed-api.ts';
import { type RecordedCall, recorder, roundTripsOf } from '../support/record-calls.ts';
import { addLedger, buildTwin, type Hidden, limitedNames, type Twin } from './twins.ts';
import { rememberTable } from './world.ts';

/*
 * What a limited member can find out about other projects: nothing. Every request that can be built from a contract and
 * from what the other project has gets the same answer where there is no such project, after as many round trips.
 */

/** The calls of each observed request, and the round trips after which it was answered. */
const observed = new Map<string, { calls: readonly RecordedCall[]; roundTrips?: number }>();
const conductorOf = (event: unknown) =>
  (event as { headers?: Record<string, string | undefined> }).headers?.['x-test-conductor'] ?? '';

const settings = {
  STEP_UP_FRESH_SECONDS: '7200',
  REQUESTS_PER_MINUTE: '-1',
  // A snapshot in memory saves round trips, and which ones are there depends on what was read before.
  SNAPSHOT_CACHE_BYTES: '0',
};

/** No workers, so that nothing changes between requests. */
const api = shared(() =>
  startObservedApi(settings, async name => {
    if (name.area === 'workers') return () => ({ batchItemFailures: [] });
    const handler = await loadFromFunctions(name);
    return async (event, context) => {
      const result = await handler(event, context);
      const one = observed.get(conductorOf(event));
      // What is still being read when the answer is there makes nobody wait.
      if (one !== undefined) one.roundTrips = roundTripsOf(one.calls.filter(({ roundTrip }) => roundTrip > 0));
      return result;
    };
  }),
);

let twins: readonly [Twin, Twin];
let hidden: Hidden;
let restore: () => Promise<void>;

beforeAll(async () => {
  twins = [await buildTwin(api), await buildTwin(api)];
  hidden = await addLedger(api, twins[0]);
  restore = await rememberTable();
  // The feed omits entries of the last minutes.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 30 * 60_000 });
});
afterAll(() => {
  vi.useRealTimers();
});

interface Request {
  method: string;
  /** With parameters for what differs between the twins. */
  path: string;
  query: Record<string, string>;
  body: unknown;
}

interface Shape {
  [name: string]: { safeParse(value: unknown): { success: boolean } };
}
const shapeOf = (schema: unknown): Shape => (schema as { shape?: Shape } | undefined)?.shape ?? {};

/** What a member of a schema can name: nothing if it holds any text, except that keys are text too. */
function candidatesFor(name: string, schema: Shape[string]): readonly unknown[] {
  const accepts = (value: unknown) => schema.safeParse(value).success;
  const { key, project, env } = hidden;
  if (accepts('some text, such as a reason')) return /key/i.test(name) ? [key] : [];
  const candidates = accepts('some-slug') ? [project, env] : [...texts(), ...lists()];
  return candidates.filter(accepts);
}

/** Each member of the schema that can name something in turn, with everything that it can name. */
const variants = (schema: unknown, base: Record<string, unknown>) =>
  Object.entries(shapeOf(schema)).flatMap(([name, one]) =>
    candidatesFor(name, one).map(value => ({ ...base, [name]: value })),
  );

/** The other project’s ids, slugs and keys. They are sent to both twins, and exist in one. */
const texts = () => [...new Set(Object.values(hidden))];
const lists = () => [[hidden.key], [{ projectId: hidden.projectId, role: 'viewer' }]];

/** What the caller’s project has. Braces stand for what differs between the twins (`Twin.names`). */
const ownNames: Readonly<Record<string, string>> = { project: 'shop', slug: 'shop', env: 'dev', key: 'KEY' };
const inTwin = ['identityId', 'webhookId', 'proposalId', 'grantId'];
const organizationNames = ['orgId', 'orgSlug'];

/** What the other project has for a parameter of a path. */
function hiddenNames(name: string): readonly string[] {
  if (organizationNames.includes(name)) return [];
  if (name === 'id') return [hidden.requestId as string, hidden.archiveId as string, '{bookkeeper}'];
  return [hidden[name === 'slug' ? 'project' : name] ?? (hidden.requestId as string)];
}

/** Paths with what the caller knows, with one name of the other project in turn, and with only such names. */
function pathsOf({ path }: Contract): string[] {
  const names = parameterNames(path);
  const fill = (value: (name: string) => string | undefined) =>
    names.reduce((text, name) => text.replace(`{${name}}`, all => value(name) ?? all), path.slice('/v1'.length));
  const own = (name: string) => {
    if (name === 'id') return path.includes('/requests/') ? '{requestId}' : '{bystander}';
    return ownNames[name] ?? (inTwin.includes(name) ? `{${name}}` : hiddenNames(name)[0]);
  };
  const one = names.flatMap(changed =>
    hiddenNames(changed).map(value => fill(name => (name === changed ? value : own(name)))),
  );
  return [...new Set([fill(own), ...one, fill(name => hiddenNames(name)[0])])];
}

/** The documented body, about the project that the caller knows. */
function inShop(body: unknown, example: Record<string, unknown>): Record<string, unknown> {
  const shape = shapeOf(body);
  return {
    ...example,
    ...('organizationId' in shape ? { organizationId: '{orgId}' } : {}),
    ...('projectId' in shape ? { projectId: '{shopId}' } : {}),
    ...('environmentId' in example ? { environmentId: '{production}' } : {}),
  };
}

function requestsOf(contract: Contract): Request[] {
  const { method, query, body, bodyExample } = contract;
  const needed = Object.entries(shapeOf(query)).filter(([, one]) => !one.safeParse(undefined).success);
  const base = Object.fromEntries(
    needed.map(([name, one]) => [name, ['staging', '0'].find(text => one.safeParse(text).success) ?? '']),
  );
  // An admin of single projects must name one of them.
  const scoped = 'project' in shapeOf(query) ? [{ ...base, project: '{shopId}' }] : [];
  const queries = [base, ...scoped].flatMap(one => [one, ...variants(query, one)]) as Request['query'][];
  const example = body === undefined ? undefined : inShop(body, bodyExample as Record<string, unknown>);
  const bodies = variants(body, example ?? {});
  const [own = '', ...others] = pathsOf(contract);
  return [
    ...queries.map(one => ({ method, path: own, query: one, body: example })),
    ...bodies.map(one => ({ method, path: own, query: base, body: one })),
    ...others.map(path => ({ method, path, query: base, body: example })),
  ];
}

/** Whether the path names something of the other project. Then nothing may happen, so other requests can run at once. */
const isElsewhere = ({ path }: Request) => texts().some(name => path.split('/').includes(name));

/** With the names of a twin in place of the parameters. */
const filled = ({ names }: Twin, text: string) =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => names[name] ?? whole);

interface Told {
  status: number;
  roundTrips: number;
  text: string;
}

async function ask(twin: Twin, caller: string, { method, path, query, body }: Request): Promise<Told> {
  const search = new URLSearchParams(query).toString().replaceAll('%7B', '{').replaceAll('%7D', '}');
  const sent = body === undefined ? undefined : JSON.parse(filled(twin, JSON.stringify(body)));
  const conductor = recorder();
  let id = '';
  const answer = await withFault({ conductor }, headers => {
    id = Object.values(headers)[0] as string;
    observed.set(id, { calls: conductor.calls });
    const url = filled(twin, search === '' ? path : `${path}?${search}`);
    return api.call(method, url, { as: twin.callers[caller], headers, body: sent });
  });
  const roundTrips = observed.get(id)?.roundTrips ?? 0;
  observed.delete(id);
  return { status: answer.status, roundTrips, text: toldBy(twin, answer) };
}

/** The content of an answer, without what differs between any two answers. */
function toldBy({ ids }: Twin, { status, headers, body }: Answer): string {
  const named = Object.entries(ids).reduce((all, [id, name]) => all.replaceAll(id, name), JSON.stringify(body ?? null));
  const plain = named
    .replace(/"requestId":"[^"]*"/g, '"requestId":""')
    .replace(/"next":"([\w-]+)"/g, (_, next: string) => `"next":${Buffer.from(next, 'base64url')}`)
    .replace(/"(token|prefix|secret|uri|challenge)":"[^"]*"/g, '"$1":""')
    .replace(/"(code|id)":"[\w-]{40,}"/g, '"$1":""')
    .replace(/[0-9a-f]{64}/g, 'digest')
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, id => (texts().includes(id) ? id : 'id'))
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time');
  return JSON.stringify([status, headers.get('etag'), headers.get('retry-after'), plain]);
}

/** Every route of an account or of an organization. Others are the same for everybody. */
const asked = routes.filter(
  ({ access, operationId }) =>
    // Slugs of organizations are unique on the platform, so the twins would take them from each other.
    (access.kind === 'member' || access.kind === 'account') && operationId !== 'create-organization',
);
const callers = [...limitedNames, 'developer: token'];

/** What a process keeps in memory saves round trips, also in one twin alone. Both get there after a few times. */
const attempts = 4;

/** Asks in both twins. @returns how the answers differ, if they do */
async function compare(caller: string, request: Request) {
  const askBoth = async (attempt = 1): Promise<{ there: Told; missing: Told }> => {
    const [there, missing] = await Promise.all([ask(twins[0], caller, request), ask(twins[1], caller, request)]);
    // On a busy machine, a request may not be done in time. It is sent again.
    const isLate = there.status === 503 || missing.status === 503;
    if ((there.status < 300 || isLate) && request.method !== 'GET') await restore();
    return isLate && attempt < attempts ? askBoth(attempt + 1) : { there, missing };
  };
  const { there, missing } = await askBoth();
  for (let attempt = 1; attempt < attempts && there.roundTrips !== missing.roundTrips; attempt += 1) {
    const again = await askBoth();
    there.roundTrips = again.there.roundTrips;
    missing.roundTrips = again.missing.roundTrips;
  }
  return { status: there.status, different: isDeepStrictEqual(there, missing) ? [] : [{ request, there, missing }] };
}

describe('a limited member', () => {
  it.each(callers)('is told the same whether there is another project or not: %s', async caller => {
    const statuses = new Set<number>();
    const differences: object[] = [];
    const note = async (request: Request) => {
      const { status, different } = await compare(caller, request);
      statuses.add(status);
      differences.push(...different);
    };
    const requests = asked.flatMap(requestsOf);
    for (const request of requests.filter(one => !isElsewhere(one))) await note(request);
    await inParallel(
      6,
      requests.filter(isElsewhere).map(request => () => note(request)),
    );
    expect(differences).toEqual([]);
    expect([...statuses]).toEqual(expect.arrayContaining([200, 403, 404]));
  });

  it('waits as long for a list of grants, whatever there is in other projects', async () => {
    for (const operationId of ['list-grants', 'list-identities', 'list-projects', 'get-current-user']) {
      const [request] = asked.filter(one => one.operationId === operationId).flatMap(requestsOf);
      expect((await compare('cashier', request as Request)).different).toEqual([]);
    }
  });

  it('is no owner, who is told of the other project by every route that shows one', async () => {
    const told: string[] = [];
    const reads = asked.filter(({ method }) => method === 'GET');
    for (const contract of reads) {
      for (const request of requestsOf(contract)) {
        const { different } = await compare('owner', request);
        if (different.every(({ there, missing }) => there.text === missing.text)) continue;
        told.push(contract.operationId);
        break;
      }
    }
    const below = reads.filter(({ path }) => /\{(slug|project)\}/.test(path)).map(({ operationId }) => operationId);
    const lists = ['list-projects', 'list-deleted', 'list-webhooks', 'list-members', 'list-identities', 'list-grants'];
    expect(told).toEqual(expect.arrayContaining([...below, ...lists, 'list-audit-entries', 'feed-audit-entries']));
  });
});
