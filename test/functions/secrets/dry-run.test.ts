import { writeSync } from 'node:fs';
import fc from 'fast-check';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { loadFromFunctions } from '#infra/local/lambda/invoke.ts';
import { at } from '#lib/table/read.ts';
import { auditRecord, unpacked } from '#lib/table/records/audit.ts';
import { organizationRecord } from '#lib/table/records/organization.ts';
import { transact, update } from '#lib/table/write.ts';
import { type Answer, type Caller, createToken } from '#test/support/api.ts';
import { expireLease, openWorkplace } from '#test/support/environments.ts';
import { shared } from '#test/support/fixtures.ts';
import { numbered } from '#test/support/numbered.ts';
import { recordRequest, startObservedApi, withFault } from '#test/support/observed-api.ts';
import type { Person } from '#test/support/people.ts';
import { stalling } from '#test/support/stalling.ts';
import { allItems } from '#test/support/table-dump.ts';

/* A dry run predicts what the change does. It writes nothing, except the audit entry of comparing unchanged keys. */

const cases = Number(process.env.DRY_RUNS ?? 24);

type Env = 'dev' | 'production';
const callers = [
  'owner',
  'admin',
  'developer',
  'viewer',
  'owner, reading token',
  'developer, writing token',
  'owner, dev only',
] as const;
type CallerName = (typeof callers)[number];
interface Change {
  kind: 'set' | 'delete' | 'import' | 'dotenv' | 'bulk-delete' | 'promote' | 'changes' | 'restore';
  env: Env;
  caller: CallerName;
  maximum: number;
  ifMatch: 'none' | 'right' | 'one of two' | 'wrong' | 'any' | 'weak' | 'malformed';
  expected: 'none' | 'right' | 'wrong';
  puts: Record<string, string>;
  deletions: string[];
  /** How far back to restore; -1 is a future revision. */
  back: number;
  isPartial: boolean;
  message: string | undefined;
  overwrite: boolean;
}

const key = fc.constantFrom('A', 'B', 'C', 'D', 'Z1', 'Z2');
const deletions = fc.uniqueArray(key, { minLength: 1, maxLength: 3 });
const puts = fc.oneof(
  {
    weight: 14,
    arbitrary: fc.dictionary(key, fc.constantFrom('one', 'two', ''), { minKeys: 1, maxKeys: 4, noNullPrototype: true }),
  },
  // More keys than fit in one transaction, and more than fit in an environment.
  { weight: 2, arbitrary: fc.constantFrom('one', 'two').map(value => numbered(50, value)) },
  { weight: 1, arbitrary: fc.constant(numbered(66, 'x'.repeat(64_000))) },
);
const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom<Change['kind']>(
    ...(['set', 'delete', 'import', 'dotenv', 'bulk-delete', 'promote', 'promote'] as const),
    ...(['changes', 'changes', 'restore', 'restore'] as const),
  ),
  env: fc.constantFrom<Env>('dev', 'production'),
  caller: fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom<CallerName>('owner', 'admin') },
    { weight: 3, arbitrary: fc.constantFrom<CallerName>('developer', 'developer, writing token') },
    { weight: 1, arbitrary: fc.constantFrom<CallerName>(...callers) },
  ),
  maximum: fc.constantFrom(4, 4, 70),
  ifMatch: fc.oneof(
    { weight: 5, arbitrary: fc.constant<Change['ifMatch']>('none') },
    { weight: 3, arbitrary: fc.constantFrom<Change['ifMatch']>('right', 'one of two', 'any') },
    { weight: 1, arbitrary: fc.constantFrom<Change['ifMatch']>('wrong', 'weak', 'malformed') },
  ),
  expected: fc.constantFrom<Change['expected']>('none', 'none', 'none', 'right', 'wrong'),
  puts,
  deletions,
  back: fc.integer({ min: -1, max: 8 }),
  isPartial: fc.boolean(),
  message: fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(undefined, 'because') },
    { weight: 1, arbitrary: fc.constant('x'.repeat(201)) },
  ),
  overwrite: fc.boolean(),
});

let credentials: Record<CallerName, Caller>;

const api = shared(() =>
  startObservedApi({ REQUESTS_PER_MINUTE: '-1' }, async name =>
    name.area === 'workers' ? async () => ({ batchItemFailures: [] }) : loadFromFunctions(name),
  ),
);
const place = shared(() => openWorkplace(api));
beforeAll(async () => {
  const { owner, project } = place;
  const roles = ['admin', 'developer', 'viewer'] as const;
  const [admin, developer, viewer] = (await Promise.all(roles.map(place.member))) as [Person, Person, Person];
  const organizationId = owner.organization.id;
  const limited = { organizationId, projectId: project.id, environmentId: place.environmentId('dev') };
  credentials = {
    owner: owner.session,
    admin: admin.session,
    developer: developer.session,
    viewer: viewer.session,
    'owner, reading token': await createToken(api, owner, { access: 'read' }),
    'developer, writing token': await createToken(api, developer, { access: 'write' }),
    'owner, dev only': await createToken(api, owner, limited),
  };
  // A template never blocks a change.
  const template = `/templates/${owner.organization.slug}/${place.project.slug}`;
  for (const body of [{ key: 'A', pattern: '[a-z]+' }, { key: 'NEVER_SET' }]) {
    expect((await api.post(template, body, owner.session)).status).toBe(201);
  }
  const events = ['created', 'updated', 'deleted', 'promoted', 'bulk_set', 'bulk_delete'].map(name => `secret.${name}`);
  await api.post(`/webhooks/${owner.organization.id}`, { url: 'http://127.0.0.1:9/', events }, owner.session);
});

async function limitTo(maximum: number): Promise<void> {
  const limitOverrides = { maxProjects: -1, maxSecretsPerEnvironment: maximum };
  await transact([update(at(organizationRecord, place.owner.organization.slug), { set: { limitOverrides } })]);
}

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

function requestOf(change: Change, before: Picture) {
  const { kind, env, expected, puts, deletions, back, isPartial, message, overwrite } = change;
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
    case 'dotenv': {
      const dotenv = Object.entries(puts).map(([key, value]) => `${key}='${value}'`);
      return { method: 'POST', path: `${root}/bulk`, body: { dotenv: dotenv.join('\n'), ...why } };
    }
    case 'bulk-delete':
      return { method: 'POST', path: `${root}/bulk-delete`, body: { keys: deletions, ...why } };
    case 'promote': {
      const body = { from: env === 'dev' ? 'production' : 'dev', to: env, overwrite, ...why };
      const path = `/secrets/${place.owner.organization.slug}/${place.project.slug}/promote`;
      return { method: 'POST', path, body: isPartial ? { ...body, keys: deletions } : body };
    }
    case 'restore': {
      const body = { revision: Math.max(0, before.revision - back), ...why };
      return { method: 'POST', path: `${root}/restore`, body: isPartial ? { ...body, keys: deletions } : body };
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
  const right = `"${before.revision}"`;
  const wrong = `"${before.revision + 7}"`;
  const tags = { any: '*', right, wrong, 'one of two': `${wrong}, ${right}`, weak: `W/${right}`, malformed: 'one' };
  const headers = {
    ...conducted,
    ...(change.ifMatch === 'none' ? {} : { 'if-match': tags[change.ifMatch] }),
  };
  const parameters = new URLSearchParams({ ...request.query, ...query }).toString();
  const path = parameters === '' ? request.path : `${request.path}?${parameters}`;
  const body = 'body' in request ? { body: request.body } : {};
  return api.call(request.method, path, { ...body, as: credentials[change.caller], headers });
}

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

/** Audit entries as they are read, whose actions are packed in the table. */
const readItems = async () =>
  (await allItems()).map(item => (item.kind === auditRecord.kind ? unpacked(item) : item) as Record<string, unknown>);

async function comparisons(): Promise<string[][]> {
  const entries = (await readItems()).filter(({ action }) => action === 'secret.compared') as {
    createdAt: string;
    keys: string[];
  }[];
  return entries.toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1)).map(({ keys }) => keys.toSorted());
}

/** The whole table, except recorded comparisons and the last use of credentials, which every request updates. */
async function dump(): Promise<string[]> {
  const items = (await readItems())
    .filter(({ action }) => action !== 'secret.compared')
    .map(({ lastUsedAt: _, ...item }) => item);
  return items.map(item => JSON.stringify(Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1)))).toSorted();
}

it('a plan matches the change for any state, change, caller, precondition and limit, and leaves no trace', {
  timeout: Math.max(120_000, cases * 2000),
}, async () => {
  const seen: Record<string, number> = {};
  await fc.assert(
    fc.asyncProperty(change, async change => {
      await limitTo(change.maximum);
      const before = await pictureOf(change.env);
      const table = await dump();
      const comparedBefore = await comparisons();
      const { answer: dry, calls } = await recordRequest(headers => send(change, before, { dryRun: 'true' }, headers));
      expect(await dump()).toEqual(table);
      expect(calls.filter(({ service }) => service === 'sqs')).toEqual([]);
      const told: string[] = dry.body.plan?.unchanged ?? [];
      expect((await comparisons()).slice(comparedBefore.length)).toEqual(told.length === 0 ? [] : [told.toSorted()]);

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
      expect(dry.body.ambiguous).toEqual(real.body.ambiguous);
      const listed = (await place.pull(change.env, '/revisions?limit=1')).body.revisions[0];
      if (isChange) expect(listed).toMatchObject({ revision: after.revision, created, updated, deleted });
      const mayRead = change.env === 'dev' || !change.caller.startsWith('developer');
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

function statedBy(kind: Change['kind'], { status, body }: Answer) {
  if (kind === 'set') return { isCreated: status === 201, isChanged: body.changed };
  if (kind === 'delete') return { success: body.success };
  const { revision: _, restored: __, ambiguous: ___, ...lists } = body;
  return Object.fromEntries(Object.entries(lists).map(([name, keys]) => [name, (keys as string[]).toSorted()]));
}

function pick({ created, updated, unchanged, deleted, skipped }: Plan, kind: Change['kind']) {
  switch (kind) {
    case 'set':
      return { isCreated: created.length === 1, isChanged: unchanged.length === 0 };
    case 'delete':
      return { success: deleted.length === 1 };
    case 'import':
    case 'dotenv':
      return { created, updated, unchanged };
    case 'changes':
    case 'restore':
      return { created, updated, unchanged, deleted };
    case 'bulk-delete':
      return { deleted, notFound: skipped };
    case 'promote':
      return { promoted: [...created, ...updated].toSorted(), skipped, unchanged };
  }
}

const allKinds = ['set', 'delete', 'import', 'dotenv', 'bulk-delete', 'promote', 'changes', 'restore'] as const;

function changeOf(kind: Change['kind'], maximum: number, puts: Change['puts'], deletions: string[]): Change {
  const base = { env: 'dev', caller: 'owner', ifMatch: 'none', expected: 'none', back: 1 } as const;
  const rest = { isPartial: false, message: undefined, overwrite: true };
  return { ...base, ...rest, kind, maximum, puts, deletions };
}

it('a misspelled dryRun is rejected by every write, and changes nothing', async () => {
  await place.set('dev', 'A', 'one');
  const before = await pictureOf('dev');
  for (const kind of allKinds) {
    const change = changeOf(kind, 4, { A: 'two' }, ['A']);
    for (const query of [{ dryRn: 'true' }, { dryrun: 'true' }, { dryRun: 'yes' }, { dryRun: '' }]) {
      const answer = await send(change, before, query as Record<string, string>);
      expect([kind, answer.status, answer.body.error.code]).toEqual([kind, 400, 'invalid_request']);
    }
  }
  expect(await pictureOf('dev')).toEqual(before);
});

describe('a dry run alongside a large change', () => {
  const large = numbered(60, 'large');
  const kinds = allKinds.filter(kind => kind !== 'dotenv');
  const all = kinds.map(kind => changeOf(kind, 70, { K0: 'two', A: 'one' }, kind === 'changes' ? ['B'] : ['A']));
  // In an import of 60 keys, call 7 writes heads.
  const writingHeads = 7;

  beforeEach(async () => {
    await limitTo(-1);
    await place.importAll('production', { A: 'other', K0: 'other' });
    await place.importAll('dev', { A: 'one', B: 'one', K0: 'one' });
  });
  const plansOf = async (before: Picture) => {
    const answers = [];
    for (const change of all) answers.push(await send(change, before, { dryRun: 'true' }));
    return answers;
  };

  it('leaves no trace and ignores the change if its writer died', async () => {
    const before = await pictureOf('dev');
    const expected = (await plansOf(before)).map(({ body }) => body);
    const died = { kind: 'dies-after', position: writingHeads } as const;
    await withFault(died, headers => place.importAll('dev', large, { headers }));
    const table = await dump();
    const plans = await plansOf(before);
    expect(plans.map(({ status }) => status)).toEqual(all.map(() => 200));
    expect(plans.map(({ body }) => body)).toEqual(expected);
    expect(await dump()).toEqual(table);
    await expireLease(place, 'dev');
    expect((await place.set('dev', 'A', 'two')).body.revision).toBe(before.revision + 1);
  });

  it('does not wait for a change that is still in progress', async () => {
    const before = await pictureOf('dev');
    let plans: Answer[] = [];
    const imported = await stalling(
      ({ position }) => position === writingHeads,
      headers => place.importAll('dev', large, { headers }),
      async () => {
        plans = await plansOf(before);
      },
    );
    expect(imported.body.revision).toBe(before.revision + 1);
    expect(plans.map(({ status, body }) => [status, body.revision])).toEqual(all.map(() => [200, before.revision]));
  });
});
