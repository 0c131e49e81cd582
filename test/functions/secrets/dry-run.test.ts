import { writeSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadFromFunctions } from '../../../infra/local/lambda/invoke.ts';
import { organizationRecord } from '../../../lib/table/records/organization.ts';
import { at, transact, update } from '../../../lib/table/store.ts';
import type { Answer, Api, Person } from '../../support/api.ts';
import { openWorkplace, registerOwner, type Workplace } from '../../support/environments.ts';
import { recordRequest, startObservedApi } from '../../support/observed-api.ts';
import { allItems } from '../../support/table-dump.ts';

/*
 * For any state, change, role and precondition: what a dry run says is what the change then does, and the dry run itself
 * leaves nothing behind.
 */

const cases = Number(process.env.DRY_RUNS ?? 100);

type Env = 'dev' | 'production';
type Role = 'owner' | 'developer' | 'viewer';
interface Change {
  kind: 'set' | 'delete' | 'import' | 'bulk-delete' | 'promote' | 'changes';
  env: Env;
  role: Role;
  ifMatch: 'none' | 'right' | 'wrong' | 'any';
  expected: 'none' | 'right' | 'wrong';
  puts: Record<string, string>;
  deletions: string[];
  message: string | undefined;
  overwrite: boolean;
}

const key = fc.constantFrom('A', 'B', 'C', 'D', 'Z1', 'Z2');
const deletions = fc.uniqueArray(key, { minLength: 1, maxLength: 3 });
const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom<Change['kind']>('set', 'delete', 'import', 'bulk-delete', 'promote', 'changes', 'changes'),
  env: fc.constantFrom<Env>('dev', 'production'),
  role: fc.constantFrom<Role>('owner', 'owner', 'owner', 'developer', 'developer', 'viewer'),
  ifMatch: fc.constantFrom<Change['ifMatch']>('none', 'none', 'none', 'right', 'any', 'wrong'),
  expected: fc.constantFrom<Change['expected']>('none', 'none', 'none', 'right', 'wrong'),
  puts: fc.dictionary(key, fc.constantFrom('one', 'two', ''), { minKeys: 1, maxKeys: 4, noNullPrototype: true }),
  deletions,
  message: fc.constantFrom(undefined, 'because'),
  overwrite: fc.boolean(),
});

let api: Api;
let place: Workplace;
let people: Record<Role, Person>;

beforeAll(async () => {
  // No worker runs and no request is counted, so that the table stands still between two looks.
  api = await startObservedApi({ REQUESTS_PER_MINUTE: '-1' }, async name =>
    name.area === 'workers' ? async () => ({ batchItemFailures: [] }) : loadFromFunctions(name),
  );
  const owner = await registerOwner(api);
  place = await openWorkplace(api, owner);
  people = { owner, developer: await place.member('developer'), viewer: await place.member('viewer') };
  const limits = { set: { limitOverrides: { maxProjects: -1, maxSecretsPerEnvironment: 4 } } };
  await transact([update(at(organizationRecord, owner.organization.slug), limits)]);
  const events = ['created', 'updated', 'deleted', 'promoted', 'bulk_set', 'bulk_delete'].map(name => `secret.${name}`);
  await api.post(`/webhooks/${owner.organization.id}`, { url: 'http://127.0.0.1:9/', events }, owner.session);
});
afterAll(() => api.stop());

interface Picture {
  revision: number;
  versions: Record<string, number>;
  values: Record<string, string>;
}

async function pictureOf(env: Env): Promise<Picture> {
  const { status, body } = await place.pull(env);
  expect(status).toBe(200);
  const secrets: { key: string; value: string; version: number }[] = body.secrets;
  return {
    revision: body.revision,
    versions: Object.fromEntries(secrets.map(({ key, version }) => [key, version])),
    values: Object.fromEntries(secrets.map(({ key, value }) => [key, value])),
  };
}

/** The request of a change, for a query to be added. */
function requestOf(change: Change, before: Picture) {
  const { kind, env, expected, puts, deletions, message, overwrite } = change;
  const expectedVersion = (key: string) =>
    expected === 'none' ? {} : { expectedVersion: (before.versions[key] ?? 0) + (expected === 'right' ? 0 : 7) };
  const why = message === undefined ? {} : { message };
  const [first = 'A'] = Object.keys(puts);
  const [gone = 'A'] = deletions;
  const root = place.at(env);
  switch (kind) {
    case 'set':
      return { method: 'PUT', path: root, body: { key: first, value: puts[first], ...expectedVersion(first), ...why } };
    case 'delete':
      return { method: 'DELETE', path: `${root}/${gone}`, query: why };
    case 'import':
      return { method: 'POST', path: `${root}/bulk`, body: { secrets: puts, ...why } };
    case 'bulk-delete':
      return { method: 'POST', path: `${root}/bulk-delete`, body: { keys: deletions, ...why } };
    case 'promote': {
      const body = { from: env === 'dev' ? 'production' : 'dev', to: env, overwrite, ...why };
      const path = `/secrets/${place.owner.organization.slug}/${place.project.slug}/promote`;
      return { method: 'POST', path, body: deletions.length > 1 ? { ...body, keys: deletions } : body };
    }
    case 'changes': {
      const set = Object.entries(puts).map(([key, value]) => ({ key, value, ...expectedVersion(key) }));
      const rest = deletions.filter(key => puts[key] === undefined);
      return { method: 'POST', path: `${root}/changes`, body: { set, delete: rest, ...why } };
    }
  }
}

function send(change: Change, before: Picture, query: Record<string, string>, conducted = {}): Promise<Answer> {
  const request = requestOf(change, before);
  const tags = { none: {}, any: '*', right: `"${before.revision}"`, wrong: `"${before.revision + 7}"` };
  const headers = {
    ...conducted,
    ...(change.ifMatch === 'none' ? {} : { 'if-match': String(tags[change.ifMatch]) }),
  };
  const parameters = new URLSearchParams({ ...request.query, ...query }).toString();
  const path = parameters === '' ? request.path : `${request.path}?${parameters}`;
  const body = 'body' in request ? { body: request.body } : {};
  return api.call(request.method, path, { ...body, as: people[change.role].session, headers });
}

/** What a change did, as two looks at the environment tell it. */
function differenceOf(before: Picture, after: Picture) {
  const had = (key: string) => before.versions[key] !== undefined;
  const has = (key: string) => after.versions[key] !== undefined;
  const now = Object.keys(after.versions).toSorted();
  return {
    created: now.filter(key => !had(key)),
    updated: now.filter(key => had(key) && before.versions[key] !== after.versions[key]),
    deleted: Object.keys(before.versions)
      .filter(key => !has(key))
      .toSorted(),
  };
}

const refusalOf = ({ status, body }: Answer) => ({ status, error: { ...body.error, requestId: undefined } });

async function dump(): Promise<string[]> {
  return (await allItems()).map(item => JSON.stringify(item)).toSorted();
}

it('a plan is what the change then does, for any state, change, role and precondition, and leaves no trace', {
  timeout: Math.max(120_000, cases * 2000),
}, async () => {
  const seen: Record<string, number> = {};
  await fc.assert(
    fc.asyncProperty(change, async change => {
      const before = await pictureOf(change.env);
      const table = await dump();
      const { answer: dry, calls } = await recordRequest(headers => send(change, before, { dryRun: 'true' }, headers));
      expect(await dump()).toEqual(table);
      expect(calls.filter(({ service }) => service === 'sqs')).toEqual([]);

      const real = await send(change, before, {});
      const after = await pictureOf(change.env);
      const outcome = `${change.kind} ${real.status} ${real.body.error?.code ?? ''}`;
      seen[outcome] = (seen[outcome] ?? 0) + 1;
      if (real.status >= 300) {
        expect(refusalOf(dry)).toEqual(refusalOf(real));
        expect(after).toEqual(before);
        return;
      }
      const { plan } = dry.body;
      expect(dry).toMatchObject({ status: 200, body: { dryRun: true, revision: before.revision } });
      const { created, updated, deleted } = plan;
      expect({ created, updated, deleted }).toEqual(differenceOf(before, after));
      const isChange = created.length + updated.length + deleted.length > 0;
      expect(after.revision).toBe(before.revision + (isChange ? 1 : 0));
      expect(real.body.revision).toBe(after.revision);
      expect(statedBy(change.kind, real)).toEqual(pick(plan, change.kind));
      const mayRead = change.role === 'owner' || change.env === 'dev';
      if (!mayRead) expect(plan.unchanged).toEqual([]);
    }),
    { numRuns: cases },
  );
  if (process.env.DRY_RUNS !== undefined) writeSync(2, `${JSON.stringify(seen, null, 2)}\n`);
});

interface Plan {
  created: string[];
  updated: string[];
  unchanged: string[];
  deleted: string[];
  skipped: string[];
}

/** What the answer of the change says of the keys. */
function statedBy(kind: Change['kind'], { status, body }: Answer) {
  if (kind === 'set') return { isCreated: status === 201, isChanged: body.changed };
  if (kind === 'delete') return { success: body.success };
  const { revision: _, ...lists } = body;
  return Object.fromEntries(Object.entries(lists).map(([name, keys]) => [name, (keys as string[]).toSorted()]));
}

/** The same of its plan. */
function pick({ created, updated, unchanged, deleted, skipped }: Plan, kind: Change['kind']) {
  switch (kind) {
    case 'set':
      return { isCreated: created.length === 1, isChanged: unchanged.length === 0 };
    case 'delete':
      return { success: deleted.length === 1 };
    case 'import':
      return { created, updated, unchanged };
    case 'changes':
      return { created, updated, unchanged, deleted };
    case 'bulk-delete':
      return { deleted, notFound: skipped };
    case 'promote':
      return { promoted: [...created, ...updated].toSorted(), skipped, unchanged };
  }
}

it('a misspelt dryRun is refused by every write, and changes nothing', async () => {
  await place.set('dev', 'A', 'one');
  const before = await pictureOf('dev');
  const kinds = ['set', 'delete', 'import', 'bulk-delete', 'promote', 'changes'] as const;
  const base = { env: 'dev', role: 'owner', ifMatch: 'none', expected: 'none', message: undefined } as const;
  for (const kind of kinds) {
    const change: Change = { ...base, kind, puts: { A: 'two' }, deletions: ['A'], overwrite: true };
    for (const query of [{ dryRn: 'true' }, { dryrun: 'true' }, { dryRun: 'yes' }, { dryRun: '' }]) {
      const answer = await send(change, before, query as Record<string, string>);
      expect([kind, answer.status, answer.body.error.code]).toEqual([kind, 400, 'invalid_request']);
    }
  }
  expect(await pictureOf('dev')).toEqual(before);
});
