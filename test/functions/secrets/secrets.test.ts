import { describe, expect, it } from 'vitest';
import { type Answer, codeOf } from '#test/support/api.ts';
import { openWorkplace, useWorkplace } from '#test/support/environments.ts';
import { numbered } from '#test/support/numbered.ts';

const { api, owner, place } = useWorkplace();
const shown = ({ body }: Answer) => body.secrets.map(({ key, value }: Record<string, string>) => `${key}=${value}`);

describe('setting a secret', () => {
  it('creates it with version 1, and does not return the value', async () => {
    const answer = await place.set('dev', 'DATABASE_HOST', 'db.internal');
    const secret = { key: 'DATABASE_HOST', version: 1 };
    expect(answer).toMatchObject({ status: 201, body: { changed: true, revision: 1, secret } });
    expect(answer.body.secret.updatedBy).toEqual({ id: owner.user.id, email: owner.email });
    expect(JSON.stringify(answer.body)).not.toContain('db.internal');
  });

  it('writes the next version and keeps the creation time', async () => {
    const first = (await place.set('dev', 'A', 'one')).body.secret;
    const answer = await place.set('dev', 'A', 'two');
    const secret = { version: 2, createdAt: first.createdAt };
    expect(answer).toMatchObject({ status: 200, body: { changed: true, revision: 2, secret } });
    expect(await place.values('dev')).toEqual({ A: 'two' });
  });

  it('changes nothing if the secret already has the value', async () => {
    const first = await place.set('dev', 'A', 'one');
    const again = await place.set('dev', 'A', 'one');
    expect([again.status, again.body]).toEqual([200, { secret: first.body.secret, changed: false, revision: 1 }]);
    expect(await place.entriesOf('secret.created')).toHaveLength(1);
    expect(await place.entriesOf('secret.updated')).toHaveLength(0);
  });

  it('accepts values of every kind and returns them byte for byte', async () => {
    const values: Record<string, string> = {
      EMPTY: '',
      NUL: '\u0000a\u0000',
      CONTROL: '\u0001\u001f\u007f\r\n\t',
      UNICODE: 'žluťoučký 🐎 \u{10FFFF} \uFEFF \u2028 עברית e\u0301',
      QUOTES: `"'\\\`$\{x}`,
      LONG: 'ü'.repeat(32_768),
      NULS: '\u0000'.repeat(65_536),
      __proto__x: 'p',
    };
    for (const [key, value] of Object.entries(values)) expect((await place.set('dev', key, value)).status).toBe(201);
    expect(await place.values('dev')).toEqual(values);
    expect((await place.set('dev', 'LONG', 'ü'.repeat(32_769))).status).toBe(400);
    expect((await place.set('dev', 'HALF', '\ud800')).status).toBe(400);
  });

  it('treats __proto__ like any other key', async () => {
    expect((await place.set('dev', '__proto__', 'one')).status).toBe(201);
    const body = '{"secrets":{"__proto__":"two","constructor":"c"}}';
    const imported = await api.post(place.at('dev', '/bulk'), body, owner.session);
    expect(imported.body).toMatchObject({ created: ['constructor'], updated: ['__proto__'] });
    expect(shown(await place.pull('dev'))).toEqual(['__proto__=two', 'constructor=c']);
    expect((await place.remove('dev', '__proto__')).body).toEqual({ success: true, revision: 3 });
  });

  it('requires the expected version; 0 means that the secret must not exist', async () => {
    const put = async (value: string, expectedVersion: number) => {
      const answer = await place.set('dev', 'A', value, { body: { expectedVersion } });
      const { error, secret } = answer.body;
      return [codeOf(answer), error?.details ?? secret.version, error?.message];
    };
    const missing = 'The secret A does not exist.';
    expect(await put('one', 1)).toEqual(['412 version_mismatch', { currentVersion: 0 }, missing]);
    expect(await put('one', 0)).toEqual(['201 ok', 1, undefined]);
    expect((await put('two', 0)).slice(0, 2)).toEqual(['412 version_mismatch', { currentVersion: 1 }]);
    expect(await put('two', 1)).toEqual(['200 ok', 2, undefined]);
    await place.remove('dev', 'A');
    expect(await put('three', 3)).toEqual(['412 version_mismatch', { currentVersion: 0 }, missing]);
    expect(await put('three', 0)).toEqual(['201 ok', 4, undefined]);
  });

  it('checks the revision in If-Match before the expected version', async () => {
    const set = (ifMatch: string, body = {}) =>
      place.set('dev', 'A', ifMatch, { headers: { 'if-match': ifMatch }, body });
    expect((await set('"0"')).status).toBe(201);
    const stale = await set('"0"');
    expect([codeOf(stale), stale.body.error.details]).toEqual(['412 revision_mismatch', { currentRevision: 1 }]);
    expect((await set('W/"1"')).status).toBe(412);
    expect((await set('"0", "1"')).status).toBe(200);
    expect((await set('*')).status).toBe(200);
    const malformed = await set('1');
    expect([malformed.status, malformed.body.error.details[0].path]).toEqual([400, 'if-match']);
    expect(codeOf(await set('"99"', { expectedVersion: 99 }))).toBe('412 revision_mismatch');
  });

  it('is recorded in the audit log with its key and revision, without the value', async () => {
    await place.set('dev', 'A', 'a-value-to-look-for');
    const [entry] = await place.entriesOf('secret.created');
    expect(entry).toMatchObject({
      action: 'secret.created',
      target: { type: 'project', id: place.project.id, name: place.project.slug },
      environment: { slug: 'dev' },
      keys: ['A'],
      revision: 1,
      actor: { id: owner.user.id, type: 'session' },
    });
    expect(JSON.stringify(entry)).not.toContain('a-value-to-look-for');
  });
});

describe('pulling', () => {
  it('returns an empty environment with revision 0, and records the pull', async () => {
    const answer = await place.pull('dev');
    expect([answer.status, answer.body]).toEqual([200, { secrets: [], revision: 0 }]);
    expect(answer.headers.get('etag')).toBe('"0"');
    expect(await place.entriesOf('secret.pulled')).toHaveLength(1);
  });

  it('sorts by code unit, paginates with a total and searches by prefix, case-sensitively', async () => {
    await place.importAll('dev', { b: '1', B: '2', _x: '3', A1: '4', A10: '5', A2: '6', 'A.': '7', a: '8' });
    const page = async (query: string) => {
      const { secrets, pagination } = (await place.pull('dev', query)).body;
      return [secrets.map(({ key }: { key: string }) => key).join(' '), pagination];
    };
    expect(await page('')).toEqual(['A. A1 A10 A2 B _x a b', undefined]);
    expect(await page('?search=A1')).toEqual(['A1 A10', undefined]);
    expect(await page('?limit=2&offset=3')).toEqual(['A2 B', { limit: 2, offset: 3, total: 8 }]);
    expect(await page('?search=A&limit=1')).toEqual(['A.', { limit: 1, offset: 0, total: 4 }]);
    expect(await page('?search=A&limit=5&offset=1')).toEqual(['A1 A10 A2', { limit: 5, offset: 1, total: 4 }]);
    expect(await page('?offset=7')).toEqual(['A. A1 A10 A2 B _x a b', undefined]);
    expect(await page('?limit=5&offset=100')).toEqual(['', { limit: 5, offset: 100, total: 8 }]);
    expect(await page('?search=%23')).toEqual(['', undefined]);
    for (const query of ['?limit=0', '?limit=501', '?limit=', '?search=', '?offset=-1']) {
      expect((await place.pull('dev', query)).status).toBe(400);
    }
    const recorded = (await place.entriesOf('secret.pulled')).map(({ keys }) => keys);
    expect(recorded).toEqual([[], [], undefined, ['A1', 'A10', 'A2'], ['A.'], ['A2', 'B'], ['A1', 'A10'], undefined]);
  });

  it('returns 304 for its own revision, for values and keys, without an audit entry', async () => {
    await place.set('dev', 'A', 'one');
    const tag = (await place.pull('dev')).headers.get('etag') as string;
    const pull = (path: string, known: string) => place.pull('dev', path, { headers: { 'if-none-match': known } });
    for (const path of ['', '/keys']) {
      const unchanged = await pull(path, `"7", W/${tag}`);
      expect([unchanged.status, unchanged.body, unchanged.headers.get('etag')]).toEqual([304, undefined, tag]);
      expect((await pull(path, '*')).status).toBe(304);
      expect((await pull(path, '"7"')).status).toBe(200);
      expect((await pull(path, 'junk')).status).toBe(400);
    }
    expect(await place.entriesOf('secret.pulled')).toHaveLength(2);
    await place.set('dev', 'A', 'two');
    expect((await pull('', tag)).body.revision).toBe(2);
  });

  it('lists keys without values and without an audit entry', async () => {
    await place.importAll('dev', { B: 'bbb', A: 'aaa' });
    const { status, body, headers } = await place.pull('dev', '/keys?limit=1');
    expect(status).toBe(200);
    expect(body).toMatchObject({ revision: 1, keys: [{ key: 'A', version: 1 }], pagination: { total: 2 } });
    expect(body.keys[0]).not.toHaveProperty('value');
    expect(headers.get('etag')).toBe('"1"');
    expect(await place.entriesOf('secret.pulled')).toHaveLength(0);
  });

  it('reports which part of the path does not exist', async () => {
    const { slug } = owner.organization;
    const stranger = await openWorkplace(api);
    const codes = [
      await place.pull('nope'),
      await api.get(`/secrets/${slug}/nope/dev`, owner.session),
      await api.get(`/secrets/nope-${slug.slice(0, 20)}/shop/dev`, owner.session),
      await place.pull('dev', '', { as: stranger.owner.session }),
    ].map(({ body }) => body.error.code);
    const missing = ['environment_not_found', 'project_not_found', 'organization_not_found', 'organization_not_found'];
    expect(codes).toEqual(missing);
  });
});

describe('importing', () => {
  it('reads dotenv text as the named tool does, in an import and in changes, and lists what tools read differently', async () => {
    const read = await place.importAll('dev', 'A=v#f\nB=1', { body: { dialect: 'node' } });
    expect(read.body).toEqual({ created: ['A', 'B'], updated: [], unchanged: [], revision: 1 });
    const planned = await place.change('dev', { dotenv: 'A=v#f', delete: ['B'] }, { query: '?dryRun=true' });
    const readers = { node: 1, python: 2, docker: 2, compose: 2, systemd: 2, sh: 2 };
    expect(planned.body).toMatchObject({ dryRun: true, ambiguous: [{ line: 1, key: 'A', readers }] });
    const refused = await place.change('dev', { dotenv: 'A=v#geheim', dialect: 'strict' });
    expect(refused).toMatchObject({ status: 400, body: { error: { code: 'invalid_request' } } });
    expect(JSON.stringify(refused.body)).toMatch(/line 1 sets A/);
    expect(JSON.stringify(refused.body)).not.toContain('geheim');
    const changed = await place.change('dev', { dotenv: 'A=v#f', dialect: 'compose', delete: ['B'] });
    expect(changed.body).toEqual({ created: [], updated: ['A'], unchanged: [], deleted: ['B'], revision: 2 });
    expect(await place.values('dev')).toEqual({ A: 'v#f' });
  });

  it('accepts a list, an object and dotenv text, and reports what it did', async () => {
    const list = await place.importAll('dev', [
      { key: 'A', value: '1' },
      { key: 'B', value: '2' },
    ]);
    expect(list.body).toEqual({ created: ['A', 'B'], updated: [], unchanged: [], revision: 1 });
    const map = await place.importAll('dev', { B: '2', A: 'one', C: '3' });
    expect(map.body).toEqual({ created: ['C'], updated: ['A'], unchanged: ['B'], revision: 2 });
    const text = await place.importAll('dev', '# comment\nexport D="4\\n"\nA=one # same\n');
    // A shell keeps the backslash, docker and systemd refuse `export`.
    const readers = { node: 1, python: 1, docker: 0, compose: 1, systemd: 0, sh: 2 };
    const ambiguous = [
      { line: 2, key: 'D', readers },
      // systemd and docker keep the comment.
      { line: 3, key: 'A', readers: { node: 1, python: 1, docker: 2, compose: 1, systemd: 2, sh: 1 } },
    ];
    expect(text.body).toEqual({ created: ['D'], updated: [], unchanged: ['A'], revision: 3, ambiguous });
    expect(await place.values('dev')).toEqual({ A: 'one', B: '2', C: '3', D: '4\n' });
    expect(await place.entriesOf('secret.bulk_set')).toMatchObject([
      { keys: ['D'], revision: 3 },
      { keys: ['A', 'C'], revision: 2 },
      { keys: ['A', 'B'], revision: 1 },
    ]);
  });

  it('changes nothing if all values are already set', async () => {
    await place.importAll('dev', { A: '1' });
    const { body } = await place.importAll('dev', { A: '1' });
    expect(body).toEqual({ created: [], updated: [], unchanged: ['A'], revision: 1 });
    expect(await place.entriesOf('secret.bulk_set')).toHaveLength(1);
  });

  it('accepts a thousand keys as one change, and rejects more, duplicates and none', async () => {
    const many = (count: number) => Array.from({ length: count }, (_, i) => ({ key: `K${i}`, value: `v${i}` }));
    const imported = await place.importAll('dev', many(1000));
    expect([imported.status, imported.body.created.length, imported.body.revision]).toEqual([200, 1000, 1]);
    const values = await place.values('dev');
    expect([Object.keys(values).length, values.K999]).toEqual([1000, 'v999']);
    expect((await place.importAll('dev', many(1001))).status).toBe(400);
    expect((await place.importAll('dev', [])).status).toBe(400);
    expect((await place.importAll('dev', [...many(1), ...many(1)])).status).toBe(400);
    const { project } = (await api.get(place.projectPath, owner.session)).body;
    expect(project.environments[0]).toMatchObject({ slug: 'dev', revision: 1, secretCount: 1000 });
  });

  it('limits an environment to 4 MiB however it is filled, and rejects only growth', async () => {
    const big = (from: number, count: number, fill: string) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`BIG_${from + i}`, fill.repeat(65_536)]));
    expect((await place.importAll('dev', big(0, 40, 'a'))).status).toBe(200);
    expect((await place.importAll('dev', big(40, 23, 'b'))).status).toBe(200);
    const over = await place.importAll('dev', big(63, 1, 'c'));
    expect([over.status, over.body.error.code]).toEqual([413, 'payload_too_large']);
    expect(over.body.error.details.maximumBytes).toBe(4 * 1024 * 1024);
    expect((await place.set('dev', 'BIG_0', 'z'.repeat(65_536))).status).toBe(200);
    // NULs take six bytes each in JSON.
    expect((await place.set('dev', 'BIG_1', '\u0000'.repeat(65_536))).status).toBe(413);
    expect((await place.set('dev', 'BIG_1', 'small')).status).toBe(200);
    const values = await place.values('dev');
    expect([Object.keys(values).length, values.BIG_41]).toEqual([63, 'b'.repeat(65_536)]);
  });
});

describe('reading specific keys', () => {
  const pullKeys = (query: string, headers = {}) => place.pull('dev', `?keys=${query}`, { headers });

  it('returns exactly these, in key order, and records them', async () => {
    await place.importAll('dev', { A: 'one', B: 'two', C: 'three' });
    const answer = await pullKeys('C,A');
    expect([answer.status, answer.headers.get('etag'), answer.body.revision]).toEqual([200, '"1"', 1]);
    expect(shown(answer)).toEqual(['A=one', 'C=three']);
    expect(await place.entriesOf('secret.pulled')).toMatchObject([{ keys: ['A', 'C'], revision: 1 }]);
    expect((await pullKeys('C', { 'if-none-match': '"1"' })).status).toBe(304);
  });

  it('rejects a key that does not exist or was deleted, and records nothing', async () => {
    await place.importAll('dev', { A: 'one', B: 'two' });
    await place.remove('dev', 'B');
    for (const keys of ['A,NOPE', 'B,A']) expect(codeOf(await pullKeys(keys))).toBe('404 secret_not_found');
    expect(await place.entriesOf('secret.pulled')).toEqual([]);
  });

  it('accepts up to 100 distinct keys, without a search or a limit', async () => {
    const names = Object.keys(numbered(101, ''));
    await place.importAll('dev', numbered(101, 'v'));
    expect((await pullKeys(names.slice(1).join())).body.secrets).toHaveLength(100);
    for (const wrong of [names.join(), 'K1,K1', '', 'K1,', 'K1&search=K', 'K1&limit=5']) {
      expect([wrong, (await pullKeys(wrong)).status]).toEqual([wrong, 400]);
    }
  });
});

describe('comparing environments', () => {
  const compare = (query: string) => place.pull('dev', `/compare?${query}`);

  it('returns the differences, with values only on request, and records both reads', async () => {
    await place.importAll('dev', { A: 'a', B: 'same', C: 'dev' });
    await place.importAll('staging', { D: 'd', B: 'same', C: 'staging' });
    await place.set('staging', 'E', 'e');
    const ends = { from: { slug: 'dev', revision: 1 }, to: { slug: 'staging', revision: 2 } };
    expect((await compare('with=staging')).body).toEqual({
      ...ends,
      onlyFrom: [{ key: 'A' }],
      onlyTo: [{ key: 'D' }, { key: 'E' }],
      different: [{ key: 'C' }],
      same: ['B'],
    });
    expect((await compare('with=staging&values=true')).body).toEqual({
      ...ends,
      onlyFrom: [{ key: 'A', from: 'a' }],
      onlyTo: [
        { key: 'D', to: 'd' },
        { key: 'E', to: 'e' },
      ],
      different: [{ key: 'C', from: 'dev', to: 'staging' }],
      same: ['B'],
    });
    const entries = await place.entriesOf('secret.compared');
    expect(entries).toHaveLength(4);
    // Without values, the answer says nothing about the value of a key that only one side has.
    const recorded: [slug: string, revision: number, keys: string[], other: string, values: boolean][] = [
      ['dev', 1, ['B', 'C'], 'staging', false],
      ['staging', 2, ['B', 'C'], 'dev', false],
      ['dev', 1, ['A', 'B', 'C'], 'staging', true],
      ['staging', 2, ['B', 'C', 'D', 'E'], 'dev', true],
    ];
    for (const [slug, revision, keys, other, values] of recorded) {
      const entry = { environment: { id: expect.any(String), slug }, revision, keys, details: { with: other, values } };
      expect(entries).toContainEqual(expect.objectContaining(entry));
    }
  });

  it('with more values than fit in a response is rejected, and writes no entry', async () => {
    for (const env of ['dev', 'staging']) {
      const large = numbered(40, env.padEnd(60_000, 'x'));
      expect((await place.importAll(env, large)).status).toBe(200);
    }
    expect(codeOf(await compare('with=staging&values=true'))).toBe('413 payload_too_large');
    expect(await place.entriesOf('secret.compared')).toEqual([]);
    expect((await compare('with=staging')).body.different).toHaveLength(40);
  });

  it('rejects comparing an environment with itself or with one that does not exist', async () => {
    expect((await compare('with=dev')).status).toBe(400);
    expect((await compare('with=nope')).body.error.code).toBe('environment_not_found');
    expect((await compare('')).status).toBe(400);
    expect(await place.entriesOf('secret.compared')).toEqual([]);
  });
});

describe('sets and deletions as one change', () => {
  const change = (body: object) => place.change('dev', body);

  it('creates one revision and one entry, with the reason', async () => {
    await place.importAll('dev', { A: 'one', B: 'two', C: 'three' });
    const set = [
      { key: 'NEW', value: 'new', expectedVersion: 0 },
      { key: 'A', value: 'changed', expectedVersion: 1 },
      { key: 'B', value: 'two' },
    ];
    expect((await change({ set, delete: ['C'], message: 'a mixture' })).body).toEqual({
      created: ['NEW'],
      updated: ['A'],
      unchanged: ['B'],
      deleted: ['C'],
      revision: 2,
    });
    expect(await place.values('dev')).toEqual({ A: 'changed', B: 'two', NEW: 'new' });
    expect(await place.entriesOf('secret.changed')).toMatchObject([
      { keys: ['NEW', 'A', 'C'], revision: 2, message: 'a mixture' },
    ]);
  });

  it('changes nothing if one of its keys does not exist or has another version', async () => {
    await place.importAll('dev', { A: 'one', B: 'two' });
    const set = { key: 'A', value: 'changed' };
    expect(codeOf(await change({ set: [set], delete: ['B', 'NOPE'] }))).toBe('404 secret_not_found');
    const stale = await change({ set: [{ ...set, expectedVersion: 7 }], delete: ['B'] });
    expect(codeOf(stale)).toBe('412 version_mismatch');
    expect((await place.pull('dev')).body.revision).toBe(1);
    expect(await place.values('dev')).toEqual({ A: 'one', B: 'two' });
  });

  it('accepts 1,000 keys at once', async () => {
    const names = Object.keys(numbered(500, ''));
    await place.importAll('dev', numbered(500, 'old'));
    const set = names.map(name => ({ key: `NEW_${name}`, value: 'new' }));
    const { body } = await change({ set, delete: names });
    expect([body.created.length, body.deleted.length, body.revision]).toEqual([500, 500, 2]);
    expect(Object.keys(await place.values('dev'))).toHaveLength(500);
  });

  it('checks If-Match before missing keys', async () => {
    const stale = { headers: { 'if-match': '"7"' } };
    const answers = [
      await place.remove('dev', 'NOPE', stale),
      await place.change('dev', { delete: ['NOPE'] }, stale),
      await place.promote({ from: 'dev', to: 'staging', keys: ['NOPE'] }, stale),
    ];
    expect(answers.map(({ body }) => body.error.code)).toEqual(answers.map(() => 'revision_mismatch'));
  });

  it('records the reason in the entry of every write', async () => {
    const body = { message: 'for a reason' };
    await place.set('dev', 'A', 'one', { body });
    await place.importAll('dev', 'B=two', { body });
    await place.promote({ from: 'dev', to: 'staging', ...body });
    await place.bulkDelete('dev', ['B'], { body });
    await place.remove('dev', 'A', { query: '?message=for%20a%20reason' });
    const actions = ['created', 'bulk_set', 'promoted', 'bulk_delete', 'deleted'] as const;
    for (const action of actions) expect(await place.entriesOf(`secret.${action}`)).toMatchObject([body]);
  });
});

describe('deleting', () => {
  it('hides the secret, keeps its history and continues its version numbers', async () => {
    await place.set('dev', 'A', 'one');
    expect((await place.remove('dev', 'A')).body).toEqual({ success: true, revision: 2 });
    expect((await place.remove('dev', 'A')).body.error.code).toBe('secret_not_found');
    expect(await place.values('dev')).toEqual({});
    expect(await place.history('dev', 'A')).toMatchObject([{ deleted: true }, { deleted: false }]);
    const again = await place.set('dev', 'A', 'two');
    expect([again.status, again.body.secret.version, again.body.revision]).toEqual([201, 3, 3]);
    const versions = await place.history('dev', 'A');
    const lines = versions.map(({ version, revision, deleted, value }) => `${version} ${revision} ${deleted} ${value}`);
    expect(lines).toEqual(['3 3 false two', '2 2 true undefined', '1 1 false one']);
    expect(versions[0]?.createdBy).toEqual({ id: owner.user.id, email: owner.email });
    expect(await place.entriesOf('secret.deleted')).toMatchObject([{ keys: ['A'], revision: 2 }]);
    expect(await place.entriesOf('secret.created')).toHaveLength(2);
  });

  it('in bulk is one change, and no change if nothing is found', async () => {
    await place.importAll('dev', numbered(60, 'v'));
    const remove = (keys: string[]) => place.bulkDelete('dev', keys);
    const some = await remove(['K1', 'NOPE', 'K0']);
    expect(some.body).toEqual({ deleted: ['K1', 'K0'], notFound: ['NOPE'], revision: 2 });
    expect((await remove(['K1', 'NOPE'])).body).toEqual({ deleted: [], notFound: ['K1', 'NOPE'], revision: 2 });
    const rest = await remove(Array.from({ length: 60 }, (_, i) => `K${i}`));
    expect([rest.body.deleted.length, rest.body.notFound, rest.body.revision]).toEqual([58, ['K0', 'K1'], 3]);
    expect(await place.values('dev')).toEqual({});
    expect(await place.entriesOf('secret.bulk_delete')).toHaveLength(2);
    expect((await remove(['A', 'A'])).status).toBe(400);
  });
});

it('the history is paginated, has values only on request, and records only reads of values', async () => {
  for (const value of ['1', '2', '3', '4', '5']) await place.set('dev', 'A', value);
  const versions = async (query: string) => (await place.pull('dev', `/versions/A${query}`)).body;
  const plain = await versions('');
  expect(plain.versions.map((v: { version: number }) => v.version)).toEqual([5, 4, 3, 2, 1]);
  expect(plain.versions.every((v: object) => !('value' in v))).toBe(true);
  expect(await place.entriesOf('secret.history_read')).toHaveLength(0);
  const page = await versions('?limit=2&offset=1&values=true');
  expect(page).toMatchObject({ versions: [{ value: '4' }, { value: '3' }] });
  expect(page.pagination).toEqual({ limit: 2, offset: 1, total: 5 });
  expect((await versions('?limit=2&offset=9')).versions).toEqual([]);
  const read = { keys: ['A'], revision: 5, details: { versions: '3-4' } };
  expect(await place.entriesOf('secret.history_read')).toMatchObject([read]);
  expect((await place.pull('dev', '/versions/NOPE')).body.error.code).toBe('secret_not_found');
  expect((await place.pull('dev', '/versions/A?values=yes')).status).toBe(400);
});

describe('promoting', () => {
  const promote = (body: object, headers = {}) => place.promote(body, { headers });

  it('copies all or the given secrets and leaves those only in the target', async () => {
    await place.importAll('dev', { A: '1', B: '2', C: '3' });
    await place.importAll('staging', { B: '2', C: 'other', D: '4' });
    const all = await promote({ from: 'dev', to: 'staging' });
    expect(all.body).toEqual({ promoted: ['A', 'C'], skipped: [], unchanged: ['B'], revision: 2 });
    expect(await place.values('staging')).toEqual({ A: '1', B: '2', C: '3', D: '4' });
    const named = await promote({ from: 'dev', to: 'production', keys: ['C', 'A'] });
    expect(named.body).toEqual({ promoted: ['A', 'C'], skipped: [], unchanged: [], revision: 1 });
    expect((await promote({ from: 'dev', to: 'staging' })).body).toMatchObject({ promoted: [], revision: 2 });
    const keys = ['A', 'C'];
    const details = { from: { slug: 'dev', revision: 1 } };
    expect(await place.entriesOf('secret.promoted')).toMatchObject([
      { environment: { slug: 'production' }, keys, revision: 1, details },
      { environment: { slug: 'staging' }, keys, revision: 2 },
    ]);
  });

  it('skips secrets that exist in the target without overwriting them, unless they were deleted there', async () => {
    await place.importAll('dev', { A: '1', B: '2', C: '3' });
    await place.importAll('staging', { A: 'old', B: 'gone' });
    await place.remove('staging', 'B');
    const answer = await promote({ from: 'dev', to: 'staging', overwrite: false });
    expect(answer.body).toEqual({ promoted: ['B', 'C'], skipped: ['A'], unchanged: [], revision: 3 });
    expect(await place.values('staging')).toEqual({ A: 'old', B: '2', C: '3' });
  });

  it('changes nothing if a given key is missing, a precondition fails or source and target are the same', async () => {
    await place.importAll('dev', { A: '1' });
    const missing = await promote({ from: 'dev', to: 'staging', keys: ['A', 'NOPE'] });
    expect(codeOf(missing)).toBe('404 secret_not_found');
    expect((await promote({ from: 'dev', to: 'staging' }, { 'if-match': '"1"' })).status).toBe(412);
    expect((await promote({ from: 'dev', to: 'dev' })).status).toBe(400);
    expect((await promote({ from: 'dev', to: 'nope' })).body.error.code).toBe('environment_not_found');
    expect((await promote({ from: 'nope', to: 'dev' })).body.error.code).toBe('environment_not_found');
    expect((await place.pull('staging')).body.revision).toBe(0);
    expect((await promote({ from: 'dev', to: 'staging' }, { 'if-match': '"0"' })).status).toBe(200);
  });

  it('copies a whole large environment as one change', async () => {
    const many = numbered(300, i => `value ${i}`);
    await place.importAll('dev', many);
    const { body } = await promote({ from: 'dev', to: 'staging' });
    expect(body).toMatchObject({ revision: 1, promoted: { length: 300 } });
    expect(await place.values('staging')).toEqual(many);
  });
});

it('limits reject growth beyond the plan with a 402 that reports the usage', async () => {
  await place.importAll('dev', numbered(999, 'v'));
  const over = await place.importAll('dev', { X: '1', Y: '2' });
  const details = { limit: 'maxSecretsPerEnvironment', value: 1000, used: 999 };
  expect([over.status, over.body.error.details]).toEqual([402, details]);
  expect((await place.set('dev', 'X', '1')).status).toBe(201);
  expect((await place.set('dev', 'Y', '2')).status).toBe(402);
  expect((await place.set('dev', 'X', '2')).status).toBe(200);
});
