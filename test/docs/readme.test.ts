import { globSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildDownloads } from '#clients/cli/build-downloads.ts';
import { environmentRules, environmentTypes, roles } from '#lib/contracts/fields/role.ts';
import { routes } from '#lib/contracts/routes.ts';
import { shared, untilEnd } from '#test/support/fixtures.ts';
import { buildCli } from '../clients/cli/cli.ts';
import { createToken, startApi } from '../support/api.ts';
import { identityOf, startIssuer } from '../support/issuer.ts';
import { seedPerson } from '../support/people.ts';
import { expectStatus } from '../support/sample-requests.ts';
import { blocksOf, chapterOf, read, root, rowsOf } from './pages.ts';

const shellOf = (page: string, heading: string) => blocksOf(chapterOf(page, heading), 'sh').join('\n');
const api = shared(() => startApi({}, undefined, undefined, buildDownloads()));
const ada = shared(() => seedPerson({ name: 'Ada' }));
const cli = shared(buildCli);
let token: string;

beforeAll(async () => {
  token = (await createToken(api, ada)).token;
  cli.file('token', token);
});

/** Runs commands as pasted. In place of the browser, the log-in gets a token with all rights. */
function paste(script: string, env: Record<string, string> = {}) {
  const local = script.replaceAll('http://localhost:3000', new URL(api.url).origin);
  return cli.shell(local.replace(/^(holdfast login .*)$/m, '$1 --with-token <~/token'), env);
}

describe('the README', () => {
  const page = 'README.md';

  it('leads from the installer to a program that prints its secret, pasted whole', async () => {
    const script = shellOf(page, '## Your first secret');
    expect(script.trim().split('\n')).toHaveLength(6);
    const { stdout, stderr } = await paste(script);
    expect(stdout).toMatch(/^Installed holdfast .*\/\.local\/bin\/holdfast$/m);
    expect(stdout.endsWith('\nHello\n')).toBe(true);
    expect(stderr).toContain('push .env to dev: 1 to create');
  });

  it('stays short', () => {
    expect(read(page).split('\n').length).toBeLessThanOrEqual(140);
  });

  it('states its two commands like the package and the CI', () => {
    const [start, check] = ['Start', 'Tests'].map(title => shellOf(page, `## ${title}`).trim());
    const { scripts } = JSON.parse(read('package.json'));
    expect(start).toBe('npm ci && npm start');
    expect(read('.ci/run')).toContain(`\n${check}\n`);
    expect(scripts).toHaveProperty('start');
    expect(scripts).toHaveProperty('check');
  });

  it('counts the steps of the first deployment', () => {
    const steps = [...read('docs/first-deployment.md').matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number));
    expect(steps).toEqual(steps.map((_, index) => index + 1));
    expect(read(page)).toContain(`[${steps.length} steps](docs/first-deployment.md)`);
  });
});

it('no page installs by a name that no registry has', () => {
  const pages = globSync(['*.md', 'docs/**/*.md', 'clients/*/README.md'], { cwd: root });
  const named = pages.filter(path => /npx (?:--yes )?@?holdfast|npm (?:i|install) (?:-g )?@?holdfast/.test(read(path)));
  expect(pages.length).toBeGreaterThan(50);
  expect(named).toEqual([]);
});

it('the index of the documentation links to every page but single decisions', () => {
  const pages = globSync('docs/**/*.md', { cwd: root }).filter(path => !/decisions\/\d/.test(path));
  const index = ['docs/README.md', 'docs/use/README.md'].map(read).join('\n');
  const linked = [...index.matchAll(/\]\(([^)#]+)/g)].map(([, link = '']) => link);
  const missing = pages.map(path => path.slice('docs/'.length)).filter(path => path !== 'README.md');
  expect(missing.filter(path => !linked.includes(path) && !linked.includes(path.replace('use/', '')))).toEqual([]);
});

describe('the command line’s README', () => {
  const page = 'clients/cli/README.md';
  /** With how to undo a change. */
  const session = shellOf(page, '## A first session');
  const run = (directory: string, change = (script: string) => script) => {
    mkdirSync(join(cli.home, directory));
    return paste(`cd ${directory}\n${change(session)}`, { HOLDFAST_URL: api.url, HOLDFAST_TOKEN: token });
  };

  it('has a first session whose commands do what the text says', async () => {
    const { stdout, stderr } = await run('web-shop');
    const [program, ...others] = stdout.split('\n');
    expect(program).toBe('postgres://localhost/shop');
    expect(others).toEqual([
      '~ LOG_LEVEL "info" → "debug"',
      expect.stringMatching(/^2\t.*\tsecret\.updated\t~LOG_LEVEL/),
      expect.stringMatching(/^1\t.*\+DATABASE_URL \+LOG_LEVEL\tfirst secrets$/),
      '~ LOG_LEVEL = ••••••••',
      '',
    ]);
    const said = ['push .env to dev: 2 to create', 'staging is at revision 1', 'Done; dev is at revision 3.'];
    for (const sentence of said) expect(stderr).toContain(sentence);
  });

  it('works with --json too, where every command prints exactly one document', async () => {
    const { stdout, stderr } = await run('mail-shop', script => script.replaceAll(/^(.*holdfast) /gm, '$1 --json '));
    const documents = [...stdout.matchAll(/^\{[\s\S]*?^\}$/gm)].map(([document]) => JSON.parse(document));
    expect(documents).toMatchObject([
      { project: 'mail-shop', environment: 'dev' },
      { created: ['DATABASE_URL', 'LOG_LEVEL'], updated: [], deleted: [], revision: 1 },
      { revision: 2 },
      { from: 'dev@1', to: 'dev@2', updated: [{ key: 'LOG_LEVEL', before: 'info', after: 'debug' }] },
      { promoted: ['DATABASE_URL', 'LOG_LEVEL'], revision: 1 },
      { revisions: [{ revision: 2 }, { revision: 1 }], next: null },
      { dryRun: true, plan: { updated: ['LOG_LEVEL'] } },
      { restored: 1, updated: ['LOG_LEVEL'], revision: 3 },
    ]);
    expect(stdout.replaceAll(/^\{[\s\S]*?^\}\n/gm, '')).toBe('postgres://localhost/shop\n');
    expect(stderr).toBe('');
  });
});

it('docs/leaks.md has commands that work', async () => {
  const grace = await seedPerson();
  const { organization, session, email } = grace;
  const own = (await createToken(api, grace)).token;
  const place = { HOLDFAST_ORG: organization.slug, HOLDFAST_PROJECT: 'leaky', HOLDFAST_ENV: 'production' };
  await expectStatus(api.post(`/projects/${organization.id}`, { name: 'Leaky' }, session), 201);
  const production = `/secrets/${organization.slug}/leaky/production`;
  await expectStatus(api.put(production, { key: 'API_KEY', value: 'old' }, { token: own }), 201);
  const identity = identityOf(await untilEnd(startIssuer()), { name: 'web-shop production' });
  await expectStatus(api.post(`/identities/${organization.id}`, identity, session), 201);
  const { tokens } = (await api.get('/auth/tokens', session)).body;
  const commands = blocksOf(read('docs/leaks.md'), 'sh').join('').replace('grace@example.com', email);
  const TOKEN_ID = tokens[0].id;
  const { stdout } = await paste(commands, {
    HOLDFAST_TOKEN: own,
    HOLDFAST_URL: api.url,
    TOKEN_ID,
    NEW_KEY: 'new',
    ...place,
  });
  // Who knows the value, where the key is, and what the token and the person saw; the identity has seen nothing.
  expect(stdout.split('\n')).toEqual([
    expect.stringContaining(email),
    expect.stringContaining('leaky\tproduction'),
    expect.stringMatching(/^leaky\/production\/API_KEY\tyes/),
    'leaky/production/API_KEY',
    'leaky/production/API_KEY',
    '',
  ]);
  expect((await api.get(production, session)).body.secrets).toMatchObject([{ key: 'API_KEY', value: 'new' }]);
});

describe('docs/roles.md', () => {
  const page = 'docs/roles.md';
  /** The operations behind each row, which the roles of a row may all call. */
  const operations = {
    'create an environment': 'create-environment',
    'promote secrets': 'promote-secrets',
    'create and change projects': 'create-project update-project rotate-key update-environment delete-environment',
    'restore a revision': 'restore-secrets bulk-delete-secrets destroy-versions',
    'require approvals': 'update-environment',
    'approve and reject proposals': 'approve-proposal reject-proposal',
    'change the template': 'add-template-key update-template-key remove-template-key',
    'invite and remove': 'invite-member remove-member',
    'create and change identities': 'create-identity update-identity delete-identity create-webhook update-webhook',
    'read the audit log': 'list-audit-entries feed-audit-entries get-exposure',
    'change roles': 'change-role set-sign-in verify-domain delete-sign-in',
    'delete a project': 'delete-project delete-organization list-deleted restore-deleted erase-deleted',
  };

  it('shows which values each role reads and changes', () => {
    const shown = (types: readonly string[]) => (types.length === 0 ? '–' : types.join(', '));
    const rules = roles.map(role => [role, shown(environmentRules.read[role]), shown(environmentRules.write[role])]);
    expect(environmentTypes).toHaveLength(3);
    expect(rowsOf(chapterOf(page, '## Secrets'), 'Role')).toEqual(rules);
  });

  it('shows which roles may call the operations behind each row', () => {
    const rows = rowsOf(chapterOf(page, '## Everything else'), 'What');
    expect(rows).toHaveLength(Object.keys(operations).length);
    for (const [what = '', ...marks] of rows) {
      const [, names = ''] = Object.entries(operations).find(([start]) => what.startsWith(start)) ?? [];
      const expected = roles.filter((_, index) => marks[index] === 'yes');
      const allowed = names.split(' ').map(name => {
        const access = routes.find(route => route.operationId === name)?.access;
        return access?.kind === 'member' ? access.roles : [];
      });
      expect(allowed, what).toEqual(allowed.map(() => expected));
    }
  });
});
