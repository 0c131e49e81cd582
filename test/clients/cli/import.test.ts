import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { expectStatus } from '#test/support/sample-requests.ts';
import { longValues, nastyValues } from './formats/nasty-values.ts';
import { useShop } from './shop.ts';

const { api, ada, cli, client, project, holdfast, environment } = useShop();

const valuesAt = async (at: string, place: string): Promise<Record<string, string>> => {
  const [slug = '', env = ''] = place.split('/');
  return { ...(await client.environment(at, slug, env).pull()).toObject() };
};
const valuesOf = (place: string) => valuesAt(ada.organization.slug, place);
const revisionsOf = async (place: string) => {
  const [slug = '', env = ''] = place.split('/');
  return (await client.environment(ada.organization.slug, slug, env).revisions()).revisions;
};
const places = async (): Promise<string[]> => {
  const { body } = await expectStatus(api.get(`/projects/${ada.organization.id}`, ada.session), 200);
  return body.projects.flatMap((one: { slug: string; environments: { slug: string }[] }) =>
    one.environments.map(({ slug }) => `${one.slug}/${slug}`),
  );
};
const json = (name: string, content: unknown) => cli.file(name, JSON.stringify(content));

/** A program that stands for the product's command line: it prints an answer for each line of arguments. */
function shim(program: string, answers: Readonly<Record<string, unknown>>): Record<string, string> {
  const cases = Object.entries(answers).map(([words, answer], index) => {
    const text = typeof answer === 'string' ? answer : JSON.stringify(answer);
    return `'${words}') cat '${cli.file(`answers/${program}-${index}`, text)}' ;;`;
  });
  const environmentCheck = '[ -z "$HOLDFAST_TOKEN" ] || exit 65';
  cli.file(
    `shims/${program}`,
    `#!/bin/sh\n${environmentCheck}\ncase "$*" in\n${cases.join('\n')}\n*) echo geheim; exit 64 ;;\nesac\n`,
    0o755,
  );
  return { PATH: `${join(cli.home, 'shims')}:${process.env.PATH}` };
}

describe('import', () => {
  it('moves 500 values of every kind in several projects exactly, once', async () => {
    const values = [...longValues, ...nastyValues(600, 7)].slice(0, 480);
    const configs = ['shop/prd', 'shop/stg_eu', 'billing/dev', 'billing/production'];
    const expected: Record<string, Record<string, string>> = {};
    const files = configs.map((config, index) => {
      const [DOPPLER_PROJECT, DOPPLER_CONFIG] = config.split('/');
      const own = values.slice(index * 120, (index + 1) * 120).map((value, at) => [`KEY_${at}`, value] as const);
      const more = Object.fromEntries(['A', 'B.c', 'd-E', '_', '__proto__'].map(key => [key, `${config} ${key}`]));
      const secrets = Object.fromEntries([...own, ...Object.entries(more)]);
      expected[config.replace('_', '-')] = secrets;
      return json(`doppler-${index}.json`, { ...secrets, DOPPLER_PROJECT, DOPPLER_CONFIG, DOPPLER_ENVIRONMENT: 'x' });
    });
    expect(Object.values(expected).flatMap(Object.keys)).toHaveLength(500);
    const planned = await holdfast(['import', 'doppler', ...files, '--dry-run']);
    expect([planned.code, planned.stderr]).toEqual([0, expect.stringContaining('shop/stg-eu, which is new')]);
    expect(planned.stdout).toContain('+ __proto__ = ••••••••\n');
    expect(await places()).toEqual([`${project.slug}/dev`, `${project.slug}/staging`, `${project.slug}/production`]);

    const { code, stderr, stdout } = await holdfast(['import', 'doppler', ...files, '--yes']);
    expect([code, stdout]).toEqual([0, '']);
    for (const place of Object.keys(expected)) {
      expect(stderr).toContain(`Done; ${place} is at revision 1.`);
      expect(await valuesOf(place)).toEqual(expected[place]);
      expect((await revisionsOf(place)).map(({ message }) => message)).toEqual(['imported from Doppler']);
    }
    const again = await holdfast(['import', 'doppler', ...files, '--yes']);
    expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('Nothing was changed.')]);
    for (const place of Object.keys(expected)) expect(await revisionsOf(place)).toHaveLength(1);
  });

  it('declares references, and imports twice as once', async () => {
    const secrets = {
      DOPPLER_PROJECT: { computed: 'web' },
      DOPPLER_CONFIG: { computed: 'prd' },
      PW: { raw: 'p1', computed: 'p1' },
      URL: { raw: 'db:\u0024{PW}@\u0024{prd.HOST}', computed: 'db:p1@h' },
      HOST: { raw: 'h', computed: 'h' },
      FAR: { raw: '\u0024{stg.PW}', computed: 'p0' },
    };
    const file = json('secrets.json', secrets);
    const { code, stderr } = await holdfast(['import', 'doppler', file]);
    expect([code, stderr]).toEqual([0, expect.stringContaining('Has no place here: web/prd: the references of FAR')]);
    const at = client.environment(ada.organization.slug, 'web', 'prd');
    await at.set('PW', 'p2');
    expect(await valuesOf('web/prd')).toEqual({ PW: 'p2', URL: 'db:p2@h', HOST: 'h', FAR: 'p0' });
    await at.set('PW', 'p1');
    expect((await holdfast(['import', 'doppler', file])).stderr).toContain('Nothing was changed.');
  });

  it('refuses by name what it can’t take, imports the rest, and ends with 9', async () => {
    const item = {
      title: 'prod',
      vault: { name: 'shop' },
      fields: [
        { label: 'A', value: '1' },
        { label: 'api key', value: 'geheim' },
        { label: 'TWICE', value: 'geheim' },
        { label: 'TWICE', value: 'other' },
      ],
    };
    const file = json('item.json', item);
    const dry = await holdfast(['import', '1password', file, '--dry-run']);
    expect([dry.code, dry.stdout]).toEqual([9, '+ A = ••••••••\n']);
    expect(await places()).not.toContain('shop/prod');
    const { code, stderr } = await holdfast(['import', '1password', file]);
    expect([code, stderr]).toEqual([9, expect.stringMatching(/3 values can’t be imported; the rest was\./)]);
    for (const reason of ['"api key" is not a key', 'TWICE is there twice']) expect(stderr).toContain(reason);
    expect(stderr + dry.stderr).not.toContain('geheim');
    expect(await valuesOf('shop/prod')).toEqual({ A: '1' });
    const { stdout, stderr: error } = await holdfast(['import', '1password', file, '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      environments: [{ from: ['shop/prod'], project: 'shop', environment: 'prod', unchanged: ['A'], revision: 1 }],
      refused: [{ key: 'api key' }, { key: 'TWICE' }, { key: 'TWICE' }],
    });
    expect(JSON.parse(error).error).toMatchObject({ code: 'not_imported', details: [{ key: 'api key' }, {}, {}] });
    const none = json('none.json', { ...item, fields: item.fields.slice(1) });
    expect((await holdfast(['import', '1password', none])).code).toBe(9);
    const empty = await holdfast(['import', '1password', json('empty.json', { title: 'x', vault: { name: 'y' } })]);
    expect([empty.code, empty.stderr]).toEqual([1, expect.stringContaining('has no value')]);
  });

  it('goes where the map says, and else where the settings do', async () => {
    const secrets = (Name: string, content: object) => ({
      ARN: `arn:${Name}`,
      Name,
      SecretString: JSON.stringify(content),
    });
    const SecretValues = [secrets('shop/prd', { A: '1', PORT: 5432 }), secrets('old/prd', { B: '2' })];
    const file = json('secrets.json', { SecretValues });
    const map = json('map.json', { 'shop/prd': 'web/production', 'old/prd': null });
    expect((await holdfast(['import', 'aws-secrets-manager', file, '--map', map])).code).toBe(0);
    expect(await valuesOf('web/production')).toEqual({ A: '1', PORT: '5432' });
    expect((await places()).filter(place => place.startsWith('web/'))).toHaveLength(3);
    expect(await places()).not.toContain('old/prd');

    const input = JSON.stringify({ data: { data: { C: '3' }, metadata: {} } });
    expect((await holdfast(['import', 'vault', '-', '-e', 'staging'], input)).code).toBe(0);
    expect(await valuesOf(`${project.slug}/staging`)).toEqual({ C: '3' });

    const two = [json('x.json', { A: '1' }), json('y.json', { B: '1' })];
    const mixed = await holdfast(['import', 'chamber', ...two]);
    expect([mixed.code, mixed.stderr]).toEqual([2, expect.stringContaining('Say where each goes: --map map.json')]);
    const each = Object.fromEntries(two.map((name, index) => [name, `chamber/e${index}`]));
    expect((await holdfast(['import', 'chamber', ...two, '--map', json('each.json', each)])).code).toBe(0);
    expect(await valuesOf('chamber/e0')).toEqual({ A: '1' });
    expect(await valuesOf('chamber/e1')).toEqual({ B: '1' });
    for (const wrong of [{ x: 'y' }, { x: 'A/b' }, ['x'], { x: 1 }]) {
      const refused = await holdfast(['import', 'chamber', ...two, '--map', json('wrong.json', wrong)]);
      expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('For example: {')]);
    }
  });

  it('asks on a terminal, after it has shown everything', async () => {
    const file = json('d.json', { DOPPLER_PROJECT: 'web', DOPPLER_CONFIG: 'prd', A: '1', 'b c': '2' });
    const options = { env: { ...environment, TERM: 'dumb' } };
    const no = await cli.converse(['import', 'doppler', file], [['Apply? [y/N]', 'n\n']], options);
    expect([no.code, no.stdout]).toEqual([
      1,
      expect.stringMatching(/\+ A = •+[\s\S]*Can’t be imported: web\/prd: "b c"/),
    ]);
    expect(await places()).not.toContain('web/prd');
    const yes = await cli.converse(['import', 'doppler', file], [['Apply? [y/N]', 'y\n']], options);
    expect(yes.code).toBe(9);
    expect(await valuesOf('web/prd')).toEqual({ A: '1' });
  });

  it('says which environments were imported if a later one fails', async () => {
    const places = ['dev', 'staging', 'production'];
    const file = json('a.json', {
      Parameters: places.map(name => ({ Name: `/${project.slug}/${name}/A`, Value: '1' })),
    });
    const options = { env: { ...environment, TERM: 'dumb' }, terminal: true, columns: 200 };
    const importing = async (...words: string[]) => {
      const started = cli.start(['import', 'aws-ssm', file, ...words], options);
      await started.until('Apply? [y/N]');
      await client.environment(ada.organization.slug, project.slug, 'staging').set('B', words.join());
      started.child.stdin?.write('y\n');
      return started.ended;
    };
    const [dev, staging, production] = places.map(name => `${project.slug}/${name}`);
    const { code, stdout } = await importing();
    expect(code).toBe(6);
    expect(stdout).toContain(`Imported: ${dev}`);
    expect(stdout).toContain(`Stopped at ${staging}: staging has moved from revision 0 to 1; it was not imported.`);
    expect(stdout).toContain(`Not reached: ${production}`);
    expect([await valuesOf(`${dev}`), await valuesOf(`${production}`)]).toEqual([{ A: '1' }, {}]);
    const again = (await importing('--json')).stdout.replace(/\s/g, '');
    expect(again).toContain(`"imported":[],"stopped":"${staging}","notReached":["${production}"]`);
  });

  it('changes nothing anywhere if one of the environments requires approval', async () => {
    const dev = `/projects/${ada.organization.id}/${project.slug}/environments/dev`;
    await expectStatus(api.patch(dev, { approvals: 1 }, ada.session), 200);
    const file = json('a.json', {
      Parameters: [`/new/prd`, `/${project.slug}/dev`].map(path => ({ Name: `${path}/A`, Value: '1' })),
    });
    const { code, stderr } = await holdfast(['import', 'aws-ssm', file]);
    expect([code, stderr]).toEqual([6, expect.stringContaining(`Changes of ${project.slug}/dev need approval`)]);
    expect(await places()).not.toContain('new/prd');
  });

  it('changes nothing for a file that is no export, or with too many keys', async () => {
    const many = Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`K${index}`, 'x']));
    const { code, stderr } = await holdfast(['import', 'chamber', json('many.json', many)]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('would get 1001 keys')]);
    const broken = await holdfast(['import', 'doppler', cli.file('b.json', '{"A": "geheim"')]);
    expect([broken.code, broken.stderr]).toEqual([1, expect.stringContaining('is not valid JSON')]);
    const missing = await holdfast(['import', 'doppler', 'none.json']);
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('none.json can’t be read')]);
    expect((await holdfast(['import', 'nothing', 'x.json'])).code).toBe(2);
    expect((await revisionsOf(`${project.slug}/dev`)).length).toBe(0);
  });
});

describe('without files, import', () => {
  it('runs the product’s own command line, which gets no token of this service', async () => {
    const branches = Array.from({ length: 99 }, (_, index) => ({ name: `dev_${index}` }));
    const doppler = shim('doppler', {
      'projects --number 100 --page 1 --json': [{ id: 'p1', name: 'web' }],
      'configs --project web --number 100 --page 1 --json': [...branches, { name: 'dev' }],
      'configs --project web --number 100 --page 2 --json': [{ name: 'prd' }],
      ...Object.fromEntries(branches.map(({ name }) => [`secrets --project web --config ${name} --json --raw`, {}])),
      'secrets --project web --config dev --json --raw': { A: { raw: '1', computed: '1' } },
      'secrets --project web --config prd --json --raw': { A: { raw: '2', computed: '2' } },
    });
    expect((await holdfast(['import', 'doppler'], undefined, doppler)).code).toBe(0);
    expect([await valuesOf('web/dev'), await valuesOf('web/prd')]).toEqual([{ A: '1' }, { A: '2' }]);

    const vault = shim('vault', {
      'secrets list -format=json': { 'kv/': { type: 'kv' }, 'sys/': { type: 'system' } },
      'kv list -format=json -mount=kv -- ': ['api/', '-lone'],
      'kv list -format=json -mount=kv -- api/': ['prod'],
      'kv get -format=json -mount=kv -- api/prod': { data: { data: { B: '1' }, metadata: {} } },
      'kv get -format=json -mount=kv -- -lone': { data: { C: '2' } },
    });
    expect((await holdfast(['import', 'vault'], undefined, vault)).code).toBe(0);
    expect([await valuesOf('api/prod'), await valuesOf(`${project.slug}/lone`)]).toEqual([{ B: '1' }, { C: '2' }]);

    const several = shim('vault', {
      'secrets list -format=json': { 'kv/': { type: 'kv' }, 'team/kv/': { type: 'kv' } },
      ...Object.fromEntries(
        ['kv', 'team/kv'].flatMap(mount => [
          [`kv list -format=json -mount=${mount} -- `, ['api/']],
          [`kv list -format=json -mount=${mount} -- api/`, ['two']],
          [
            `kv get -format=json -mount=${mount} -- api/two`,
            { data: { [mount.toUpperCase().replace('/', '_')]: '1' } },
          ],
        ]),
      ),
    });
    const mixed = await holdfast(['import', 'vault'], undefined, several);
    expect([mixed.code, mixed.stderr]).toEqual([2, expect.stringContaining('kv/api/two, team/kv/api/two')]);
    const map = json('mounts.json', { 'kv/api/two': 'api/two', 'team/kv/api/two': 'api/two' });
    expect((await holdfast(['import', 'vault', '--map', map], undefined, several)).code).toBe(0);
    expect(await valuesOf('api/two')).toEqual({ KV: '1', TEAM_KV: '1' });

    const secret = (Name: string) => ({ ARN: `arn:${Name}`, Name, SecretString: '{"D": "4"}' });
    const ids = Array.from({ length: 21 }, (_, index) => `many/e${index}`);
    const aws = shim('aws', {
      'ssm get-parameters-by-path --path / --recursive --with-decryption --output json': {
        Parameters: [{ Name: '/ssm/prod/E', Type: 'String', Value: '5' }],
      },
      'secretsmanager list-secrets --output json': { SecretList: ids.map(Name => ({ ARN: `arn:${Name}` })) },
      [`secretsmanager batch-get-secret-value --secret-id-list ${ids
        .slice(0, 20)
        .map(id => `arn:${id}`)
        .join(' ')} --output json`]: { SecretValues: [secret('many/e0')] },
      'secretsmanager batch-get-secret-value --secret-id-list arn:many/e20 --output json': {
        SecretValues: [secret('many/e20')],
      },
    });
    expect((await holdfast(['import', 'aws-ssm'], undefined, aws)).code).toBe(0);
    expect((await holdfast(['import', 'aws-secrets-manager'], undefined, aws)).code).toBe(0);
    expect([await valuesOf('ssm/prod'), await valuesOf('many/e20')]).toEqual([{ E: '5' }, { D: '4' }]);
  });

  it('does so for the others', async () => {
    const staging = `${project.slug}/staging`;
    const infisical = shim('infisical', {
      'export --env=staging --format=json --expand=false --secret-overriding=false': [
        { key: 'A', value: '1' },
        { key: 'B', value: '\u0024{staging.A}' },
      ],
    });
    expect((await holdfast(['import', 'infisical', '-e', 'staging'], undefined, infisical)).code).toBe(0);
    expect(await valuesOf(staging)).toEqual({ A: '1', B: '1' });

    const payload = { data: Buffer.from('g').toString('base64url') };
    const gcloud = shim('gcloud', {
      'secrets list --format=json': [{ name: 'projects/1/secrets/G' }],
      'secrets versions access latest --secret=G --format=json': { name: 'projects/1/secrets/G/versions/2', payload },
    });
    expect((await holdfast(['import', 'gcp', '-e', 'staging'], undefined, gcloud)).code).toBe(0);
    expect(await valuesOf(staging)).toMatchObject({ G: 'g' });

    const fields = [{ label: 'P', value: 'p' }];
    const op = shim('op', {
      'item list --format json': [{ id: 'i', vault: { id: 'v' } }],
      'item get i --vault v --format json --reveal': { title: 'prod', vault: { name: 'one' }, fields },
    });
    expect((await holdfast(['import', '1password'], undefined, op)).code).toBe(0);
    expect(await valuesOf('one/prod')).toEqual({ P: 'p' });

    const bws = shim('bws', {
      'project list --output json': [{ id: 'p', name: 'bits/prod' }],
      'secret list --output json': [{ id: 's', projectId: 'p', key: 'S', value: 's', note: '' }],
    });
    expect((await holdfast(['import', 'bitwarden'], undefined, bws)).code).toBe(0);
    expect(await valuesOf('bits/prod')).toEqual({ S: 's' });

    const chamber = shim('chamber', {
      'list-services': 'Service\nchamber/prod\n',
      'export --format json -- chamber/prod': { 'a-b': 'c' },
    });
    expect((await holdfast(['import', 'chamber'], undefined, chamber)).code).toBe(0);
    expect(await valuesOf('chamber/prod')).toEqual({ A_B: 'c' });
  });

  it('says what is missing, and shows nothing of what a failed program printed', async () => {
    const PATH = join(cli.home, 'empty');
    const absent = await holdfast(['import', 'doppler'], undefined, { PATH });
    expect([absent.code, absent.stderr]).toEqual([
      2,
      expect.stringMatching(/doppler is not installed[\s\S]*doppler secrets/),
    ]);
    const unnamed = await holdfast(['import', 'sops']);
    expect([unnamed.code, unnamed.stderr]).toEqual([2, expect.stringContaining('Name the file')]);
    const { code, stderr, stdout } = await holdfast(['import', 'doppler'], undefined, shim('doppler', {}));
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('doppler projects --number failed; nothing was imported'),
    ]);
    expect(stdout + stderr).not.toContain('geheim');
  });
});

describe('a file that its product encrypted', () => {
  it('is decrypted by dotenvx, and without it refused by name', async () => {
    const dotenvx = join(import.meta.dirname, '../../../node_modules/.bin/dotenvx');
    const text = 'A="one two"\nB=\'lit $X\'\nC="x \u0024{A} y"\nPEM="a\nb"\n';
    const path = cli.file('.env.production', text);
    execFileSync(dotenvx, ['encrypt', '-f', path], { cwd: cli.home, stdio: 'ignore' });
    const PATH = `${join(import.meta.dirname, '../../../node_modules/.bin')}:${process.env.PATH}`;
    // A variable of this process would hide the file's without --overload.
    const { code } = await holdfast(['import', 'dotenvx', path], undefined, { PATH, A: 'hidden' });
    expect(code).toBe(0);
    const expected = { A: 'one two', B: 'lit $X', C: 'x one two y', PEM: 'a\nb' };
    expect(await valuesOf(`${project.slug}/production`)).toEqual(expected);
    const sealed = await holdfast(['import', 'dotenvx', path, '-p', 'other'], undefined, { PATH: '/usr/bin:/bin' });
    expect([sealed.code, sealed.stderr]).toEqual([9, expect.stringContaining('PEM is still encrypted')]);
    const plain = execFileSync(dotenvx, ['decrypt', '-f', path, '--stdout'], {
      cwd: cli.home,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    writeFileSync(path, plain);
    const again = await holdfast(['import', 'dotenvx', path]);
    expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('Nothing was changed.')]);
  });

  it('is decrypted by sops', async () => {
    const value = 'ENC[AES256_GCM,data:abc=,iv:def=,tag:ghi=,type:str]';
    const path = cli.file('prod.yaml', `PORT: ${value}\nsops:\n    mac: ${value}\n`);
    const sops = shim('sops', { [`--decrypt ${path}`]: 'PORT: 0x1F\nDEEP:\n  A: geheim\n' });
    const { code, stderr } = await holdfast(['import', 'sops', path], undefined, sops);
    expect([code, stderr]).toEqual([9, expect.stringContaining(`${path}: DEEP is an object`)]);
    expect(await valuesOf(`${project.slug}/dev`)).toEqual({ PORT: '0x1F' });
  });

  it('is refused by name without the key, and what is not encrypted is imported', async () => {
    const value = 'ENC[AES256_GCM,data:abc=,iv:def=,tag:ghi=,type:str]';
    const path = cli.file('prod.yaml', `A: ${value}\nB_unencrypted: b\nsops:\n    mac: ${value}\n`);
    const { code, stderr } = await holdfast(['import', 'sops', path], undefined, shim('sops', {}));
    expect([code, stderr]).toEqual([9, expect.stringContaining(`${path}: A is still encrypted`)]);
    expect(stderr).toContain(`${path} could not be decrypted.`);
    expect(await valuesOf(`${project.slug}/dev`)).toEqual({ B_unencrypted: 'b' });
  });
});
