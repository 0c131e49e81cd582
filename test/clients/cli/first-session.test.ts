import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildDownloads } from '#clients/cli/build-downloads.ts';
import { createProject, createToken, startApi } from '#test/support/api.ts';
import { fresh, shared } from '#test/support/fixtures.ts';
import { type Person, seedPerson } from '#test/support/people.ts';
import { expectStatus } from '#test/support/sample-requests.ts';
import { buildCli, type Cli, type StartedCli, variablesOf } from './cli.ts';
import { pathOf } from './scripts/image.ts';

const hasTerminal = pathOf('script') !== undefined && pathOf('curl') !== undefined;
if (!hasTerminal) process.stderr.write('SKIPPED: script or curl is not installed, so no block was pasted\n');

const api = shared(() => startApi({}, undefined, undefined, buildDownloads()));
const cli = fresh(buildCli);
const ada = fresh(() => seedPerson({ name: 'Ada' }));
const origin = () => new URL(api.url).origin;

/** Agrees in the browser, as the dashboard does. */
async function agree(started: StartedCli, person: Person, access: string): Promise<URLSearchParams> {
  await started.until(/authorize-cli\?\S+state=\S+\s/);
  const page = new URL(/http\S+authorize-cli\?\S+/.exec(started.seen())?.[0] ?? '').searchParams;
  const limit = access === 'full' ? { organizationId: person.organization.id } : {};
  const wanted = { codeChallenge: page.get('code_challenge'), name: page.get('name'), access, ...limit };
  const { body } = await expectStatus(api.post('/auth/cli-auth', wanted, person.session), 201);
  const back = new URL(page.get('redirect_uri') ?? '');
  for (const [name, value] of Object.entries({ ...body, state: page.get('state') }))
    back.searchParams.set(name, String(value));
  await fetch(back);
  return page;
}

/** A shell on a terminal of a new machine, which gets all lines at once. */
function paste({ start, home }: Cli, folder: string, lines: readonly string[], browser = 'true'): StartedCli {
  const env = { PATH: `${home}/.local/bin:${process.env.PATH}`, TERM: 'dumb', PS1: '> ', BROWSER: browser };
  const under = ['bash', '--norc', '--noprofile', '-i', '-s', '--'];
  const started = start([], { terminal: true, cwd: join(home, folder), env, under });
  started.child.stdin?.write([...lines, 'exit', ''].join('\n'));
  return started;
}

const printGreeting = `holdfast run -- sh -c 'echo "got $GREETING"'`;
const use = ['holdfast link --create', 'holdfast push .env --yes', printGreeting];

describe.skipIf(!hasTerminal)('a first session', () => {
  it('goes from the installer to a program with its secret in one pasted block, on two projects and in a clone', async () => {
    cli.file('Web Shop/.env', 'GREETING=hello\n');
    const install = `curl -fsS ${origin()}/install.sh | sh`;
    const first = paste(cli, 'Web Shop', [install, `holdfast login --url ${origin()}`, ...use]);
    // Without --access, the dashboard suggests one.
    expect((await agree(first, ada, 'full')).has('access')).toBe(false);
    expect((await first.ended).stdout).toMatch(/^got hello\r$/m);
    const text = first.seen();
    for (const said of ['It may do everything', 'Created the project web-shop', 'Done; dev is at revision 1.'])
      expect(text).toContain(said);

    cli.file('second/.env', 'GREETING=bonjour\n');
    expect((await paste(cli, 'second', use).ended).stdout).toMatch(/^got bonjour\r$/m);

    // What was committed leads a colleague with a machine of his own to the same service.
    const committed = readFileSync(join(cli.home, 'Web Shop/.holdfast.json'), 'utf8');
    const place = { organization: ada.organization.slug, project: 'web-shop', environment: 'dev' };
    expect(JSON.parse(committed)).toEqual({ ...place, url: origin() });
    const alan = await seedPerson({ name: 'Alan' });
    const invitation = { email: `${randomUUID()}@example.com`, role: 'developer' };
    const { body } = await api.post(`/members/${ada.organization.id}/invite`, invitation, ada.session);
    await expectStatus(api.post(`/members/invite/${body.token}/accept`, undefined, alan.session), 200, 201);
    const clone = buildCli();
    try {
      clone.file('clone/.holdfast.json', committed);
      mkdirSync(join(clone.home, 'clone/.git'));
      const colleague = paste(clone, 'clone', [install, 'holdfast login', printGreeting]);
      await agree(colleague, alan, 'read');
      expect((await colleague.ended).stdout).toMatch(/^got hello\r$/m);
      expect(colleague.seen()).toContain('To change them: holdfast login --access write');
    } finally {
      clone.remove();
    }
  }, 120_000);

  it('says that pasted commands are no code, where no browser opens, and asks again', async () => {
    const words = ['login', '--no-browser', '--url', origin()];
    const said = await cli.converse(words, [
      ['Code: ', 'holdfast link --create\rholdfast push .env\r'],
      [/That is not a code\.[\s\S]*Code: /, 'hfc_cut~aHR0\r'],
      [/That is not the whole code; copy it again\.[\s\S]*Code: /, '\r'],
    ]);
    expect([said.code, said.stdout]).toEqual([3, expect.stringContaining('No code was entered')]);
  });
});

describe('link', () => {
  const signedIn = async (access: string) => ({
    HOLDFAST_URL: api.url,
    HOLDFAST_TOKEN: (await createToken(api, ada, { access })).token,
  });

  it.skipIf(!hasTerminal)('on a terminal offers to create the first project, or the one that is named', async () => {
    const options = { env: { ...(await signedIn('full')), TERM: 'dumb' } };
    const first = await cli.converse(
      ['link'],
      [[/Name of the first one \[holdfast-cli-.+\]: /, 'Web shop\r']],
      options,
    );
    expect([first.code, first.stdout]).toEqual([0, expect.stringContaining('/web-shop/dev.')]);
    const place = `${ada.organization.slug}/ledger/staging`;
    const declined = await cli.converse(['link', place], [['no project ledger. Create it? [y/N] ', 'n\r']], options);
    expect([declined.code, declined.stdout]).toEqual([5, expect.stringContaining(`holdfast link ${place} --create`)]);
    const agreed = await cli.converse(['link', place], [['Create it? [y/N] ', 'y\r']], options);
    expect([agreed.code, agreed.stdout]).toEqual([0, expect.stringContaining(`names ${place}.`)]);
    const other = place.replace('ledger', 'search');
    expect((await cli.converse(['link', other, '--yes'], [], options)).code).toBe(0);
  });

  it('never joins a project or creates a look-alike that nobody named', async () => {
    const env = await signedIn('full');
    const { slug: org } = ada.organization;
    const in_ = (folder: string, words: string) => {
      mkdirSync(join(cli.home, folder), { recursive: true });
      return cli.run(words.split(' '), { env, cwd: join(cli.home, folder) });
    };
    const rows: [folder: string, words: string, code: number, sentence: string][] = [
      ['a/Über Häuser', 'link --create', 0, 'Created the project uber-hauser with dev'],
      ['a/Über Häuser', 'link --create', 0, 'The project uber-hauser exists already.'],
      ['b/Über Häuser', 'link --create --yes', 6, `To use it: holdfast link ${org}/uber-hauser/dev · for a new one`],
      ['b/Über Häuser', 'link --create --project uber-hauser', 0, 'exists already'],
      ['日本', 'link --create', 2, `Name one: holdfast link ${org}/NAME/dev --create`],
      ['a', `link ${org}/uber-hauser/prodcution --create`, 5, 'Did you mean production? If not: holdfast envs create'],
      ['a', `link ${org}/uber-hauser/prod --create`, 5, 'Did you mean production?'],
      ['a', `link ${org}/uber-hauser/dev-ada --create`, 0, 'Created the environment dev-ada.'],
    ];
    for (const [folder, words, code, sentence] of rows) {
      const { stderr, ...ended } = await in_(folder, words);
      expect({ words, code: ended.code, stderr }).toEqual({ words, code, stderr: expect.stringContaining(sentence) });
    }
    const { session } = ada;
    const slug = `second-${randomUUID().slice(0, 8)}`;
    await expectStatus(api.post('/orgs', { name: 'Second', slug }, session), 201);
    const refused = await in_('web', 'link --create');
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('holdfast link ORG/web/dev --create')]);
    expect(refused.stderr).toContain(slug);
  }, 60_000);

  it.skipIf(!hasTerminal)(
    'asks before it joins a project on a terminal, and takes no pasted line for the answer',
    async () => {
      const options = { env: { ...(await signedIn('full')), TERM: 'dumb' }, cwd: join(cli.home, 'web-shop') };
      mkdirSync(options.cwd);
      await createProject(api, ada, 'Web shop');
      const question = 'Link this directory to it? [y/N] ';
      const rows: [typed: string, code: number, sentence: string][] = [
        ['y\rholdfast push .env\r', 2, 'None of them ran, and nothing was changed.'],
        ['n\r', 6, 'To use it: holdfast link'],
        ['y\r', 0, '/web-shop/dev.'],
      ];
      for (const [typed, code, sentence] of rows) {
        const ended = await cli.converse(['link', '--create'], [[question, typed]], options);
        expect([ended.code, ended.stdout]).toEqual([code, expect.stringContaining(sentence)]);
      }
    },
  );

  it('names the command that ends each refusal, without a terminal', async () => {
    const env = await signedIn('write');
    const rows: [words: string[], code: number, sentence: string][] = [
      [['link'], 5, 'You have no access to any project.\nCreate one for this directory: holdfast link --create'],
      [['link', '--create'], 4, 'Unset it. Sign in with more access: holdfast login --access full'],
    ];
    for (const [words, code, sentence] of rows) {
      expect(await cli.run(words, { env })).toMatchObject({ code, stderr: expect.stringContaining(sentence) });
    }
    await createProject(api, ada, 'Web shop');
    const place = `${ada.organization.slug}/web-shop/load-test`;
    const missing = await cli.run(['link', place], { env });
    expect(missing.stderr).toContain(`There are dev, staging, production. Create it: holdfast link ${place} --create`);
    const created = await cli.run(['link', place, '--create'], { env: await signedIn('full') });
    expect([created.code, created.stderr]).toEqual([0, expect.stringContaining('Created the environment load-test.')]);
  });
});

describe('a wrong command line', () => {
  const env = fresh(async () => {
    await createProject(api, ada, 'Ledger');
    await createProject(api, ada, 'Web shop');
    const { token } = await createToken(api, ada, { access: 'write' });
    return variablesOf(api.url, token, `${ada.organization.slug}/web-shop/dev`);
  });
  const fullAccess = 'holdfast login --access full';
  const rows: [words: string, code: number, sentence: string][] = [
    ['export', 2, 'Did you mean pull?'],
    ['download', 2, 'Did you mean pull?'],
    ['init', 2, 'Did you mean link?'],
    ['setup', 2, 'Did you mean link?'],
    ['import .env', 2, 'JSON or YAML file: holdfast push FILE'],
    ['upload .env', 2, 'Did you mean push?'],
    ['delete KEY', 2, 'Did you mean unset?'],
    ['rm KEY', 2, 'Did you mean unset?'],
    ['add KEY', 2, 'Did you mean set?'],
    ['rollback 3', 2, 'Did you mean restore?'],
    ['secrets', 2, 'Did you mean list?'],
    ['secrets set KEY', 2, 'Did you mean set?'],
    ['kv get KEY', 2, 'Did you mean get?'],
    ['puhs .env', 2, 'Did you mean push?'],
    ['projects add shop', 2, 'Did you mean projects create?'],
    ['members add ada@example.com', 2, 'Did you mean members invite?'],
    ['tokens rm', 2, 'Did you mean tokens revoke?'],
    ['envs dev', 2, 'envs has: create'],
    ['login --no-input', 2, '--no-input never waits for one.'],
    ['tokens create ci --no-input', 2, '--no-input never waits for one.'],
    ['edit --no-input', 2, 'In scripts: holdfast set KEY < file'],
    ['members leave --no-input', 2, 'leaving requires --yes.'],
    ['list -e prod', 5, 'There are dev, staging, production. Did you mean production?'],
    ['list -e nowhere', 5, 'There are dev, staging, production. List the environments: holdfast envs'],
    ['list -p web-shp', 5, 'There are ledger, web-shop. Did you mean web-shop?'],
    ['diff 1 2', 5, 'Did you mean dev@1?'],
    ['promote dev stg', 5, 'Did you mean staging?'],
    ['validate developmnt', 5, 'Did you mean dev?'],
    ['projects create Shop', 4, fullAccess],
    ['members invite ada@example.com', 4, fullAccess],
    ['restore', 2, 'Name a revision or a time.'],
    ['restore --at tomorow', 2, 'Expected a time such as'],
    ['restore --at 2001-01-01', 5, 'Nothing has changed it yet.'],
    ['pull -f docker', 9, 'Formats that can hold all of them: env, '],
  ];

  it('gets a sentence that leads on', async () => {
    const text = 'PEM="a\nb"\n';
    expect((await cli.run(['push', '-', '-e', 'staging'], { env, input: text })).code).toBe(0);
    const environment = (words: string) => (words.startsWith('pull') ? { ...env, HOLDFAST_ENV: 'staging' } : env);
    for (const [words, code, sentence] of rows) {
      const { stderr, ...ended } = await cli.run(words.split(' '), { env: environment(words) });
      expect({ words, code: ended.code }).toEqual({ words, code });
      expect(stderr).toContain(sentence);
    }
  }, 120_000);

  it('is not what these are, which now say what they leave out', async () => {
    const pushed = await cli.run(['push', '-'], { env, input: 'PATH=/bin\nPORT=1\n' });
    expect(pushed.stderr).toMatch(/holdfast run will refuse PATH: it .*--allow-name PATH\.\n[\s\S]*To push/);
    const checked = await cli.run(['validate'], { env });
    expect([checked.code, checked.stdout]).toEqual([0, '']);
    expect(checked.stderr).toBe(
      'web-shop has no template, so nothing was checked. Add a key: holdfast template add KEY\n',
    );
  });
});

it('restore --at goes back to the revision of a time, and says which that is', async () => {
  await createProject(api, ada, 'Web shop');
  const { token } = await createToken(api, ada, { access: 'write' });
  const env = variablesOf(api.url, token, `${ada.organization.slug}/web-shop/dev`);
  const set = (value: string) => cli.run(['set', 'A', '-m', `to ${value}`], { env, input: value });
  await set('one');
  const { stdout } = await cli.run(['revisions', '--json'], { env });
  const [{ createdAt }] = JSON.parse(stdout).revisions;
  await set('two');
  const restored = await cli.run(['restore', '--at', createdAt], { env });
  const title = `To restore revision 1 of dev, made ${createdAt} by ${ada.email} (to one): 1 to update.`;
  expect([restored.code, restored.stderr]).toEqual([0, expect.stringContaining(title)]);
  expect((await cli.run(['get', 'A'], { env })).stdout).toBe('one');
  const local = await cli.run(['restore', '--at', 'yesterday', '--dry-run'], { env });
  expect([local.code, local.stderr]).toEqual([
    5,
    expect.stringMatching(/^holdfast: dev had no revision at .*\nIts first is of/),
  ]);
});
