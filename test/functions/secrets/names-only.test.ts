import { describe, expect, it } from 'vitest';
import { type Answer, type Caller, createToken } from '#test/support/api.ts';
import { useWorkplace } from '#test/support/environments.ts';
import { seedPerson } from '#test/support/people.ts';
import { expectStatus, join } from '#test/support/sample-requests.ts';

/* Tokens for names only, and values that the service generates. What they may not do at all is in `authorization`. */

const { api, owner, place } = useWorkplace();

const codeOf = ({ status, body }: Answer) => (status < 300 ? String(status) : `${status} ${body?.error?.code}`);
const namesToken = (of = owner): Promise<Caller> => createToken(api, of, { access: 'names' });
const generate = (key: string, how: object = {}, as?: Caller, query = '', env = 'dev') =>
  api.put(place.at(env, query), { key, generate: how }, as ?? owner.session);
const propose = (env: string, body: object, as: Caller) => api.post(place.at(env, '/proposals'), body, as);

describe('a generated value', () => {
  it('is made by the service and never shown', async () => {
    const answer = await generate('SESSION_KEY');

    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({ secret: { key: 'SESSION_KEY', version: 1 }, changed: true, revision: 1 });
    const { SESSION_KEY: value } = await place.values('dev');
    expect(value).toMatch(/^[A-Za-z0-9]{32}$/);
    expect(JSON.stringify(answer.body)).not.toContain(value);
  });

  it('has the requested length, from each character of the alphabet', async () => {
    await expectStatus(generate('HEX', { length: 4096, alphabet: '0123456789abcdef' }), 201);

    const { HEX: value = '' } = await place.values('dev');
    expect(value).toHaveLength(4096);
    expect([...new Set(value)].toSorted().join('')).toBe('0123456789abcdef');
  });

  it('is a new one and a new version each time', async () => {
    await expectStatus(generate('K'), 201);
    const { K: first } = await place.values('dev');
    const again = await generate('K', { length: 32 });

    expect(again.body).toMatchObject({ secret: { version: 2 }, changed: true });
    expect((await place.values('dev')).K).not.toBe(first);
    expect(codeOf(await api.put(place.at('dev'), { key: 'K', generate: {}, expectedVersion: 0 }, owner.session))).toBe(
      '412 version_mismatch',
    );
  });

  it.each([
    [{ value: 'x', generate: {} }, 'generate', 'must not be combined with value'],
    [{ expand: true, generate: {} }, 'expand', 'must not be combined with generate'],
    [{}, 'value', 'is required'],
    [{ generate: { length: 7 } }, 'generate.length', 'must be at least 8'],
    [{ generate: { length: 4097 } }, 'generate.length', 'must be at most 4096'],
    [{ generate: { alphabet: 'aaaaaaaaaaab' } }, 'generate.alphabet', 'must have at least 10 different characters'],
  ])('is requested in one way: %j', async (body, path, message) => {
    const answer = await api.put(place.at('dev'), { key: 'K', ...body }, owner.session);

    expect([answer.status, answer.body.error.details]).toEqual([400, [{ path, message }]]);
  });

  it('can be part of a change and of a proposal', async () => {
    const set = [
      { key: 'GIVEN', value: 'x' },
      { key: 'MADE', generate: { length: 20 } },
    ];
    expect((await place.change('dev', { set })).body).toMatchObject({ created: ['GIVEN', 'MADE'], revision: 1 });
    expect((await place.values('dev')).MADE).toHaveLength(20);

    const { proposal } = (await expectStatus(propose('staging', { set }, owner.session), 201)).body;
    expect(proposal).toMatchObject({ created: ['GIVEN', 'MADE'], generated: ['MADE'] });
    const rebased = await api.post(place.at('staging', `/proposals/${proposal.id}/rebase`), undefined, owner.session);
    expect(rebased.body.proposal).toMatchObject({ created: ['GIVEN', 'MADE'], generated: ['MADE'] });
    const applied = await api.post(place.at('staging', `/proposals/${proposal.id}/apply`), undefined, owner.session);
    expect(applied.body.proposal).toMatchObject({ state: 'applied', generated: ['MADE'] });
    expect((await place.values('staging')).MADE).toHaveLength(20);
  });

  it('is not known to whoever had it generated', async () => {
    const set = [
      { key: 'GIVEN', value: 'x' },
      { key: 'MADE', generate: {} },
    ];
    const writer = await seedPerson();
    await join(api, owner, writer, 'developer');
    await expectStatus(place.change('production', { set }, { as: writer.session }), 200);
    await expectStatus(generate('ALONE', {}, writer.session, '', 'production'), 201);
    const { proposal } = (await expectStatus(propose('dev', { set }, writer.session), 201)).body;
    await expectStatus(api.post(place.at('dev', `/proposals/${proposal.id}/rebase`), undefined, writer.session), 200);
    await expectStatus(api.post(place.at('dev', `/proposals/${proposal.id}/apply`), undefined, writer.session), 200);

    const exposure = await api.get(`/audit/${owner.organization.id}/exposure?userId=${writer.user.id}`, owner.session);
    const seen = exposure.body.exposures.map((one: { environment: { slug: string }; key: string }) => [
      one.environment.slug,
      one.key,
    ]);
    expect(seen.toSorted()).toEqual([
      ['dev', 'GIVEN'],
      ['production', 'GIVEN'],
    ]);
    const [entry] = await place.entriesOf('secret.changed');
    expect(entry).toMatchObject({ keys: ['GIVEN', 'MADE'], details: { generated: ['MADE'] } });
  });
});

describe('a token for names only', () => {
  it('reads names, versions and revisions, but no value', async () => {
    await place.set('dev', 'A', 'canary');
    const as = await namesToken();

    expect((await api.get(place.at('dev', '/keys?describe=true'), as)).body.keys).toMatchObject([{ key: 'A' }]);
    expect((await api.get(place.at('dev', '/revisions'), as)).body.revisions).toMatchObject([{ created: ['A'] }]);
    expect((await api.get(place.at('dev', '/versions/A'), as)).body.versions).toMatchObject([{ version: 1 }]);
    for (const rest of ['', '?format=json', '?keys=A', '/versions/A?values=true', '/diff?from=0&values=true']) {
      expect([rest, codeOf(await api.get(place.at('dev', rest), as))]).toEqual([rest, '403 insufficient_scope']);
    }
  });

  it('sees in a comparison only what one side lacks', async () => {
    await place.importAll('dev', { SAME: 'x', OTHER: '1', HERE: 'x' });
    await place.importAll('staging', { SAME: 'x', OTHER: '2', THERE: 'x' });
    await place.importAll('dev', { SAME: 'y', NEW: 'x' });
    const as = await namesToken();

    expect((await api.get(place.at('dev', '/compare?with=staging'), as)).body).toMatchObject({
      onlyFrom: [{ key: 'HERE' }, { key: 'NEW' }],
      onlyTo: [{ key: 'THERE' }],
      different: [],
      same: [],
    });
    expect((await api.get(place.at('dev', '/diff?from=1'), as)).body).toMatchObject({
      created: [{ key: 'NEW' }],
      updated: [],
      deleted: [],
    });
    const compared = await place.entriesOf('secret.compared');
    expect(compared.map(({ keys }) => keys)).toEqual([[], []]);
  });

  it('sees what a change would create or delete, and makes none', async () => {
    await place.importAll('dev', { A: '1', B: '2' });
    await place.importAll('staging', { A: '1' });
    const as = await namesToken();
    const nothing = { created: [], updated: [], unchanged: [], deleted: [], skipped: [] };
    const dry = { as, query: '?dryRun=true' };
    const plans = [
      [await place.set('dev', 'A', '1', dry), nothing],
      [await place.set('dev', 'A', 'other', dry), nothing],
      [await place.set('dev', 'C', 'x', dry), { ...nothing, created: ['C'] }],
      [await place.importAll('dev', { A: '1', C: 'x' }, dry), { ...nothing, created: ['C'] }],
      [
        await place.change('dev', { set: [{ key: 'C', value: 'x' }], delete: ['A'] }, dry),
        { ...nothing, created: ['C'], deleted: ['A'] },
      ],
      [await place.remove('dev', 'A', dry), { ...nothing, deleted: ['A'] }],
      [await place.bulkDelete('dev', ['A', 'NEVER'], dry), { ...nothing, deleted: ['A'] }],
      [await place.promote({ from: 'dev', to: 'staging' }, dry), { ...nothing, created: ['B'] }],
      [await place.promote({ from: 'dev', to: 'staging', overwrite: false }, dry), { ...nothing, created: ['B'] }],
      [await place.restore('dev', { revision: 0 }, dry), { ...nothing, deleted: ['A', 'B'] }],
    ] as const;
    for (const [{ status, body }, plan] of plans) expect([status, body.plan]).toEqual([200, plan]);

    const real = { as };
    const refused = [
      await place.set('dev', 'A', '1', real),
      await place.importAll('dev', { A: '1' }, real),
      await place.change('dev', { set: [{ key: 'C', generate: {} }], delete: ['A'] }, real),
      await place.remove('dev', 'A', real),
      await place.bulkDelete('dev', ['A'], real),
      await place.promote({ from: 'dev', to: 'staging' }, real),
      await place.restore('dev', { revision: 0 }, real),
    ];
    expect(refused.map(codeOf)).toEqual(refused.map(() => '403 insufficient_scope'));
    expect(await place.values('dev')).toEqual({ A: '1', B: '2' });
    expect(await place.entriesOf('secret.compared')).toEqual([]);
  });

  it('plans by names even where sizes or references would refuse the change', async () => {
    const large = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`LARGE_${index}`, 'x'.repeat(65_000)]));
    await expectStatus(place.importAll('dev', large), 200);
    await expectStatus(place.change('dev', { set: [{ key: 'NAMED', value: 'x' }] }), 200);
    const naming = { key: 'NAMES', value: '\u0024{NAMED}', expand: true };
    await expectStatus(place.change('dev', { set: [naming] }), 200);
    await expectStatus(place.importAll('staging', { REST: 'x'.repeat(60_000), ...large }), 200);
    const as = await namesToken();
    const dry = { as, query: '?dryRun=true' };

    const deletion = await place.remove('dev', 'NAMED', dry);
    expect(deletion.body.plan).toMatchObject({ deleted: ['NAMED'] });
    const promotion = await place.promote({ from: 'dev', to: 'staging', keys: ['NAMES'] }, dry);
    expect(promotion.body.plan).toMatchObject({ created: ['NAMES'] });
    const more = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`MORE_${index}`, 'x'.repeat(65_000)]));
    expect(codeOf(await place.importAll('dev', more, dry))).toBe('200');
    expect(codeOf(await place.importAll('dev', more, { query: '?dryRun=true' }))).toBe('413 payload_too_large');
  });

  it('proposes to generate, copy, restore and delete, but no value of its own', async () => {
    await place.importAll('dev', { A: '1', B: '2' });
    await place.importAll('staging', { A: '1', Z: '3' });
    const as = await namesToken();
    const proposed = async (body: object, env = 'staging') => {
      const answer = await propose(env, body, as);
      expect(answer.status, JSON.stringify(answer.body)).toBe(201);
      return answer.body.proposal;
    };

    expect(await proposed({ set: [{ key: 'K', generate: {} }], delete: ['Z'] })).toMatchObject({
      created: ['K'],
      deleted: ['Z'],
    });
    // A key with the same value is proposed as well: leaving it out would tell that it is equal.
    const promotion = await proposed({ promote: { from: 'dev' } });
    expect(promotion).toMatchObject({ created: ['B'], updated: ['A'] });
    expect(await proposed({ restore: { revision: 0 } })).toMatchObject({ deleted: ['A', 'Z'] });
    const literal = [
      { set: [{ key: 'K', value: 'x' }] },
      {
        set: [
          { key: 'K', generate: {} },
          { key: 'L', value: 'x' },
        ],
      },
      { dotenv: 'K=x' },
    ];
    for (const body of literal) expect(codeOf(await propose('staging', body, as))).toBe('403 insufficient_scope');

    const at = (rest: string) => place.at('staging', `/proposals/${promotion.id}${rest}`);
    expect(codeOf(await api.get(at(''), as))).toBe('200');
    expect(codeOf(await api.get(at('?values=true'), as))).toBe('403 insufficient_scope');
    expect(codeOf(await api.post(at('/apply'), undefined, as))).toBe('403 insufficient_scope');
    expect(codeOf(await api.post(at('/approve'), { digest: promotion.digest }, as))).toBe('403 insufficient_scope');
    expect(codeOf(await api.post(at('/rebase'), undefined, as))).toBe('200');
    expect(codeOf(await api.post(at('/withdraw'), undefined, as))).toBe('200');
  });

  it('has no more than its user’s role', async () => {
    const viewer = await seedPerson();
    await join(api, owner, viewer, 'viewer');
    const as = await namesToken(viewer);

    expect(codeOf(await generate('K', {}, as))).toBe('403 forbidden');
    expect(codeOf(await api.get(place.at('staging', '/keys'), as))).toBe('403 forbidden');
  });

  it('has no name generated that can control which code runs', async () => {
    const answer = await generate('LD_PRELOAD', {}, await namesToken());

    expect(codeOf(answer)).toBe('403 insufficient_scope');
  });

  it('may do what any credential may do if the request asks for names only, and no more than its own access', async () => {
    await place.importAll('dev', { A: '1' });
    await place.importAll('staging', { A: '1' });
    const headers = { 'holdfast-access': 'names' };
    const reader = await createToken(api, owner, { access: 'read' });
    const make = { key: 'MADE', generate: {} };
    const promotion = { promote: { from: 'dev' } };
    const answersTo = async (as: Caller) => [
      codeOf(await api.call('GET', place.at('dev', '/keys'), { as, headers })),
      codeOf(await api.call('GET', place.at('dev'), { as, headers })),
      codeOf(await api.call('PUT', place.at('staging'), { as, headers, body: make })),
      codeOf(await api.call('PUT', place.at('staging'), { as, headers, body: { key: 'A', value: '1' } })),
      // Without the header, it would change nothing.
      codeOf(await api.call('POST', place.at('staging', '/proposals'), { as, headers, body: promotion })),
    ];
    const refused = '403 insufficient_scope';
    expect(await answersTo(owner.session)).toEqual(['200', refused, '201', refused, '201']);
    expect(await answersTo(await createToken(api, owner, { access: 'full' }))).toEqual([
      '200',
      refused,
      '200',
      refused,
      '201',
    ]);
    expect(await answersTo(reader)).toEqual(['200', refused, refused, refused, refused]);
    expect(codeOf(await propose('staging', promotion, owner.session))).toBe('400 invalid_request');
  });

  it('revokes itself', async () => {
    const as = await namesToken();
    expect(codeOf(await api.delete('/auth/tokens/current', as))).toBe('200');
    expect(codeOf(await api.get('/auth/me', as))).toBe('401 unauthenticated');
  });
});
