// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the service expands them
import { describe, expect, it } from 'vitest';
import { at, find } from '#lib/table/read.ts';
import { environmentStateRecord } from '#lib/table/records/environment.ts';
import type { Answer } from '#test/support/api.ts';
import { useWorkplace } from '#test/support/environments.ts';
import { allItems } from '#test/support/table-dump.ts';

const { api, owner, place } = useWorkplace();

const codeOf = ({ status, body }: Answer) => (status < 300 ? String(status) : `${status} ${body?.error?.code}`);
const expand = { body: { expand: true } };
const url = 'postgres://app:${PASSWORD}@${HOST}/app';
const expanded = 'postgres://app:s3cret@db/app';

async function setUp(env = 'dev', password = 's3cret') {
  const secrets = [
    { key: 'HOST', value: 'db' },
    { key: 'PASSWORD', value: password },
    { key: 'URL', value: url, expand: true },
    { key: 'PLAIN', value: url },
  ];
  expect(codeOf(await place.importAll(env, secrets))).toBe('200');
}

const chain = (length: number) => [
  { key: 'K0', value: 'end' },
  ...Array.from({ length }, (_, index) => ({ key: `K${index + 1}`, value: `\${K${index}}`, expand: true })),
];

describe('a value that names other keys', () => {
  it('is expanded in every pull, and as it was set with raw=true', async () => {
    await setUp();

    const { secrets } = (await place.pull('dev')).body;
    const named = (await place.pull('dev', '?keys=URL')).body.secrets;

    expect(await place.values('dev')).toEqual({ HOST: 'db', PASSWORD: 's3cret', URL: expanded, PLAIN: url });
    expect(secrets.map((secret: { expand?: true }) => secret.expand)).toEqual([undefined, undefined, undefined, true]);
    expect(named).toMatchObject([{ key: 'URL', value: expanded, expand: true }]);
    expect(await place.values('dev', '?raw=true')).toMatchObject({ URL: url, PLAIN: url });
    expect(await place.values('dev', '?search=UR')).toEqual({ URL: expanded });
    expect((await place.pull('dev', '?format=json')).body).toMatchObject({ URL: expanded });
    expect((await place.pull('dev', '?format=json&raw=true')).body).toMatchObject({ URL: url });
  });

  it('is marked in the list of keys, which opens no value', async () => {
    await setUp();

    const { keys } = (await place.pull('dev', '/keys')).body;

    expect(keys.map(({ key, expand: names }: { key: string; expand?: true }) => [key, names])).toEqual([
      ['HOST', undefined],
      ['PASSWORD', undefined],
      ['PLAIN', undefined],
      ['URL', true],
    ]);
  });

  it('follows the keys that it names, under a new revision, and shows earlier ones as they were', async () => {
    await setUp();
    const { revision } = (await place.set('dev', 'PASSWORD', 'new')).body;

    expect(revision).toBe(2);
    expect(await place.values('dev')).toMatchObject({ URL: 'postgres://app:new@db/app' });
    expect(await place.values('dev', '?revision=1')).toMatchObject({ URL: expanded });
  });

  it('is a new version if only expand changes, and none if nothing does', async () => {
    await setUp();

    expect((await place.set('dev', 'URL', url, expand)).body.changed).toBe(false);
    expect((await place.set('dev', 'URL', url)).body).toMatchObject({ changed: true, revision: 2 });
    expect(await place.values('dev')).toMatchObject({ URL: url });
    expect((await place.pull('dev', '/diff?from=1&to=2')).body.updated).toEqual([{ key: 'URL' }]);
    expect(await place.history('dev', 'URL')).toMatchObject([
      { version: 2, value: url },
      { version: 1, value: url, expand: true },
    ]);
  });

  it('is never made of dotenv text or an object of values', async () => {
    await place.importAll('dev', 'A=${B}\n');
    await place.importAll('dev', { C: '${D}' });

    expect(await place.values('dev')).toEqual({ A: '${B}', C: '${D}' });
  });

  it('may name only keys that exist after the change', async () => {
    const missing = await place.set('dev', 'URL', url, expand);
    const both = await place.change('dev', {
      set: [
        { key: 'A', value: '${B}', expand: true },
        { key: 'B', value: 'b' },
      ],
    });

    expect(codeOf(missing)).toBe('422 reference_not_found');
    expect(missing.body.error.details).toEqual({ key: 'URL', references: ['PASSWORD', 'HOST'] });
    expect(codeOf(both)).toBe('200');
    expect(await place.values('dev')).toEqual({ A: 'b', B: 'b' });
  });

  it('may not name itself, directly or through others, nor lead through more than ten keys', async () => {
    const own = await place.set('dev', 'A', '${A}', expand);
    expect(codeOf(await place.importAll('dev', chain(10)))).toBe('200');
    const cycle = await place.set('dev', 'K0', '${K2}', expand);
    const deeper = await place.set('dev', 'K11', '${K10}', expand);
    const below = await place.change('dev', {
      set: [
        { key: 'K0', value: '${BASE}', expand: true },
        { key: 'BASE', value: 'base' },
      ],
    });

    expect([own, cycle, deeper, below].map(codeOf)).toEqual([
      '422 reference_cycle',
      '422 reference_cycle',
      '422 reference_too_deep',
      '422 reference_too_deep',
    ]);
    expect(own.body.error.details).toEqual({ path: ['A', 'A'] });
    expect(cycle.body.error.details.path).toHaveLength(4);
    expect(await place.values('dev', '?keys=K10')).toEqual({ K10: 'end' });
  });

  it('keeps the keys that it names from being deleted, unless it goes or changes with them', async () => {
    await setUp();
    const refused = await place.remove('dev', 'HOST');
    const bulk = await place.bulkDelete('dev', ['HOST', 'PLAIN']);
    const dryRun = await place.remove('dev', 'HOST', { query: '?dryRun=true' });
    const restored = await place.restore('dev', { revision: 0, keys: ['HOST'] });

    expect([refused, bulk, dryRun, restored].map(codeOf)).toEqual(Array(4).fill('409 key_referenced'));
    expect(refused.body.error.details).toEqual({ key: 'HOST', referencedBy: ['URL'] });
    const rewritten = { set: [{ key: 'URL', value: '${PASSWORD}', expand: true }], delete: ['HOST'] };
    expect(codeOf(await place.change('dev', rewritten))).toBe('200');
    expect(codeOf(await place.bulkDelete('dev', ['URL', 'PASSWORD']))).toBe('200');
    expect(await place.values('dev')).toEqual({ PLAIN: url });
    expect((await find(at(environmentStateRecord, place.pathOf('dev'))))?.expandingKeys).toBeUndefined();
  });

  it('names the keys of the environment that it is promoted to', async () => {
    await setUp();
    const missing = await place.promote({ from: 'dev', to: 'staging', keys: ['URL'] });
    await place.importAll('staging', { HOST: 'staging-db', PASSWORD: 'other' });
    const promoted = await place.promote({ from: 'dev', to: 'staging', keys: ['URL'] });

    expect([missing, promoted].map(codeOf)).toEqual(['422 reference_not_found', '200']);
    expect(await place.values('staging')).toMatchObject({ URL: 'postgres://app:other@staging-db/app' });
    expect((await place.pull('dev', '/compare?with=staging')).body.same).toEqual(['URL']);
  });

  it('comes back with a restore', async () => {
    await setUp();
    await place.bulkDelete('dev', ['HOST', 'PASSWORD', 'URL']);

    expect(codeOf(await place.restore('dev', { revision: 1, keys: ['URL'] }))).toBe('422 reference_not_found');
    expect(codeOf(await place.restore('dev', { revision: 1 }))).toBe('200');
    expect(await place.values('dev')).toMatchObject({ URL: expanded });
  });

  it('is proposed and applied as it was set', async () => {
    await place.importAll('dev', { HOST: 'db', PASSWORD: 's3cret' });
    const body = { set: [{ key: 'URL', value: url, expand: true }] };
    const { proposal } = (await api.post(place.at('dev', '/proposals'), body, owner.session)).body;
    const shown = await api.get(place.at('dev', `/proposals/${proposal.id}?values=true`), owner.session);
    const applied = await api.post(place.at('dev', `/proposals/${proposal.id}/apply`), undefined, owner.session);

    expect(proposal.expand).toEqual(['URL']);
    expect(shown.body.values).toEqual([{ key: 'URL', after: url }]);
    expect(codeOf(applied)).toBe('200');
    expect(await place.values('dev')).toMatchObject({ URL: expanded });
  });

  it('is 64 KiB at most once it is expanded', async () => {
    await place.importAll('dev', { BIG: 'x'.repeat(40_000) });

    expect(codeOf(await place.set('dev', 'TWICE', '${BIG}${BIG}', expand))).toBe('413 payload_too_large');
    expect(codeOf(await place.set('dev', 'ONCE', '${BIG}', expand))).toBe('201');
    expect(codeOf(await place.set('dev', 'TWO', '${ONCE}', expand))).toBe('201');
    expect(codeOf(await place.set('dev', 'PAIR', '${SMALL}${SMALL}', expand))).toBe('422 reference_not_found');
  });

  it('is audited with the keys that it names, because whoever reads it knows them', async () => {
    await setUp();
    await place.pull('dev', '?keys=URL');
    await place.pull('dev', '?keys=URL&raw=true');

    const [raw, whole] = await place.entriesOf('secret.pulled');

    expect([...(whole?.keys ?? [])].sort()).toEqual(['HOST', 'PASSWORD', 'URL']);
    expect(raw?.keys).toEqual(['URL']);
  });

  it('tells a writer who may not read only names', async () => {
    const developer = await place.member('developer');
    const as = developer.session;
    const answers: unknown[] = [];
    for (const password of ['x', 'x'.repeat(60_000)]) {
      await place.set('production', 'PASSWORD', password);
      const query = '?dryRun=true';
      const set = async (value: string) => place.set('production', 'URL', value, { as, query, ...expand });
      const tried = [
        await set('${PASSWORD}'),
        await set('x${PASSWORD}'),
        await set('${PASSWORD}'.repeat(64)),
        await set('${NOWHERE}'),
      ];
      answers.push(tried.map(({ status, body }) => [status, body.error?.code, body.error?.details]));
    }

    expect(answers[0]).toEqual(answers[1]);
    expect((answers[0] as unknown[][]).map(([status]) => status)).toEqual([200, 413, 413, 422]);
  });

  it('never multiplies what a writer who may not read sends', async () => {
    const doubling = [
      { key: 'K0', value: 'x' },
      { key: 'K1', value: '${K0}'.repeat(40), expand: true },
      { key: 'K2', value: '${K1}'.repeat(40), expand: true },
      { key: 'K3', value: '${K2}'.repeat(40), expand: true },
    ];
    expect(codeOf(await place.importAll('production', doubling))).toBe('200');
    const { session: as } = await place.member('developer');
    const grown = await place.set('production', 'K0', 'x'.repeat(60_000), { as });

    expect([codeOf(grown), grown.body.error.details]).toEqual([
      '413 payload_too_large',
      { maximumBytes: 4 * 1024 * 1024 },
    ]);
    expect((await place.values('production')).K3).toHaveLength(64_000);
  });

  it('is refused before it is opened if a pull would not fit, and then can be pulled in parts', async () => {
    const parts = [1, 2, 3, 4];
    const named = parts.flatMap(part => [
      { key: `P${part}`, value: 'x' },
      { key: `U${part}`, value: `\${P${part}}`.repeat(20), expand: true },
    ]);
    expect(codeOf(await place.importAll('production', named))).toBe('200');
    const { session: as } = await place.member('developer');
    for (const part of parts) {
      expect(codeOf(await place.set('production', `P${part}`, 'x'.repeat(60_000), { as }))).toBe('200');
    }
    const whole = await place.pull('production');

    expect(codeOf(whole)).toBe('413 payload_too_large');
    expect(await place.entriesOf('secret.pulled')).toEqual([]);
    expect((await place.values('production', '?keys=U1,P2')).U1).toHaveLength(1_200_000);
    expect((await place.values('production', '?raw=true')).U1).toBe('${P1}'.repeat(20));
    // Whoever may read can make it smaller again.
    expect(codeOf(await place.set('production', 'P1', 'y'))).toBe('200');
    expect((await place.values('production')).U1).toBe('y'.repeat(20));
  });

  it('counts as knowing the keys that it names, for whoever pulled it', async () => {
    await setUp();
    const viewer = await place.member('viewer');
    await place.pull('dev', '?keys=URL', { as: viewer.session });
    const other = await place.member('viewer');
    await place.pull('dev', '?keys=URL&raw=true', { as: other.session });
    const readersOf = async (key: string) => {
      const query = `environment=${place.environmentId('dev')}&key=${key}`;
      const { body } = await api.get(`/audit/${owner.organization.id}/exposure?${query}`, owner.session);
      return body.readers.map(({ actor }: { actor: { id: string } }) => actor.id);
    };

    expect(await readersOf('PASSWORD')).toContain(viewer.user.id);
    expect(await readersOf('PASSWORD')).not.toContain(other.user.id);
    expect(await readersOf('URL')).toEqual(expect.arrayContaining([viewer.user.id, other.user.id]));
    expect(await readersOf('PLAIN')).not.toContain(viewer.user.id);
  });

  it('is validated as it is pulled, and a proposal of it is not held against a pattern', async () => {
    await setUp();
    const template = `/templates/${owner.organization.slug}/${place.project.slug}`;
    await api.post(template, { key: 'URL', pattern: 'postgres://app:s3cret@db/app' }, owner.session);
    const validation = await api.get(`${template}/validate/dev`, owner.session);
    const body = { set: [{ key: 'URL', value: '${HOST}', expand: true }] };
    const proposed = await api.post(place.at('dev', '/proposals'), body, owner.session);

    expect(validation.body).toMatchObject({ valid: true, invalid: [] });
    expect([proposed.status, proposed.body.templateProblems]).toEqual([201, undefined]);
  });

  it('leaves nothing of what it named once it is destroyed', async () => {
    await setUp();
    await place.set('dev', 'URL', 'plain');
    expect(codeOf(await place.destroy('dev', 'URL', { versions: [1] }))).toBe('200');

    const versions = (await allItems()).filter(({ kind, key }) => kind === 'version' && key === 'URL');
    const stored = versions.filter(({ pk }) => String(pk).includes(place.project.slug));
    expect(stored.map(({ version, expands }) => [version, expands])).toEqual([
      [1, undefined],
      [2, undefined],
    ]);
    expect(await place.history('dev', 'URL')).toMatchObject([{ version: 2 }, { version: 1, destroyed: true }]);
    expect(codeOf(await place.restore('dev', { revision: 1, keys: ['URL'] }))).toBe('409 version_destroyed');
  });

  it('is not validated for somebody who may not read, who could name any key', async () => {
    const template = `/templates/${owner.organization.slug}/${place.project.slug}`;
    const copies = Array.from({ length: 70 }, (_, index) => `COPY${index}`);
    for (const key of copies) await api.post(template, { key, required: false, pattern: 'x*' }, owner.session);
    const { session: as } = await place.member('developer');
    const validate = (caller = as) => api.get(`${template}/validate/production`, caller);
    const answers: unknown[] = [];
    for (const [name, value] of Object.entries({ FITS: 'x', OTHER: 'no match', LARGE: 'x'.repeat(65_536) })) {
      await place.set('production', name, value);
      for (const keys of [copies.slice(0, 40), copies.slice(40)]) {
        const set = keys.map(key => ({ key, value: `\${${name}}`, expand: true }));
        expect(codeOf(await place.change('production', { set }, { as }))).toBe('200');
      }
      answers.push((await validate()).body);
      if (name === 'OTHER') expect((await validate(owner.session)).body.invalid).toHaveLength(copies.length);
    }

    expect(answers).toEqual(Array(3).fill(expect.objectContaining({ valid: true, invalid: [] })));
    expect(codeOf(await validate(owner.session))).toBe('413 payload_too_large');
  });

  it('lets a writer who may not read change what it names', async () => {
    await setUp('production');
    const developer = await place.member('developer');

    expect(codeOf(await place.set('production', 'PASSWORD', 'new', { as: developer.session }))).toBe('200');
    expect(await place.values('production')).toMatchObject({ URL: 'postgres://app:new@db/app' });
  });
});

it('an item without references has the format that it always had', async () => {
  await place.set('dev', 'A', '1');
  await place.set('staging', 'A', '1');
  await place.set('staging', 'B', '${A}', expand);
  const { slug } = owner.organization;
  const formats = async (env: string) => {
    const own = (await allItems()).filter(({ pk }) => pk === `ENV#${slug}#${place.project.slug}#${env}`);
    return own.filter(({ sk }) => String(sk).startsWith('HEAD')).map(({ sk, v }) => `${sk} ${v}`);
  };

  expect(await formats('dev')).toEqual(['HEAD 3', 'HEAD#A 2']);
  expect(await formats('staging')).toEqual(['HEAD 5', 'HEAD#A 2', 'HEAD#B 3']);
});
