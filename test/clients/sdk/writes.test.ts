import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { type Environment, Holdfast, RevisionMismatch, VersionMismatch } from '#clients/sdk/src/index.ts';
import { createProject, createToken, startApi } from '#test/support/api.ts';
import { shared, untilEnd } from '#test/support/fixtures.ts';
import { seedPerson } from '#test/support/people.ts';
import { type Pass, passTo } from '../relay.ts';
import {
  json,
  type ReceivedRequest,
  type Respond,
  refusal,
  reset,
  type ScriptedServer,
  startServer,
} from './scripted-server.ts';
import { failureOf } from './variables.ts';

let server: ScriptedServer;
let client: Holdfast;
/** A client without interference. */
let direct: Holdfast;
let place: [organization: string, project: string];
let environment: Environment;
const api = shared(startApi);
/** A new project of the running service; the test may intercept its requests. */
async function start(between: (pass: Pass) => Respond = pass => pass): Promise<void> {
  // Each test has its own user, because plans limit the number of projects.
  const ada = await seedPerson();
  const { token } = await createToken(api, ada);
  const { slug } = await createProject(api, ada);
  place = [ada.organization.slug, slug];
  server = await untilEnd(startServer(between(passTo(api.url))));
  direct = new Holdfast({ url: api.url, token });
  client = new Holdfast({ url: server.url, token, retries: 1 });
  environment = client.environment(...place, 'dev');
}

const requests = () => server.requests;
const values = async (slug = 'dev') => ({ ...(await direct.environment(...place, slug).pull()).toObject() });

/** Executes the matching requests, and drops the first response. */
function losing(matches: (request: ReceivedRequest) => boolean) {
  let lost = false;
  return (pass: Pass): Respond =>
    (request, response) => {
      if (lost || !matches(request)) return void pass(request, response);
      lost = true;
      const { socket } = response;
      const end = response.end.bind(response);
      response.end = () => {
        socket?.resetAndDestroy();
        return end();
      };
      void pass(request, response);
    };
}

const isChange = ({ method, query }: ReceivedRequest) => method !== 'GET' && !query.has('dryRun');
const sent = () => requests().map(({ method, path }) => `${method} ${path.split('/').slice(5).join('/')}`);

describe('a write', () => {
  it('sends its conditions and its message', async () => {
    await start();
    await environment.set('A', '1', { ifVersion: 0, ifRevision: 0, message: 'the first' });
    await environment.import({ B: '2' }, { ifRevision: 1, message: 'more' });
    await environment.importDotenv('C=3', { message: 'a file' });
    await environment.delete(['A'], { message: 'gone' });
    await environment.delete(['B', 'X'], { ifRevision: 4 });
    expect(requests().map(({ headers, query, body }) => [headers['if-match'], query.get('message'), body])).toEqual([
      ['"0"', null, { key: 'A', value: '1', expectedVersion: 0, message: 'the first' }],
      ['"1"', null, { secrets: [{ key: 'B', value: '2' }], message: 'more' }],
      [undefined, null, { dotenv: 'C=3', message: 'a file' }],
      [undefined, 'gone', undefined],
      ['"4"', null, { keys: ['B', 'X'] }],
    ]);
    expect(await values()).toEqual({ C: '3' });
  });

  it('rejects a value that JSON would drop or change, before anything is sent', async () => {
    await start();
    for (const odd of [undefined, null, 7, { toString: () => 'x' }]) {
      const values = { A: '1', B: odd } as unknown as Record<string, string>;
      await expect(environment.import(values)).rejects.toThrow('The value of B must be a string.');
      await expect(environment.set('B', odd as unknown as string)).rejects.toThrow(TypeError);
      await expect(environment.plan({ set: values })).rejects.toThrow(TypeError);
    }
    expect(requests()).toHaveLength(0);
  });

  it('lets a value name other keys only if it says so', async () => {
    await start();
    const url = `http://\u0024{HOST}/`;
    const named = { value: url, expand: true } as const;
    await environment.import({ HOST: 'one', PLAIN: url, URL: named });
    await environment.set('OTHER', url, { expand: true });
    const plan = await environment.plan({ set: { HOST: 'two', URL: named, PLAIN: named } });
    expect([plan.updated, plan.unchanged]).toEqual([['HOST', 'PLAIN'], ['URL']]);
    const expanded = await environment.pull();
    const raw = await environment.pull({ raw: true });
    expect({ ...expanded.toObject() }).toEqual({ HOST: 'one', PLAIN: url, URL: 'http://one/', OTHER: 'http://one/' });
    expect({ ...raw.toObject() }).toEqual({ HOST: 'one', PLAIN: url, URL: url, OTHER: url });
    const keys = ['HOST', 'OTHER', 'PLAIN', 'URL'];
    expect(keys.map(key => [expanded.expands(key), raw.expands(key)])).toEqual([
      [false, false],
      [true, true],
      [false, false],
      [true, true],
    ]);
    const layered = await client.layers([environment]);
    expect(keys.filter(key => layered.expands(key))).toEqual(['OTHER', 'URL']);
    const removed = await failureOf(environment.delete(['HOST']));
    expect(removed).toMatchObject({ code: 'key_referenced', status: 409, details: { referencedBy: ['OTHER', 'URL'] } });
  });

  it('treats __proto__ like any other key', async () => {
    await start();
    await environment.set('__proto__', '1');
    await environment.import(JSON.parse('{"__proto__": "2", "constructor": "3"}'));
    expect(requests().map(({ body }) => JSON.stringify(body))).toEqual([
      '{"key":"__proto__","value":"1"}',
      '{"secrets":[{"key":"__proto__","value":"2"},{"key":"constructor","value":"3"}]}',
    ]);
    expect(Object.entries((await environment.pull()).toObject())).toEqual([
      ['__proto__', '2'],
      ['constructor', '3'],
    ]);
  });

  it('reports another revision or version as an error with the current one', async () => {
    await start();
    await environment.set('A', '1', { ifRevision: 0, ifVersion: 0 });
    const condition = { ifRevision: 0 };
    for (const write of [
      () => environment.set('A', '2', condition),
      () => environment.import({ A: '2' }, condition),
      () => environment.delete(['A'], condition),
    ]) {
      const error = await failureOf(write());
      expect(error).toBeInstanceOf(RevisionMismatch);
      const mismatch = { code: 'revision_mismatch', status: 412, currentRevision: 1, outcomeUnknown: false };
      expect(error).toMatchObject(mismatch);
    }
    const version = await failureOf(environment.set('A', '2', { ifVersion: 0 }));
    expect(version).toBeInstanceOf(VersionMismatch);
    expect(version).toMatchObject({ code: 'version_mismatch', status: 412, currentVersion: 1 });
    // No response was lost, so the client does not check.
    expect(sent()).toEqual(['PUT dev', 'PUT dev', 'POST dev/bulk', 'DELETE dev/A', 'PUT dev']);
    expect(await values()).toEqual({ A: '1' });
  });

  it('reports every problem of an invalid request once', async () => {
    await start();
    const one = await failureOf(environment.import({ A: '1', 'no key': '1' }));
    expect(one.message).toMatch(/^The request is not valid\. secrets\.1\.key: (?!.*secrets)/);
    const many = await failureOf(environment.import({ 'no key': '1', 'nor this': '2', A: '3', '-': '4' }));
    expect(many.message.match(/secrets\.\d\.key: must/g)).toEqual(
      ['0', '1', '3'].map(index => `secrets.${index}.key: must`),
    );
    expect(many.message).not.toContain('more');
    expect(many.details).toHaveLength(3);
  });
});

describe('a conditional write whose response was lost', () => {
  const both = { A: '2', C: '3' };
  const bothUnchanged = { created: [], updated: [], unchanged: ['A', 'C'] };
  const oneDeleted = { deleted: ['A'], notFound: [] };
  const bothMissing = { deleted: [], notFound: ['A', 'B'] };
  const naming = '\u0024{B}';
  const named = { value: naming, expand: true } as const;

  it.each<[string, () => Promise<unknown>, object, Record<string, string>]>([
    ['set', () => environment.set('A', '2', { ifRevision: 1 }), { changed: false }, { A: '2', B: '1' }],
    ['set of a version', () => environment.set('A', '2', { ifVersion: 1 }), { changed: false }, { A: '2', B: '1' }],
    [
      'set of a value that names another key',
      () => environment.set('A', naming, { ifRevision: 1, expand: true }),
      { changed: false, secret: { key: 'A', version: 2 } },
      { A: '1', B: '1' },
    ],
    [
      'import of such a value',
      () => environment.import({ A: named }, { ifRevision: 1 }),
      { created: [], updated: [], unchanged: ['A'] },
      { A: '1', B: '1' },
    ],
    ['import', () => environment.import(both, { ifRevision: 1 }), bothUnchanged, { A: '2', B: '1', C: '3' }],
    ['delete of one', () => environment.delete(['A'], { ifRevision: 1 }), oneDeleted, { B: '1' }],
    ['delete of one, without a condition', () => environment.delete(['A']), oneDeleted, { B: '1' }],
    ['delete of several', () => environment.delete(['A', 'B'], { ifRevision: 1 }), bothMissing, {}],
  ])('succeeds if the state is as requested: %s', async (_, act, result, left) => {
    await start(losing(request => isChange(request) && requests().length > 1));
    await environment.import({ A: '1', B: '1' });
    expect(await act()).toMatchObject({ ...result, revision: 2 });
    expect(await values()).toEqual(left);
    expect(requests().filter(({ method }) => method === 'GET')).toHaveLength(1);
  });

  it('is checked with one pull, no more', async () => {
    await start(losing(isChange));
    const answer = await environment.set('A', '2', { ifRevision: 0 });
    expect(answer).toMatchObject({ secret: { key: 'A', version: 1 }, revision: 1 });
    expect(sent()).toEqual(['PUT dev', 'PUT dev', 'GET dev']);
    expect((await environment.history('A')).versions).toHaveLength(1);
  });

  it.each<[string, () => Promise<unknown>, unknown]>([
    [
      'a plan',
      async () => (await environment.plan({ set: { A: '2' }, delete: ['B'] })).apply(),
      { created: [], updated: [], unchanged: ['A'], deleted: ['B'], revision: 2 },
    ],
    ['dotenv text', () => environment.importDotenv('A=2', { ifRevision: 1 }), { unchanged: ['A'], revision: 2 }],
    ['a restore', () => environment.restore(0, { ifRevision: 1 }), { restored: 0, revision: 2 }],
    [
      'a promotion',
      () => client.project(...place).promote({ from: 'dev', to: 'staging', ifRevision: 0 }),
      { promoted: [], unchanged: ['A', 'B'], revision: 1 },
    ],
  ])('succeeds if the state is as requested: %s', async (_, act, result) => {
    await start(losing(request => isChange(request) && requests().length > 1));
    await environment.import({ A: '1', B: '1' });
    expect(await act()).toMatchObject(result as object);
  });

  /** Drops the first change or its response, and lets another client write in the meantime. */
  function overtaken(isLostOnItsWay: 'there' | 'back', method = 'PUT') {
    let lost = false;
    return (pass: Pass): Respond => {
      const overtake: Pass = async (request, response) => {
        const nowhere = { writeHead: () => nowhere, end: () => nowhere } as unknown as Parameters<Respond>[1];
        if (isLostOnItsWay === 'back') await pass(request, nowhere);
        await direct.environment(...place, 'dev').set('A', 'theirs');
        response.socket?.resetAndDestroy();
      };
      return (request, response) => {
        if (lost || request.method !== method) return void pass(request, response);
        lost = true;
        return void overtake(request, response);
      };
    };
  }

  it('is a mismatch with a known outcome if another client created that revision', async () => {
    await start(overtaken('there'));
    const error = await failureOf(environment.set('A', 'mine', { ifRevision: 0 }));
    expect(error).toBeInstanceOf(RevisionMismatch);
    expect(error).toMatchObject({ currentRevision: 1, outcomeUnknown: false });
    expect(sent()).toEqual(['PUT dev', 'PUT dev', 'GET dev']);
    expect(await values()).toEqual({ A: 'theirs' });
  });

  it('is a failure if a key to delete still exists', async () => {
    await start(overtaken('there', 'DELETE'));
    await environment.import({ A: '1', B: '1' });
    const error = await failureOf(environment.delete(['B'], { ifRevision: 1 }));
    expect(error).toMatchObject({ code: 'revision_mismatch', currentRevision: 2, outcomeUnknown: false });
    expect(await values()).toEqual({ A: 'theirs', B: '1' });
  });

  it('keeps its outcome unknown if more than one revision was created since', async () => {
    await start(overtaken('back'));
    const error = await failureOf(environment.set('A', 'mine', { ifRevision: 0 }));
    expect(error).toBeInstanceOf(RevisionMismatch);
    expect(error).toMatchObject({ currentRevision: 2, outcomeUnknown: true });
    expect(sent()).toEqual(['PUT dev', 'PUT dev']);
  });

  it('keeps its outcome unknown without read access', async () => {
    await start(pass => {
      const lossy = losing(isChange)(pass);
      return (request, response) => (request.method === 'GET' ? refusal(403, 'forbidden') : lossy)(request, response);
    });
    const error = await failureOf(environment.set('A', '1', { ifRevision: 0 }));
    expect(error).toBeInstanceOf(RevisionMismatch);
    expect(error.outcomeUnknown).toBe(true);
    expect(await values()).toEqual({ A: '1' });
  });
});

describe('a plan', () => {
  it('shows what would happen, does nothing, and applies exactly that', async () => {
    await start();
    await environment.import({ A: '1', B: '1', C: '1' });
    const plan = await environment.plan({ set: { A: '2', C: '1', D: '4' }, delete: ['B'], message: 'why' });
    const changes = { created: ['D'], updated: ['A'], unchanged: ['C'], deleted: ['B'] };
    expect({ ...plan }).toEqual({ ...changes, skipped: [], revision: 1 });
    expect(await values()).toEqual({ A: '1', B: '1', C: '1' });
    expect(await plan.apply()).toEqual({ ...changes, revision: 2 });
    expect(await values()).toEqual({ A: '2', C: '1', D: '4' });
    const [dry, real] = requests().slice(1);
    expect([dry?.query.get('dryRun'), dry?.headers['if-match']]).toEqual(['true', undefined]);
    expect([real?.query.get('dryRun'), real?.headers['if-match']]).toEqual([null, '"1"']);
    expect([real?.body, real?.body.message]).toEqual([dry?.body, 'why']);
    expect((await environment.revisions({ limit: 1 })).revisions).toMatchObject([{ revision: 2, message: 'why' }]);
    await expect(plan.apply()).rejects.toThrow(RevisionMismatch);
  });

  it('leaves nothing unknown if it gets no answer', async () => {
    await start(pass => (request, response) => (request.query.has('dryRun') ? reset : pass)(request, response));
    const error = await failureOf(environment.plan({ set: { A: '1' } }));
    expect(error).toMatchObject({ code: 'connection_failed', outcomeUnknown: false });
    expect(sent()).toEqual(['POST dev/changes', 'POST dev/changes']);
  });

  it('must change something, and can’t delete a missing key', async () => {
    await start();
    expect(await failureOf(environment.plan({}))).toMatchObject({ code: 'invalid_request' });
    expect(await failureOf(environment.plan({ delete: ['A'] }))).toMatchObject({ code: 'secret_not_found' });
  });

  it('applies nothing if the environment has changed', async () => {
    await start();
    const plan = await environment.plan({ set: { A: '2' } });
    await environment.set('B', '1');
    const error = await failureOf(plan.apply());
    expect(error).toMatchObject({ code: 'revision_mismatch', currentRevision: 1, outcomeUnknown: false });
    expect(await values()).toEqual({ B: '1' });
  });

  it('shows no value', async () => {
    await start();
    const plan = await environment.plan({ set: { A: 'a-value-that-nobody-may-log' } });
    expect(inspect(plan, { depth: 20, showHidden: true }) + JSON.stringify(plan)).not.toContain('nobody-may-log');
  });

  it('of a promotion or a restore works alike', async () => {
    await start();
    const project = client.project(...place);
    const staging = client.environment(...place, 'staging');
    await environment.import({ A: '1', B: '1' });
    await staging.import({ B: 'old', C: '1' });
    const promotion = await project.planPromote({ from: 'dev', to: 'staging', overwrite: false });
    expect(promotion).toMatchObject({ created: ['A'], skipped: ['B'], revision: 1 });
    expect(await promotion.apply()).toEqual({ promoted: ['A'], skipped: ['B'], unchanged: [], revision: 2 });
    await staging.set('C', '2');
    const restoration = await staging.planRestore(1, { message: 'back' });
    expect(restoration).toMatchObject({ updated: ['C'], deleted: ['A'], unchanged: ['B'], revision: 3 });
    expect(await restoration.apply()).toMatchObject({ updated: ['C'], deleted: ['A'], restored: 1, revision: 4 });
    expect(await values('staging')).toEqual({ B: 'old', C: '1' });
  });

  it('is not accepted from a response that is not a plan', async () => {
    await start(() => json(200, { created: ['A'], updated: [], unchanged: [], deleted: [], revision: 4 }));
    expect(await failureOf(environment.plan({ set: { A: '1' } }))).toMatchObject({ code: 'gateway_error' });
  });
});

it('the past is listed, compared, read and restored', async () => {
  await start();
  const staging = client.environment(...place, 'staging');
  await environment.import({ A: '1', B: '1' }, { message: 'begin' });
  await environment.set('A', '2', { message: 'raise' });
  await environment.delete(['B'], { message: 'drop' });
  await staging.import({ A: '1', S: '1' });

  const { revisions, next } = await environment.revisions({ limit: 2 });
  expect(revisions).toMatchObject([
    { revision: 3, updated: [], deleted: ['B'], message: 'drop' },
    { revision: 2, updated: ['A'], deleted: [], message: 'raise' },
  ]);
  const older = await environment.revisions({ before: next as number });
  expect(older).toMatchObject({ revisions: [{ revision: 1, message: 'begin', created: ['A', 'B'] }], next: null });
  expect((await staging.revisions()).revisions).toMatchObject([{ revision: 1, message: null }]);

  const changes = { from: 1, to: 3, created: [], updated: [{ key: 'A' }], deleted: [{ key: 'B' }] };
  expect([await environment.diff(1), await environment.diff(1, 3)]).toEqual([changes, changes]);
  const change = [{ key: 'A', before: '1', after: '2' }];
  expect((await environment.diff(1, 2, { values: true })).updated).toEqual(change);
  expect((await environment.diff(1, undefined, { values: true })).updated).toEqual(change);
  expect((await environment.pull({ revision: 1 })).toObject()).toEqual({ A: '1', B: '1' });
  expect((await environment.keys({ revision: 1 })).keys.map(({ key }) => key)).toEqual(['A', 'B']);
  expect((await environment.pull({ keys: ['A'] })).toObject()).toEqual({ A: '2' });
  expect(await failureOf(environment.pull({ keys: ['B'] }))).toMatchObject({ code: 'secret_not_found' });
  expect(await failureOf(environment.pull({ revision: 9 }))).toMatchObject({ code: 'revision_not_found' });

  expect(await environment.compare('staging')).toEqual({
    from: { slug: 'dev', revision: 3 },
    to: { slug: 'staging', revision: 1 },
    onlyFrom: [],
    onlyTo: [{ key: 'S' }],
    different: [{ key: 'A' }],
    same: [],
  });
  expect((await environment.compare('staging', { values: true })).different).toEqual([
    { key: 'A', from: '2', to: '1' },
  ]);
  const restored = await environment.restore(1, { keys: ['B'], message: 'back' });
  expect(restored).toMatchObject({ created: ['B'], restored: 1, revision: 4 });
  expect(await values()).toEqual({ A: '2', B: '1' });
  const { onlyFrom } = await environment.compare('staging', { values: true });
  expect(onlyFrom).toEqual([{ key: 'B', from: '1' }]);
});
