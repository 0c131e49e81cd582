import { beforeEach, describe, expect, it } from 'vitest';
import { nameTransformers, transformNames } from '#clients/cli/src/run/transform-names.ts';
import { createToken, startApi } from '#test/support/api.ts';
import { openWorkplace, type Workplace } from '#test/support/environments.ts';
import { fresh, shared } from '#test/support/fixtures.ts';
import { seedOwner } from '#test/support/people.ts';
import { buildCli, type Ending, failure, success } from './cli.ts';

const api = shared(startApi);
const cli = shared(buildCli);
const owner = shared(seedOwner);
const token = shared(() => createToken(api, owner));
const common = fresh(() => openWorkplace(api, owner));
const shop = fresh(() => openWorkplace(api, owner));
beforeEach(async () => {
  await common.importAll('staging', { A: 'shared', B: 'shared' });
  await shop.importAll('dev', { B: 'shop', C: 'shop' });
  link();
});

const nameOf = ({ project }: Workplace, env: string) => `${owner.organization.slug}/${project.slug}/${env}`;
const below = () => nameOf(common, 'staging');
const layers = () => ['-e', below(), '-e', 'dev'];
const link = (changes: object = {}) => {
  const place = { organization: owner.organization.slug, project: shop.project.slug, environment: 'dev' };
  cli.file('.holdfast.json', JSON.stringify({ ...place, ...changes }));
};

const holdfast = (words: string[], env: Record<string, string> = {}, input = ''): Promise<Ending> =>
  cli.run(words, { env: { HOLDFAST_URL: api.url, HOLDFAST_TOKEN: token.token, ...env }, input });
const run = (flags: string[], script = 'echo "$A $B $C $HOLDFAST_REVISION"', env: Record<string, string> = {}) =>
  holdfast(['run', ...flags, '--', 'sh', '-c', script], env);

describe('layers', () => {
  it('are given with --env, the last one winning, and all revisions are passed on', async () => {
    const revisions = `${common.project.slug}/staging@1,${shop.project.slug}/dev@1`;
    expect(await run(layers())).toEqual(success(`shared shop shop ${revisions}\n`));
    const turned = await run(['-e', 'dev', '-e', below()]);
    expect(turned.stdout).toContain('shared shared shop ');
  });

  it('may be committed in .holdfast.json, and --env or HOLDFAST_ENV replaces all of them', async () => {
    link({ layers: [below()] });
    expect((await run([])).stdout).toContain('shared shop shop ');
    expect((await run(['-e', 'dev'])).stdout).toBe(' shop shop 1\n');
    expect((await run([], undefined, { HOLDFAST_ENV: below() })).stdout).toBe('shared shared  1\n');
    // A command that writes takes the file's own environment.
    await holdfast(['set', 'C'], {}, 'written');
    expect(await shop.values('dev')).toEqual({ B: 'shop', C: 'written' });
    expect(await common.values('staging')).toEqual({ A: 'shared', B: 'shared' });
    expect((await holdfast(['status'])).stdout).toContain(below());
    expect((await holdfast(['link', nameOf(shop, 'staging')])).code).toBe(0);
    expect((await holdfast(['status', '--json'])).stdout).toContain(below());
  });

  it('may be in HOLDFAST_LAYERS as for run.sh, instead of those of the file, and --env replaces them', async () => {
    link({ layers: [nameOf(common, 'dev')] });
    const HOLDFAST_LAYERS = `${common.project.slug}/staging`;
    expect((await run([], undefined, { HOLDFAST_LAYERS })).stdout).toContain('shared shop shop ');
    const both = { HOLDFAST_LAYERS, HOLDFAST_ENV: nameOf(shop, 'staging') };
    expect((await run([], undefined, both)).stdout).toContain('shared shared  ');
    expect((await run(['-e', 'dev'], undefined, { HOLDFAST_LAYERS })).stdout).toBe(' shop shop 1\n');
    expect((await run([], undefined, { HOLDFAST_LAYERS: 'shared' })).code).toBe(125);
  });

  it('of one organization are one request, and what is refused of it is named', async () => {
    const requests = async (words: string[]) => {
      const ended = await holdfast(words);
      const path = `/audit/${owner.organization.id}?action=secret.pulled&limit=2`;
      const { entries } = (await api.get(path, owner.session)).body;
      return { ...ended, ids: new Set(entries.map(({ requestId }: { requestId: string }) => requestId)) };
    };
    expect((await requests(['pull', ...layers()])).ids.size).toBe(1);
    // A copy of each layer needs each of them as a whole.
    expect((await requests(['pull', '--cache', ...layers()])).ids.size).toBe(2);
    const developer = await createToken(api, await common.member('developer'));
    for (const [lower, upper] of [
      [nameOf(common, 'production'), nameOf(shop, 'dev')],
      [nameOf(common, 'dev'), nameOf(shop, 'production')],
    ] as const) {
      const refused = lower.endsWith('production') ? lower : upper;
      const ended = await holdfast(['pull', '-e', lower, '-e', upper], { HOLDFAST_TOKEN: developer.token });
      expect(ended).toEqual(failure(4, `${refused}: `));
    }
    expect(await holdfast(['get', 'NOWHERE', ...layers()])).toEqual(failure(5, 'NOWHERE'));
  });

  it.each([
    ['{"layers": "acme/shared/dev"}', 'must be a list'],
    ['{"layers": ["dev"]}', 'organization/project/environment'],
    ['{"layers": ["acme/Shared/dev"]}', 'The project in layer acme/Shared/dev in '],
    ['{"layer": []}', 'unknown member “layer”'],
  ])('are checked: %s', async (text, problem) => {
    link(JSON.parse(text));
    expect(await run([])).toMatchObject({ stdout: '', stderr: expect.stringContaining(problem) });
  });

  it('are each audited, and one that is refused starts nothing', async () => {
    await run(layers());
    const path = `/audit/${owner.organization.id}?action=secret.pulled&limit=2`;
    const { entries } = (await api.get(path, owner.session)).body;
    type Entry = { target: { id: string }; environment: { slug: string } };
    const pulled = entries.map(({ target, environment }: Entry) => `${target.id} ${environment.slug}`);
    expect(pulled.toSorted()).toEqual([`${common.project.id} staging`, `${shop.project.id} dev`].toSorted());
    const missing = nameOf(common, 'missing');
    expect(await run(['-e', missing, '-e', 'dev'])).toEqual(failure(125, `${missing}: `));
  });

  it('are for commands that read values; any other command takes one environment', async () => {
    for (const words of [['list'], ['unset', 'B'], ['push', '-'], ['restore', '1']]) {
      const ended = await holdfast([...words, '-e', 'staging', '-e', 'dev'], {}, 'B=1');
      expect(ended, words[0]).toEqual(failure(2, 'takes one environment'));
    }
    expect((await run(['--revision', '1', '-e', 'staging', '-e', 'dev'])).code).toBe(125);
    expect(await shop.values('dev')).toEqual({ B: 'shop', C: 'shop' });
  });

  it('are pulled as one file, and --explain says where each key comes from without reading a value', async () => {
    expect((await holdfast(['pull', ...layers()])).stdout).toBe('A=shared\nB=shop\nC=shop\n');
    expect((await holdfast(['get', 'B', ...layers()])).stdout).toBe('shop');
    expect((await holdfast(['pull', '--only', 'A,C', ...layers()])).stdout).toBe('A=shared\nC=shop\n');
    const entries = async () => (await api.get(`/audit/${owner.organization.id}`, owner.session)).body.pagination.total;
    const earlier = await entries();
    const { stdout } = await holdfast(['pull', '--explain', ...layers()]);
    const [lower, upper] = [`${below()}@1`, `${nameOf(shop, 'dev')}@1`];
    expect(stdout).toBe(`A\t${lower}\t\nB\t${upper}\t${lower}\nC\t${upper}\t\n`);
    for (const more of [['--format', 'json'], ['--output', 'f'], ['--revision', '1'], ['--offline']]) {
      const ended = await holdfast(['pull', '--explain', ...more, ...layers()]);
      expect(ended).toEqual(failure(2, "option '--explain' cannot be used with option"));
    }
    expect(await entries()).toBe(earlier);
  });

  it('have a cached copy each, and are used offline only if all of them have one', async () => {
    await holdfast(['pull', '--cache', '-e', 'dev']);
    expect((await run(['--offline', ...layers()])).code).not.toBe(0);
    await holdfast(['pull', '--cache', ...layers()]);
    expect((await run(['--offline', ...layers()])).stdout).toContain('shared shop shop ');
  });
});

const override = ['--override', '.env.local'];

describe('run --override', () => {
  it('lets a local file win over every layer', async () => {
    cli.file('.env.local', 'B=mine\nD=new\n');
    const { stdout } = await run([...override, ...layers()], 'echo $A $B $C $D');
    expect(stdout).toBe('shared mine shop new\n');
  });

  it('is refused where a layer’s type is production, whatever its slug, unless that is allowed', async () => {
    const path = `/projects/${owner.organization.id}/${common.project.slug}/environments`;
    await api.post(path, { name: 'Playground', slug: 'playground', type: 'production' }, owner.session);
    cli.file('.env.local', 'B=mine\n');
    const playground = nameOf(common, 'playground');
    const flags = [...override, '-e', playground, '-e', 'dev'];
    expect(await run(flags)).toEqual(failure(125, `${playground}, which is a production environment`));
    expect(await run([...override, '--offline', '-e', 'dev'])).toEqual(failure(125, ''));
    expect((await run([...flags, '--allow-override'])).stdout).toContain(' mine shop ');
    // A slug of production with another type is no production environment.
    const production = `/projects/${owner.organization.id}/${shop.project.slug}/environments/production`;
    await api.patch(production, { type: 'development' }, owner.session);
    expect((await run([...override, '-e', 'production'])).stdout).toContain('mine');
  });

  it('is refused without the file, and for names that run refuses', async () => {
    expect(await run(['--override', 'missing.env'])).toEqual(failure(125, ''));
    cli.file('.env.local', 'LD_PRELOAD=./evil.so\n');
    expect(await run(override)).toEqual(failure(125, 'LD_PRELOAD'));
  });
});

describe('run --override, of a file that can’t be read for certain', () => {
  const started = 'echo "started $B"';

  it.each([
    ['a line that tools read differently', 'C=1\nB=mine#too\n', /line 2 B: .*\n.*--dialect node.*--as-is/],
    ['a line that is no assignment', 'B=1\nword\n', /line 2 /],
    ['bytes that are not UTF-8', Buffer.from('B=caf\xe9\n', 'latin1'), /not UTF-8/],
  ])('does not start the command: %s', async (_, content, reason) => {
    cli.file('.env.local', content);
    const ended = await run(override, started);
    expect(ended).toEqual(failure(125, reason));
    expect(ended.stderr).not.toMatch(/mine|caf|changed/);
  });

  it.each([
    ['--dialect=node', 'mine'],
    ['--dialect=sh', 'mine#too'],
    ['--as-is', 'mine#too'],
  ])('starts it with %s, which decides what the line means', async (flag, value) => {
    cli.file('.env.local', 'B=mine#too\n');
    expect(await run([...override, flag], started)).toMatchObject({ code: 0, stdout: `started ${value}\n` });
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
    const { stdout } = await run(['--name-transformer', 'tf-var'], 'echo $TF_VAR_b$TF_VAR_c-$B$C');
    expect(stdout).toBe('shopshop-\n');
  });

  it('refuses keys that would get the same name, naming both', async () => {
    await shop.importAll('dev', { b: 'other' });
    for (const transformer of Object.keys(nameTransformers)) {
      const ended = await run(['--name-transformer', transformer]);
      expect(ended, transformer).toEqual(failure(125, /\bb and B both become/));
    }
  });

  it('refuses a name that becomes dangerous', async () => {
    await shop.importAll('dev', { Http_Proxy_: 'fine', NPM_CONFIG_SCRIPT_SHELL: 'evil' });
    const lower = await run(['--name-transformer', 'lower']);
    expect(lower).toEqual(failure(125, 'npm_config_script_shell is a setting of npm'));
  });
});
