import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { nameTransformers, transformNames } from '#clients/cli/src/run/transform-names.ts';
import { createToken, startApi } from '#test/support/api.ts';
import { openWorkplace, type Workplace } from '#test/support/environments.ts';
import { fresh, shared } from '#test/support/fixtures.ts';
import { seedOwner } from '#test/support/people.ts';
import { buildCli, type Ending } from './cli.ts';

let token: string;

const api = shared(startApi);
const cli = shared(buildCli);
const owner = shared(seedOwner);
beforeAll(async () => {
  ({ token } = await createToken(api, owner));
});
const common = fresh(() => openWorkplace(api, owner));
const shop = fresh(() => openWorkplace(api, owner));
beforeEach(async () => {
  await common.importAll('staging', { A: 'shared', B: 'shared' });
  await shop.importAll('dev', { B: 'shop', C: 'shop' });
  writeFileSync(join(cli.home, '.holdfast.json'), JSON.stringify(linked()));
});

const nameOf = ({ project }: Workplace, env: string) => `${owner.organization.slug}/${project.slug}/${env}`;
const linked = () => ({ organization: owner.organization.slug, project: shop.project.slug, environment: 'dev' });

const holdfast = (words: string[], env: Record<string, string> = {}): Promise<Ending> =>
  cli.run(words, { env: { HOLDFAST_URL: api.url, HOLDFAST_TOKEN: token, ...env } });

const show = ['sh', '-c', 'echo "$A $B $C $HOLDFAST_REVISION"'];

describe('layers', () => {
  it('are given with --env, the last one winning, and all revisions are passed on', async () => {
    const { stdout, stderr, code } = await holdfast([
      'run',
      '-e',
      nameOf(common, 'staging'),
      '-e',
      'dev',
      '--',
      ...show,
    ]);
    const revisions = `${common.project.slug}/staging@1,${shop.project.slug}/dev@1`;
    expect([stdout, stderr, code]).toEqual([`shared shop shop ${revisions}\n`, '', 0]);
    const turned = await holdfast(['run', '-e', 'dev', '-e', nameOf(common, 'staging'), '--', ...show]);
    expect(turned.stdout).toContain('shared shared shop ');
  });

  it('may be committed in .holdfast.json, and --env or HOLDFAST_ENV replaces all of them', async () => {
    writeFileSync(
      join(cli.home, '.holdfast.json'),
      JSON.stringify({ ...linked(), layers: [nameOf(common, 'staging')] }),
    );
    const run = ['run', '--', ...show];
    expect((await holdfast(run)).stdout).toContain('shared shop shop ');
    expect((await holdfast(['run', '-e', 'dev', '--', ...show])).stdout).toBe(' shop shop 1\n');
    expect((await holdfast(run, { HOLDFAST_ENV: nameOf(common, 'staging') })).stdout).toBe('shared shared  1\n');
    // A command that writes takes the file's own environment.
    await cli.run(['set', 'C'], { env: { HOLDFAST_URL: api.url, HOLDFAST_TOKEN: token }, input: 'written' });
    expect([await shop.values('dev'), await common.values('staging')]).toEqual([
      { B: 'shop', C: 'written' },
      { A: 'shared', B: 'shared' },
    ]);
    expect((await holdfast(['status'])).stdout).toContain(nameOf(common, 'staging'));
    expect((await holdfast(['link', nameOf(shop, 'staging')])).code).toBe(0);
    expect((await holdfast(['status', '--json'])).stdout).toContain(nameOf(common, 'staging'));
  });

  it.each([
    ['{"layers": "acme/shared/dev"}', 'must be a list'],
    ['{"layers": ["dev"]}', 'organization/project/environment'],
    ['{"layers": ["acme/Shared/dev"]}', 'The project in layer acme/Shared/dev in '],
    ['{"layer": []}', 'unknown member “layer”'],
  ])('are checked: %s', async (text, problem) => {
    writeFileSync(join(cli.home, '.holdfast.json'), JSON.stringify({ ...linked(), ...JSON.parse(text) }));
    expect(await holdfast(['run', '--', ...show])).toMatchObject({
      stdout: '',
      stderr: expect.stringContaining(problem),
    });
  });

  it('are each audited, and one that is refused starts nothing', async () => {
    await holdfast(['run', '-e', nameOf(common, 'staging'), '-e', 'dev', '--', ...show]);
    const { entries } = (await api.get(`/audit/${owner.organization.id}?action=secret.pulled&limit=2`, owner.session))
      .body;
    const pulled = entries.map(({ target, environment }: { target: { id: string }; environment: { slug: string } }) => [
      target.id,
      environment.slug,
    ]);
    expect(pulled.toSorted()).toEqual(
      [
        [common.project.id, 'staging'],
        [shop.project.id, 'dev'],
      ].toSorted(),
    );
    const missing = nameOf(common, 'missing');
    const { stdout, stderr, code } = await holdfast(['run', '-e', missing, '-e', 'dev', '--', ...show]);
    expect([stdout, code]).toEqual(['', 125]);
    expect(stderr).toContain(`${missing}: `);
  });

  it('are for commands that read values; any other command takes one environment', async () => {
    for (const words of [['list'], ['unset', 'B'], ['push', '-'], ['restore', '1']]) {
      const env = { HOLDFAST_URL: api.url, HOLDFAST_TOKEN: token };
      const { stderr, code, stdout } = await cli.run([...words, '-e', 'staging', '-e', 'dev'], { env, input: 'B=1' });
      expect([words, code, stdout]).toEqual([words, 2, '']);
      expect(stderr).toContain('takes one environment');
    }
    expect((await holdfast(['run', '--revision', '1', '-e', 'staging', '-e', 'dev', '--', ...show])).code).toBe(125);
    expect(await shop.values('dev')).toEqual({ B: 'shop', C: 'shop' });
  });

  it('are pulled as one file, and --explain says where each key comes from without reading a value', async () => {
    const layers = ['-e', nameOf(common, 'staging'), '-e', 'dev'];
    expect((await holdfast(['pull', ...layers])).stdout).toBe('A=shared\nB=shop\nC=shop\n');
    expect((await holdfast(['get', 'B', ...layers])).stdout).toBe('shop');
    expect((await holdfast(['pull', '--only', 'A,C', ...layers])).stdout).toBe('A=shared\nC=shop\n');
    const before = await api.get(`/audit/${owner.organization.id}`, owner.session);
    const { stdout } = await holdfast(['pull', '--explain', ...layers]);
    const [below, above] = [`${nameOf(common, 'staging')}@1`, `${nameOf(shop, 'dev')}@1`];
    expect(stdout).toBe(`A\t${below}\t\nB\t${above}\t${below}\nC\t${above}\t\n`);
    for (const more of [['--format', 'json'], ['--output', 'f'], ['--revision', '1'], ['--offline']]) {
      const { code, stderr } = await holdfast(['pull', '--explain', ...more, ...layers]);
      expect([code, stderr]).toEqual([2, expect.stringContaining("option '--explain' cannot be used with option")]);
    }
    const after = await api.get(`/audit/${owner.organization.id}`, owner.session);
    expect(after.body.pagination.total).toBe(before.body.pagination.total);
  });

  it('have a cached copy each, and are used offline only if all of them have one', async () => {
    const layers = ['-e', nameOf(common, 'staging'), '-e', 'dev'];
    await holdfast(['pull', '--cache', '-e', 'dev']);
    expect((await holdfast(['run', '--offline', ...layers, '--', ...show])).code).not.toBe(0);
    await holdfast(['pull', '--cache', ...layers]);
    expect((await holdfast(['run', '--offline', ...layers, '--', ...show])).stdout).toContain('shared shop shop ');
  });
});

describe('run --override', () => {
  it('lets a local file win over every layer', async () => {
    writeFileSync(join(cli.home, '.env.local'), 'B=mine\nD=new\n');
    const words = ['run', '--override', '.env.local', '-e', nameOf(common, 'staging'), '-e', 'dev', '--'];
    expect((await holdfast([...words, 'sh', '-c', 'echo $A $B $C $D'])).stdout).toBe('shared mine shop new\n');
  });

  it('is refused where a layer’s type is production, whatever its slug, unless that is allowed', async () => {
    const path = `/projects/${owner.organization.id}/${common.project.slug}/environments`;
    await api.post(path, { name: 'Playground', slug: 'playground', type: 'production' }, owner.session);
    writeFileSync(join(cli.home, '.env.local'), 'B=mine\n');
    const layers = ['-e', nameOf(common, 'playground'), '-e', 'dev', '--', ...show];
    const refused = await holdfast(['run', '--override', '.env.local', ...layers]);
    expect([refused.stdout, refused.code]).toEqual(['', 125]);
    expect(refused.stderr).toContain(`${nameOf(common, 'playground')}, which is a production environment`);
    const offline = await holdfast(['run', '--override', '.env.local', '--offline', '-e', 'dev', '--', ...show]);
    expect([offline.stdout, offline.code]).toEqual(['', 125]);
    const allowed = await holdfast(['run', '--override', '.env.local', '--allow-override', ...layers]);
    expect(allowed.stdout).toContain(' mine shop ');
    // A slug of production with another type is no production environment.
    await api.patch(
      `/projects/${owner.organization.id}/${shop.project.slug}/environments/production`,
      { type: 'development' },
      owner.session,
    );
    expect((await holdfast(['run', '--override', '.env.local', '-e', 'production', '--', ...show])).stdout).toContain(
      'mine',
    );
  });

  it('is refused without the file, and for names that run refuses', async () => {
    const missing = await holdfast(['run', '--override', 'missing.env', '--', ...show]);
    expect([missing.stdout, missing.code]).toEqual(['', 125]);
    writeFileSync(join(cli.home, '.env.local'), 'LD_PRELOAD=./evil.so\n');
    const dangerous = await holdfast(['run', '--override', '.env.local', '--', ...show]);
    expect([dangerous.stdout, dangerous.code]).toEqual(['', 125]);
    expect(dangerous.stderr).toContain('LD_PRELOAD');
  });
});

describe('run --override, of a file that can’t be read for certain', () => {
  const started = ['sh', '-c', 'echo "started $B"'];

  it.each([
    ['a line that tools read differently', 'C=1\nB=mine#too\n', /line 2 B: .*\n.*--dialect node.*--as-is/],
    ['a line that is no assignment', 'B=1\nword\n', /line 2 /],
    ['bytes that are not UTF-8', Buffer.from('B=caf\xe9\n', 'latin1'), /not UTF-8/],
  ])('does not start the command: %s', async (_, content, reason) => {
    writeFileSync(join(cli.home, '.env.local'), content);
    const { code, stdout, stderr } = await holdfast(['run', '--override', '.env.local', '--', ...started]);
    expect({ code, stdout }).toEqual({ code: 125, stdout: '' });
    expect(stderr).toMatch(reason);
    expect(stderr).not.toMatch(/mine|caf|changed/);
  });

  it.each([
    ['--dialect=node', 'mine'],
    ['--dialect=sh', 'mine#too'],
    ['--as-is', 'mine#too'],
  ])('starts it with %s, which decides what the line means', async (flag, value) => {
    writeFileSync(join(cli.home, '.env.local'), 'B=mine#too\n');
    const { code, stdout } = await holdfast(['run', '--override', '.env.local', flag, '--', ...started]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `started ${value}\n` });
  });
});

describe('run --name-transformer', () => {
  it.each([
    ['tf-var', 'DATABASE_URL', 'TF_VAR_database_url'],
    ['dotnet', 'DATABASE__URL', 'Database__Url'],
    ['dotnet', 'SMTP__USER_NAME', 'Smtp__UserName'],
    ['lower', 'DATABASE_URL', 'database_url'],
  ])('%s makes of %s the name %s', (transformer, key, name) => {
    expect(transformNames([[key, 'v']], transformer)).toEqual({ named: [[name, 'v']], refusals: [] });
  });

  it('passes the values on under the new names only', async () => {
    const { stdout } = await holdfast([
      'run',
      '--name-transformer',
      'tf-var',
      '--',
      'sh',
      '-c',
      'echo $TF_VAR_b$TF_VAR_c-$B$C',
    ]);
    expect(stdout).toBe('shopshop-\n');
  });

  it('refuses keys that would get the same name, naming both', async () => {
    await shop.importAll('dev', { b: 'other' });
    for (const transformer of Object.keys(nameTransformers)) {
      const { stdout, stderr, code } = await holdfast(['run', '--name-transformer', transformer, '--', ...show]);
      expect([transformer, stdout, code]).toEqual([transformer, '', 125]);
      expect(stderr).toMatch(/\bb and B both become/);
    }
  });

  it('refuses a name that becomes dangerous', async () => {
    await shop.importAll('dev', { Http_Proxy_: 'fine', NPM_CONFIG_SCRIPT_SHELL: 'evil' });
    const { stdout, stderr, code } = await holdfast(['run', '--name-transformer', 'lower', '--', ...show]);
    expect([stdout, code]).toEqual(['', 125]);
    expect(stderr).toContain('npm_config_script_shell is a setting of npm');
  });
});
