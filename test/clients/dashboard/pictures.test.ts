import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openAcme } from '#test/support/acme.ts';
import { type Api, createToken } from '#test/support/api.ts';
import { type Person, seedPerson } from '#test/support/people.ts';
import { buildCli, type Cli } from '../cli/cli.ts';
import { settled, startBrowser, visit } from './browser.ts';
import { terminalSvg } from './terminal-svg.ts';
import { join as joinOrganization, startDashboard } from './world.ts';

/* `npm run generate -- pictures` takes the pictures of the README and the documentation from the running product. */
const folder = join(import.meta.dirname, '../../../docs/pictures');
const schemes = ['light', 'dark'] as const;
const names = ['dashboard', 'terminal'].flatMap(name =>
  schemes.map(scheme => `${name}-${scheme}.${name === 'dashboard' ? 'png' : 'svg'}`),
);

describe.runIf(process.env.PICTURES === '1')('the pictures', () => {
  let api: Api & { origin: string };
  let ada: Person;
  let cli: Cli;
  let browser: Browser;

  beforeAll(async () => {
    api = await startDashboard();
    ada = await seedPerson({ name: 'Ada Lovelace', email: 'ada@acme.example', emailVerified: true });
    const { organization } = await openAcme(api, ada);
    ada = { ...ada, organization };
    await joinOrganization(api, ada, await seedPerson({ name: 'Grace Hopper' }), 'developer');
    cli = buildCli();
    browser = await startBrowser();
    mkdirSync(folder, { recursive: true });
  });
  afterAll(async () => {
    await browser.close();
    cli.remove();
    await api.stop();
  });

  it('show a terminal with a change from a file to staging', async () => {
    const env = { HOLDFAST_URL: api.url, HOLDFAST_TOKEN: (await createToken(api, ada)).token, FORCE_COLOR: '1' };
    const lines = ['DATABASE_URL=postgres://db.internal/shop', 'LOG_LEVEL=info', 'MAIL_FROM=shop@acme.example'];
    const more = ['PAYMENT_API_KEY=example', 'SESSION_KEY=example', 'WORKERS=4', ''];
    cli.file('.env', [...lines, ...more].join('\n'));
    const said: { command: string; output: string }[] = [];
    cli.file('server.js', 'console.log("Listening, log level", process.env.LOG_LEVEL);\n');
    const run = async (...words: string[]) => {
      const { code, stdout, stderr } = await cli.run(words, { env, terminal: true });
      expect(code, stdout + stderr).toBe(0);
      const quoted = words.map(word => (word.includes(' ') ? `"${word}"` : word));
      said.push({ command: ['holdfast', ...quoted].join(' '), output: stdout + stderr });
    };
    await cli.run(['link', 'acme/web-shop/dev'], { env });
    await run('push', '.env', '-m', 'first import', '--no-input');
    await cli.run(['set', 'LOG_LEVEL', '-m', 'look into slow checkouts'], { env, input: 'debug' });
    await run('diff', '--show-values');
    await run('promote', 'dev', 'staging', '--no-input');
    await run('run', '--', 'node', 'server.js');
    for (const scheme of schemes) writeFileSync(join(folder, `terminal-${scheme}.svg`), terminalSvg(said, scheme));
  });

  it.each(schemes)('show the secrets of an environment, %s', async colorScheme => {
    const { page, close } = await visit(browser, api.origin, { as: ada, width: 1180, height: 700, colorScheme });
    await page.goto('/organizations/acme/projects/web-shop/environments/dev');
    await settled(page);
    await page.screenshot({ path: join(folder, `dashboard-${colorScheme}.png`) });
    await close();
  });
});

it.each(names)('docs/pictures include %s, of a modest size', name => {
  expect(statSync(join(folder, name)).size).toBeLessThan(120_000);
});
