import { describe, expect, it } from 'vitest';
import { createToken, startApi } from '#test/support/api.ts';
import { openWorkplace } from '#test/support/environments.ts';
import { fresh, shared } from '#test/support/fixtures.ts';
import { numbered } from '#test/support/numbered.ts';
import { type Person, seedOwner } from '#test/support/people.ts';

const api = shared(startApi);
const owner = shared(seedOwner);
const place = fresh(() => openWorkplace(api, owner));

async function auditOf(action: string) {
  const { entries } = (await api.get(`/audit/${owner.organization.id}?action=${action}`, owner.session)).body;
  return entries.filter(({ target }: { target: { id: string } }) => target.id === place.project.id);
}

describe('setting a secret', () => {
  it('creates it with version 1, and does not return the value', async () => {
    const answer = await place.set('dev', 'DATABASE_HOST', 'db.internal');
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({ changed: true, revision: 1, secret: { key: 'DATABASE_HOST', version: 1 } });
    expect(answer.body.secret.updatedBy).toEqual({ id: place.owner.user.id, email: place.owner.email });
    expect(JSON.stringify(answer.body)).not.toContain('db.internal');
  });

  it('writes the next version and keeps the creation time', async () => {
    const first = (await place.set('dev', 'A', 'one')).body.secret;
    const answer = await place.set('dev', 'A', 'two');
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      changed: true,
      revision: 2,
      secret: { version: 2, createdAt: first.createdAt },
    });
    expect(await place.values('dev')).toEqual({ A: 'two' });
  });

  it('changes nothing if the secret already has the value', async () => {
    const first = await place.set('dev', 'A', 'one');
    const again = await place.set('dev', 'A', 'one');
    expect(again.status).toBe(200);
    expect(again.body).toEqual({ secret: first.body.secret, changed: false, revision: 1 });
    expect(await auditOf('secret.created')).toHaveLength(1);
    expect(await auditOf('secret.updated')).toHaveLength(0);
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
    const pulled = await place.pull('dev');
    expect(Object.fromEntries(pulled.body.secrets.map((s: Record<string, string>) => [s.key, s.value]))).toEqual(
      values,
    );
    expect((await place.set('dev', 'LONG', 'ü'.repeat(32_769))).status).toBe(400);
    expect((await place.set('dev', 'HALF', '\ud800')).status).toBe(400);
  });

  it('treats __proto__ like any other key', async () => {
    expect((await place.set('dev', '__proto__', 'one')).status).toBe(201);
    const imported = await api.post(
      place.at('dev', '/bulk'),
      '{"secrets":{"__proto__":"two","constructor":"c"}}',
      place.owner.session,
    );
    expect(imported.body).toMatchObject({ created: ['constructor'], updated: ['__proto__'] });
    const { secrets } = (await place.pull('dev')).body;
    expect(secrets.map((s: Record<string, string>) => [s.key, s.value])).toEqual([
      ['__proto__', 'two'],
      ['constructor', 'c'],
    ]);
    expect((await place.remove('dev', '__proto__')).body).toEqual({
      success: true,
      revision: 3,
    });
  });

  it('requires the expected version; 0 means that the secret must not exist', async () => {
    const put = (value: string, expectedVersion: number) =>
      api.put(place.at('dev'), { key: 'A', value, expectedVersion }, place.owner.session);
    const missing = await put('one', 1);
    expect([missing.status, missing.body.error.code, missing.body.error.details]).toEqual([
      412,
      'version_mismatch',
      { currentVersion: 0 },
    ]);
    expect(missing.body.error.message).toBe('The secret A does not exist.');
    expect((await put('one', 0)).status).toBe(201);
    expect((await put('two', 0)).body.error.details).toEqual({ currentVersion: 1 });
    expect((await put('two', 1)).body.secret.version).toBe(2);
    await place.remove('dev', 'A');
    expect((await put('three', 3)).body.error.details).toEqual({ currentVersion: 0 });
    expect((await put('three', 0)).body.secret.version).toBe(4);
  });

  it('checks the revision in If-Match before the expected version', async () => {
    const set = (ifMatch: string) => place.set('dev', 'A', ifMatch, { headers: { 'if-match': ifMatch } });
    expect((await set('"0"')).status).toBe(201);
    const stale = await set('"0"');
    expect([stale.status, stale.body.error.code, stale.body.error.details]).toEqual([
      412,
      'revision_mismatch',
      { currentRevision: 1 },
    ]);
    expect((await set('W/"1"')).status).toBe(412);
    expect((await set('"0", "1"')).status).toBe(200);
    expect((await set('*')).status).toBe(200);
    const malformed = await set('1');
    expect([malformed.status, malformed.body.error.details[0].path]).toEqual([400, 'if-match']);
    const both = await api.put(place.at('dev'), { key: 'A', value: 'x', expectedVersion: 99 }, place.owner.session, {
      'if-match': '"99"',
    });
    expect(both.body.error.code).toBe('revision_mismatch');
  });

  it('is recorded in the audit log with its key and revision, without the value', async () => {
    await place.set('dev', 'A', 'a-value-to-look-for');
    const [entry] = await auditOf('secret.created');
    expect(entry).toMatchObject({
      action: 'secret.created',
      target: { type: 'project', id: place.project.id, name: place.project.slug },
      environment: { slug: 'dev' },
      keys: ['A'],
      revision: 1,
      actor: { id: place.owner.user.id, type: 'session' },
    });
    expect(JSON.stringify(entry)).not.toContain('a-value-to-look-for');
  });
});

describe('pulling', () => {
  it('returns an empty environment with revision 0, and records the pull', async () => {
    const answer = await place.pull('dev');
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ secrets: [], revision: 0 });
    expect(answer.headers.get('etag')).toBe('"0"');
    expect(await auditOf('secret.pulled')).toHaveLength(1);
  });

  it('sorts by code unit, paginates with a total and searches by prefix, case-sensitively', async () => {
    await place.importAll('dev', { b: '1', B: '2', _x: '3', A1: '4', A10: '5', A2: '6', 'A.': '7', a: '8' });
    const keys = async (query: string) => {
      const { body } = await place.pull('dev', query);
      return { keys: body.secrets.map(({ key }: { key: string }) => key), pagination: body.pagination };
    };
    expect(await keys('')).toEqual({ keys: ['A.', 'A1', 'A10', 'A2', 'B', '_x', 'a', 'b'], pagination: undefined });
    expect(await keys('?search=A1')).toEqual({ keys: ['A1', 'A10'], pagination: undefined });
    expect(await keys('?limit=2&offset=3')).toEqual({
      keys: ['A2', 'B'],
      pagination: { limit: 2, offset: 3, total: 8 },
    });
    expect(await keys('?search=A&limit=1')).toEqual({ keys: ['A.'], pagination: { limit: 1, offset: 0, total: 4 } });
    expect(await keys('?offset=7')).toMatchObject({ keys: { length: 8 } });
    expect(await keys('?limit=5&offset=100')).toEqual({ keys: [], pagination: { limit: 5, offset: 100, total: 8 } });
    expect(await keys('?search=%23')).toEqual({ keys: [], pagination: undefined });
    for (const query of ['?limit=0', '?limit=501', '?limit=', '?search=', '?offset=-1']) {
      expect((await place.pull('dev', query)).status).toBe(400);
    }
    const entries = await auditOf('secret.pulled');
    expect(entries.map((entry: { keys?: string[] }) => entry.keys)).toEqual([
      [],
      [],
      undefined,
      ['A.'],
      ['A2', 'B'],
      ['A1', 'A10'],
      undefined,
    ]);
  });

  it('returns 304 for its own revision, for values and keys, without an audit entry', async () => {
    await place.set('dev', 'A', 'one');
    const tag = (await place.pull('dev')).headers.get('etag') as string;
    for (const path of ['', '/keys']) {
      const unchanged = await place.pull('dev', path, { headers: { 'if-none-match': `"7", W/${tag}` } });
      expect([unchanged.status, unchanged.body, unchanged.headers.get('etag')]).toEqual([304, undefined, tag]);
      expect((await place.pull('dev', path, { headers: { 'if-none-match': '*' } })).status).toBe(304);
      expect((await place.pull('dev', path, { headers: { 'if-none-match': '"7"' } })).status).toBe(200);
      expect((await place.pull('dev', path, { headers: { 'if-none-match': 'junk' } })).status).toBe(400);
    }
    expect(await auditOf('secret.pulled')).toHaveLength(2);
    await place.set('dev', 'A', 'two');
    expect((await place.pull('dev', '', { headers: { 'if-none-match': tag } })).body.revision).toBe(2);
  });

  it('lists keys without values and without an audit entry', async () => {
    await place.importAll('dev', { B: 'bbb', A: 'aaa' });
    const { status, body, headers } = await place.pull('dev', '/keys?limit=1');
    expect(status).toBe(200);
    expect(body).toMatchObject({ revision: 1, keys: [{ key: 'A', version: 1 }], pagination: { total: 2 } });
    expect(body.keys[0]).not.toHaveProperty('value');
    expect(headers.get('etag')).toBe('"1"');
    expect(await auditOf('secret.pulled')).toHaveLength(0);
  });

  it('reports which part of the path does not exist', async () => {
    const { slug } = place.owner.organization;
    const code = async (path: string) => (await api.get(path, place.owner.session)).body.error.code;
    expect(await code(`/secrets/${slug}/${place.project.slug}/nope`)).toBe('environment_not_found');
    expect(await code(`/secrets/${slug}/nope/dev`)).toBe('project_not_found');
    expect(await code(`/secrets/nope-${slug.slice(0, 20)}/shop/dev`)).toBe('organization_not_found');
    const stranger = await openWorkplace(api);
    expect((await place.pull('dev', '', { as: stranger.owner.session })).body.error.code).toBe(
      'organization_not_found',
    );
  });
});

describe('importing', () => {
  it('reads dotenv text as the named tool does, in an import and in changes, and lists what tools read differently', async () => {
    const post = (rest: string, body: object) => api.post(place.at('dev', rest), body, owner.session);
    const read = await post('/bulk', { dotenv: 'A=v#f\nB=1', dialect: 'node' });
    expect(read.body).toEqual({ created: ['A', 'B'], updated: [], unchanged: [], revision: 1 });
    const planned = await post('/changes?dryRun=true', { dotenv: 'A=v#f', delete: ['B'] });
    const readers = { node: 1, python: 2, docker: 2, compose: 2, systemd: 2, sh: 2 };
    expect(planned.body).toMatchObject({ dryRun: true, ambiguous: [{ line: 1, key: 'A', readers }] });
    const refused = await post('/changes', { dotenv: 'A=v#geheim', dialect: 'strict' });
    expect(refused).toMatchObject({ status: 400, body: { error: { code: 'invalid_request' } } });
    expect(JSON.stringify(refused.body)).toMatch(/line 1 sets A/);
    expect(JSON.stringify(refused.body)).not.toContain('geheim');
    const changed = await post('/changes', { dotenv: 'A=v#f', dialect: 'compose', delete: ['B'] });
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
    const entries = await auditOf('secret.bulk_set');
    expect(entries.map(({ keys, revision }: Record<string, unknown>) => [keys, revision])).toEqual([
      [['D'], 3],
      [['A', 'C'], 2],
      [['A', 'B'], 1],
    ]);
  });

  it('changes nothing if all values are already set', async () => {
    await place.importAll('dev', { A: '1' });
    expect((await place.importAll('dev', { A: '1' })).body).toEqual({
      created: [],
      updated: [],
      unchanged: ['A'],
      revision: 1,
    });
    expect(await auditOf('secret.bulk_set')).toHaveLength(1);
  });

  it('accepts a thousand keys as one change, and rejects more, duplicates and none', async () => {
    const many = (count: number) => Array.from({ length: count }, (_, i) => ({ key: `K${i}`, value: `v${i}` }));
    const imported = await place.importAll('dev', many(1000));
    expect([imported.status, imported.body.created.length, imported.body.revision]).toEqual([200, 1000, 1]);
    const { secrets } = (await place.pull('dev')).body;
    expect(secrets).toHaveLength(1000);
    expect(new Map(secrets.map((s: Record<string, string>) => [s.key, s.value])).get('K999')).toBe('v999');
    expect((await place.importAll('dev', many(1001))).status).toBe(400);
    expect((await place.importAll('dev', [])).status).toBe(400);
    expect((await place.importAll('dev', [...many(1), ...many(1)])).status).toBe(400);
    const project = await api.get(place.projectPath, place.owner.session);
    expect(project.body.project.environments[0]).toMatchObject({ slug: 'dev', revision: 1, secretCount: 1000 });
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
    const pulled = await place.pull('dev');
    expect(pulled.body.secrets).toHaveLength(63);
    expect(pulled.body.secrets.find(({ key }: { key: string }) => key === 'BIG_41').value).toBe('b'.repeat(65_536));
  });
});

describe('reading specific keys', () => {
  const pullKeys = (query: string, headers = {}) => place.pull('dev', `?keys=${query}`, { headers });

  it('returns exactly these, in key order, and records them', async () => {
    await place.importAll('dev', { A: 'one', B: 'two', C: 'three' });
    const answer = await pullKeys('C,A');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('etag')).toBe('"1"');
    const shown = answer.body.secrets.map(({ key, value }: Record<string, string>) => [key, value]);
    expect([shown, answer.body.revision]).toEqual([
      [
        ['A', 'one'],
        ['C', 'three'],
      ],
      1,
    ]);
    expect(await auditOf('secret.pulled')).toMatchObject([{ keys: ['A', 'C'], revision: 1 }]);
    expect((await pullKeys('C', { 'if-none-match': '"1"' })).status).toBe(304);
  });

  it('rejects a key that does not exist or was deleted, and records nothing', async () => {
    await place.importAll('dev', { A: 'one', B: 'two' });
    await place.remove('dev', 'B');
    for (const keys of ['A,NOPE', 'B,A']) {
      const answer = await pullKeys(keys);
      expect([answer.status, answer.body.error.code]).toEqual([404, 'secret_not_found']);
    }
    expect(await auditOf('secret.pulled')).toEqual([]);
  });

  it('accepts up to 100 distinct keys, without a search or a limit', async () => {
    const names = Array.from({ length: 101 }, (_, index) => `K${index}`);
    await place.importAll('dev', Object.fromEntries(names.map(name => [name, name])));
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
    const entries = await auditOf('secret.compared');
    const recorded = entries.map(({ environment, revision, keys, details }: Record<string, unknown>) => {
      return { slug: (environment as { slug: string }).slug, revision, keys, details };
    });
    const dev = { slug: 'dev', revision: 1 };
    const staging = { slug: 'staging', revision: 2 };
    expect(recorded).toHaveLength(4);
    // Without values, the answer says nothing about the value of a key that only one side has.
    for (const side of [dev, staging]) {
      const details = { with: side === dev ? 'staging' : 'dev', values: false };
      expect(recorded).toContainEqual({ ...side, keys: ['B', 'C'], details });
    }
    expect(recorded).toContainEqual({ ...dev, keys: ['A', 'B', 'C'], details: { with: 'staging', values: true } });
    const theirs = ['B', 'C', 'D', 'E'];
    expect(recorded).toContainEqual({ ...staging, keys: theirs, details: { with: 'dev', values: true } });
  });

  it('with more values than fit in a response is rejected, and writes no entry', async () => {
    const large = numbered(40, 'x'.repeat(60_000));
    for (const [env, fill] of [
      ['dev', 'x'],
      ['staging', 'y'],
    ] as const) {
      const values = Object.entries(large).map(([key, value]) => [key, value.replaceAll('x', fill)]);
      expect((await place.importAll(env, Object.fromEntries(values))).status).toBe(200);
    }
    const refused = await compare('with=staging&values=true');
    expect([refused.status, refused.body.error.code]).toEqual([413, 'payload_too_large']);
    expect(await auditOf('secret.compared')).toEqual([]);
    expect((await compare('with=staging')).body.different).toHaveLength(40);
  });

  it('rejects comparing an environment with itself or with one that does not exist', async () => {
    expect((await compare('with=dev')).status).toBe(400);
    expect((await compare('with=nope')).body.error.code).toBe('environment_not_found');
    expect((await compare('')).status).toBe(400);
    expect(await auditOf('secret.compared')).toEqual([]);
  });
});

describe('sets and deletions as one change', () => {
  const change = (body: object, as: Person = place.owner) => api.post(place.at('dev', '/changes'), body, as.session);

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
    expect(await auditOf('secret.changed')).toMatchObject([
      { keys: ['NEW', 'A', 'C'], revision: 2, message: 'a mixture' },
    ]);
  });

  it('changes nothing if one of its keys does not exist or has another version', async () => {
    await place.importAll('dev', { A: 'one', B: 'two' });
    const missing = await change({ set: [{ key: 'A', value: 'changed' }], delete: ['B', 'NOPE'] });
    expect([missing.status, missing.body.error.code]).toEqual([404, 'secret_not_found']);
    const stale = await change({ set: [{ key: 'A', value: 'changed', expectedVersion: 7 }], delete: ['B'] });
    expect([stale.status, stale.body.error.code]).toEqual([412, 'version_mismatch']);
    expect((await place.pull('dev')).body.revision).toBe(1);
    expect(await place.values('dev')).toEqual({ A: 'one', B: 'two' });
  });

  it('accepts 1,000 keys at once', async () => {
    const names = Array.from({ length: 500 }, (_, index) => `K${index}`);
    await place.importAll('dev', Object.fromEntries(names.map(name => [name, 'old'])));
    const set = names.map(name => ({ key: `NEW_${name}`, value: 'new' }));
    const { body } = await change({ set, delete: names });
    expect([body.created.length, body.deleted.length, body.revision]).toEqual([500, 500, 2]);
    expect(Object.keys(await place.values('dev'))).toHaveLength(500);
  });

  it('checks If-Match before missing keys', async () => {
    const stale = { 'if-match': '"7"' };
    const answers = [
      await api.delete(place.at('dev', '/NOPE'), place.owner.session, stale),
      await api.post(place.at('dev', '/changes'), { delete: ['NOPE'] }, place.owner.session, stale),
      await api.post(
        `/secrets/${place.owner.organization.slug}/${place.project.slug}/promote`,
        { from: 'dev', to: 'staging', keys: ['NOPE'] },
        place.owner.session,
        stale,
      ),
    ];
    expect(answers.map(({ body }) => body.error.code)).toEqual(answers.map(() => 'revision_mismatch'));
  });

  it('records the reason in the entry of every write', async () => {
    const { owner } = place;
    const message = 'for a reason';
    const of = (env: string, rest: string, body: object) =>
      api.post(place.at(env, rest), { ...body, message }, owner.session);
    await api.put(place.at('dev'), { key: 'A', value: 'one', message }, owner.session);
    await of('dev', '/bulk', { dotenv: 'B=two' });
    const ends = { from: 'dev', to: 'staging' };
    await place.promote({ ...ends, message });
    await of('dev', '/bulk-delete', { keys: ['B'] });
    await api.delete(place.at('dev', '/A?message=for%20a%20reason'), owner.session);
    const actions = ['secret.created', 'secret.bulk_set', 'secret.promoted', 'secret.bulk_delete', 'secret.deleted'];
    for (const action of actions) expect(await auditOf(action)).toMatchObject([{ message }]);
  });
});

describe('deleting', () => {
  it('hides the secret, keeps its history and continues its version numbers', async () => {
    await place.set('dev', 'A', 'one');
    const remove = () => place.remove('dev', 'A');
    expect((await remove()).body).toEqual({ success: true, revision: 2 });
    expect((await remove()).body.error.code).toBe('secret_not_found');
    expect(await place.values('dev')).toEqual({});
    const again = await place.set('dev', 'A', 'two');
    expect([again.status, again.body.secret.version, again.body.revision]).toEqual([201, 3, 3]);
    const { versions } = (await place.pull('dev', '/versions/A?values=true')).body;
    expect(versions.map((v: Record<string, unknown>) => [v.version, v.revision, v.deleted, v.value])).toEqual([
      [3, 3, false, 'two'],
      [2, 2, true, undefined],
      [1, 1, false, 'one'],
    ]);
    expect(versions[0].createdBy).toEqual({ id: place.owner.user.id, email: place.owner.email });
    expect(await auditOf('secret.deleted')).toMatchObject([{ keys: ['A'], revision: 2 }]);
    expect(await auditOf('secret.created')).toHaveLength(2);
  });

  it('in bulk is one change, and no change if nothing is found', async () => {
    await place.importAll('dev', numbered(60, 'v'));
    const remove = (keys: string[]) => place.bulkDelete('dev', keys);
    expect((await remove(['K1', 'NOPE', 'K0'])).body).toEqual({
      deleted: ['K1', 'K0'],
      notFound: ['NOPE'],
      revision: 2,
    });
    expect((await remove(['K1', 'NOPE'])).body).toEqual({ deleted: [], notFound: ['K1', 'NOPE'], revision: 2 });
    const rest = await remove(Array.from({ length: 60 }, (_, i) => `K${i}`));
    expect([rest.body.deleted.length, rest.body.notFound, rest.body.revision]).toEqual([58, ['K0', 'K1'], 3]);
    expect(await place.values('dev')).toEqual({});
    expect(await auditOf('secret.bulk_delete')).toHaveLength(2);
    expect((await remove(['A', 'A'])).status).toBe(400);
  });
});

it('the history is paginated, has values only on request, and records only reads of values', async () => {
  for (const value of ['1', '2', '3', '4', '5']) await place.set('dev', 'A', value);
  const versions = async (query: string) => (await place.pull('dev', `/versions/A${query}`)).body;
  const plain = await versions('');
  expect(plain.versions.map((v: { version: number }) => v.version)).toEqual([5, 4, 3, 2, 1]);
  expect(plain.versions.every((v: object) => !('value' in v))).toBe(true);
  expect(await auditOf('secret.history_read')).toHaveLength(0);
  const page = await versions('?limit=2&offset=1&values=true');
  expect(page.versions.map((v: Record<string, unknown>) => v.value)).toEqual(['4', '3']);
  expect(page.pagination).toEqual({ limit: 2, offset: 1, total: 5 });
  expect((await versions('?limit=2&offset=9')).versions).toEqual([]);
  expect(await auditOf('secret.history_read')).toMatchObject([
    { keys: ['A'], revision: 5, details: { versions: '3-4' } },
  ]);
  expect((await place.pull('dev', '/versions/NOPE')).body.error.code).toBe('secret_not_found');
  expect((await place.pull('dev', '/versions/A?values=yes')).status).toBe(400);
});

describe('promoting', () => {
  const promote = (body: object, headers = {}) =>
    api.post(
      `/secrets/${place.owner.organization.slug}/${place.project.slug}/promote`,
      body,
      place.owner.session,
      headers,
    );

  it('copies all or the given secrets and leaves those only in the target', async () => {
    await place.importAll('dev', { A: '1', B: '2', C: '3' });
    await place.importAll('staging', { B: '2', C: 'other', D: '4' });
    const all = await promote({ from: 'dev', to: 'staging' });
    expect(all.body).toEqual({ promoted: ['A', 'C'], skipped: [], unchanged: ['B'], revision: 2 });
    expect(await place.values('staging')).toEqual({ A: '1', B: '2', C: '3', D: '4' });
    const named = await promote({ from: 'dev', to: 'production', keys: ['C', 'A'] });
    expect(named.body).toEqual({ promoted: ['A', 'C'], skipped: [], unchanged: [], revision: 1 });
    expect((await promote({ from: 'dev', to: 'staging' })).body).toMatchObject({ promoted: [], revision: 2 });
    expect(await auditOf('secret.promoted')).toMatchObject([
      {
        environment: { slug: 'production' },
        keys: ['A', 'C'],
        revision: 1,
        details: { from: { slug: 'dev', revision: 1 } },
      },
      { environment: { slug: 'staging' }, keys: ['A', 'C'], revision: 2 },
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
    expect([missing.status, missing.body.error.code]).toEqual([404, 'secret_not_found']);
    expect((await promote({ from: 'dev', to: 'staging' }, { 'if-match': '"1"' })).status).toBe(412);
    expect((await promote({ from: 'dev', to: 'dev' })).status).toBe(400);
    expect((await promote({ from: 'dev', to: 'nope' })).body.error.code).toBe('environment_not_found');
    expect((await promote({ from: 'nope', to: 'dev' })).body.error.code).toBe('environment_not_found');
    expect((await place.pull('staging')).body.revision).toBe(0);
    expect((await promote({ from: 'dev', to: 'staging' }, { 'if-match': '"0"' })).status).toBe(200);
  });

  it('copies a whole large environment as one change', async () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`K${i}`, `value ${i}`]));
    await place.importAll('dev', many);
    expect((await promote({ from: 'dev', to: 'staging' })).body).toMatchObject({
      revision: 1,
      promoted: { length: 300 },
    });
    expect(await place.values('staging')).toEqual(many);
  });
});

it('limits reject growth beyond the plan with a 402 that reports the usage', async () => {
  await place.importAll('dev', numbered(999, 'v'));
  const over = await place.importAll('dev', { X: '1', Y: '2' });
  expect([over.status, over.body.error.details]).toEqual([
    402,
    { limit: 'maxSecretsPerEnvironment', value: 1000, used: 999 },
  ]);
  expect((await place.set('dev', 'X', '1')).status).toBe(201);
  expect((await place.set('dev', 'Y', '2')).status).toBe(402);
  expect((await place.set('dev', 'X', '2')).status).toBe(200);
});

it('tokens access only the environment they are limited to, and promote only if both are in scope', async () => {
  await place.importAll('dev', { A: '1' });
  const { body } = await api.get(place.projectPath, place.owner.session);
  const [dev] = body.project.environments;
  const scope = { organizationId: place.owner.organization.id, projectId: place.project.id };
  const one = await createToken(api, place.owner, { ...scope, environmentId: dev.id });
  const reader = await createToken(api, place.owner, { ...scope, access: 'read' });
  expect((await place.pull('dev', '', { as: one })).status).toBe(200);
  expect((await place.pull('staging', '', { as: one })).body.error.code).toBe('environment_not_found');
  expect((await place.set('dev', 'B', '2', { as: reader })).body.error.code).toBe('insufficient_scope');
  const promotion = await api.post(
    `/secrets/${place.owner.organization.slug}/${place.project.slug}/promote`,
    { from: 'dev', to: 'staging' },
    one,
  );
  expect([promotion.status, promotion.body.error.code]).toEqual([404, 'environment_not_found']);
});
