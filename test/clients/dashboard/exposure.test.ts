import { randomUUID } from 'node:crypto';
import type { Route } from 'playwright-core';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { chunksOf } from '#lib/core/chunks-of.ts';
import type { Api } from '#test/support/api.ts';
import { shared } from '#test/support/fixtures.ts';
import { type Person, seedPerson } from '#test/support/people.ts';
import { expectStatus } from '#test/support/sample-requests.ts';
import { button, dialog as dialogOf, link, press, settled, submit, toast, withoutBrowser } from './browser.ts';
import { expectFineLooks, wideAndNarrow } from './looks.ts';
import { join, useWorld } from './world.ts';

const { world, openAt, usePage } = useWorld();
const page = usePage(() => world.people.owner);

interface Token {
  id: string;
  caller: { token: string };
}

const values = ['correct-horse', 'sk_example_0000', 'whsec_example_0000', 'BEGIN PRIVATE KEY'];

async function makeToken(api: Api, person: Person, scope: Record<string, unknown> = {}): Promise<Token> {
  const made = await expectStatus(api.post('/auth/token', { access: 'read', ...scope }, person.session), 201);
  return { id: made.body.cliToken.id, caller: { token: made.body.token } };
}

const pull = ({ caller }: Token, environment: string, keys: string) =>
  expectStatus(world.api.get(`${world.path(environment)}?keys=${keys}`, caller), 200);
const set = (environment: string, key: string, value: string) =>
  world.owner('PUT', world.path(environment), { key, value });

const screen = (query: string) => `/organizations/${world.organization.slug}/audit/exposure?${query}`;
const row = (key: string) => page.getByRole('row', { name: key });
/** The page looks at the service again, as it does when its window gets the focus. */
const look = () => page.evaluate(() => window.dispatchEvent(new Event('focus')));
const copied = () => page.evaluate(() => navigator.clipboard.readText());

async function expectNoValue(): Promise<void> {
  const content = await page.content();
  for (const value of values) expect(content).not.toContain(value);
}

describe.skipIf(withoutBrowser)('what a token saw', () => {
  let token: Token;
  beforeAll(async () => {
    const organizationId = world.organization.id;
    token = await makeToken(world.api, world.people.owner, { name: 'nightly', organizationId });
    await pull(token, 'production', 'PAYMENT_API_KEY');
    await pull(token, 'dev', 'LOG_LEVEL,MAIL_FROM');
    await pull(token, 'dev', 'LOG_LEVEL');
    await set('dev', 'LOG_LEVEL', 'warn');
  });

  it('is one click away from the token, with what is still current first, on a page that can be shared', async () => {
    await page.goto('/account/tokens');
    await link(page, 'Leaked? What nightly saw').click();
    await page.getByRole('heading', { name: 'What the token “nightly” saw' }).waitFor();
    await page.getByText('1 of 3 changed').waitFor();
    const keys = await page.locator('tr[data-index] .key').allTextContents();
    expect(keys).toEqual(['MAIL_FROM', 'PAYMENT_API_KEY', 'LOG_LEVEL']);
    expect(await row('PAYMENT_API_KEY').textContent()).toMatch(/web-shop \/ production.*still current.*v1.*pulled/);
    expect(await row('LOG_LEVEL').textContent()).toMatch(/web-shop \/ dev.*changed.*v2.*pulled/);
    await page.getByText('The token still works. Revoke it first').waitFor();
    await page.getByText('This list is exact: ').waitFor();
    await expectNoValue();
    await expectFineLooks(page, 'exposure-token');

    const colleague = await openAt(page.url(), world.people.admin);
    await colleague.getByRole('heading', { name: `What a token of ${world.people.owner.email} saw` }).waitFor();
    await colleague.getByText('1 of 3 changed').waitFor();
  });

  it('can be copied as a list of what to change', async () => {
    await button(page, 'Copy the 2 keys to change').click();
    await page.getByText('Copied').waitFor();
    expect(await copied()).toBe('web-shop/dev/MAIL_FROM\nweb-shop/production/PAYMENT_API_KEY\n');
  });

  it('leads to each secret, with its row in view and in focus, and back', async () => {
    const address = page.url();
    await link(page, 'MAIL_FROM').click();
    await page.waitForURL(/environments\/dev\?key=MAIL_FROM$/);
    const focused = page.locator('tr:focus');
    await focused.getByText('MAIL_FROM', { exact: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByText('MAIL_FROM').first().waitFor();
    await page.keyboard.press('Escape');
    await page.goBack();
    await page.getByText('1 of 3 changed').waitFor();
    expect(page.url()).toBe(address);
  });

  it('is checked off automatically once a value has changed, in its place, and says so', async () => {
    await set('production', 'PAYMENT_API_KEY', 'sk_example_0001');
    await look();
    await toast(page, 'PAYMENT_API_KEY has changed: 2 of 3 changed');
    // The toast is over the page, wherever the page is scrolled to.
    expect(await page.locator('.toast').evaluate(toast => getComputedStyle(toast).position)).toBe('fixed');
    await page.getByText('2 of 3 changed').first().waitFor();
    expect(await row('PAYMENT_API_KEY').textContent()).toContain('changed');
    expect(await page.locator('tr[data-index] .key').allTextContents()).toEqual([
      'MAIL_FROM',
      'PAYMENT_API_KEY',
      'LOG_LEVEL',
    ]);
    await world.owner('DELETE', `${world.path('dev')}/MAIL_FROM`);
    // Nobody touches the page: it asks every ten seconds.
    await page.getByText('3 of 3 changed').first().waitFor({ timeout: 20_000 });
    await page.getByText('None of the exposed values is still current.').waitFor();
    expect(await button(page, /^Copy the/).count()).toBe(0);
    await expectFineLooks(page, 'exposure-done', { as: wideAndNarrow });
  });

  it('asks for the answer again only if a revision has changed', async () => {
    await set('dev', 'MAIL_FROM', 'Shop <hi@shop.example>');
    await pull(token, 'dev', 'MAIL_FROM');
    await page.goto(screen(`token=${token.id}`));
    await page.locator('tr[data-index]').first().waitFor();
    const asked: string[] = [];
    // A look during a check starts no other one.
    page.on('requestfinished', request => asked.push(new URL(request.url()).pathname));
    await look();
    await expect.poll(() => asked).toEqual([`/v1/projects/${world.organization.id}`]);
    await set('production', 'LOG_LEVEL', 'warn');
    await look();
    await expect.poll(() => asked.length).toBe(2);
    expect(asked.filter(path => path.endsWith('/exposure'))).toEqual([]);
  });

  it('is limited to a period by the link', async () => {
    await page.goto(screen(`token=${token.id}`));
    await page.getByText('Period: all time').click();
    await submit(page, { From: '2020-01-01T00:00', Until: '2020-02-01T00:00' }, 'Show this period');
    await page.getByText('No secrets were exposed in this period.').waitFor();
    const address = new URL(page.url());
    expect(address.searchParams.get('since')).toBe(new Date('2020-01-01T00:00').toISOString());
    expect(address.searchParams.get('until')).toBe(new Date('2020-02-01T00:00').toISOString());
    expect(await page.getByLabel('From').inputValue()).toBe('2020-01-01T00:00');
    await expectFineLooks(page, 'exposure-empty');
    await page.goBack();
    await page.locator('tr[data-index]').first().waitFor();
    await page.getByText('Period: all time').waitFor();
    await page.goForward();
    await link(page, 'All time').click();
    await page.locator('tr[data-index]').first().waitFor();
  });

  it('can still be asked after the token is revoked, as the audit log says', async () => {
    await page.goto('/account/tokens');
    await press(page, 'Revoke nightly', 'Revoke');
    await toast(page, 'Token nightly revoked');
    await page.goto(`/organizations/${world.organization.slug}/audit?tokenId=${token.id}`);
    await link(page, /^Leaked\? What the token/).click();
    await page.getByRole('heading', { name: `What a token of ${world.people.owner.email} saw` }).waitFor();
    await page.getByText('its owner has to revoke it first').waitFor();
    await page.locator('tr[data-index]').first().waitFor();
  });

  it('with a single secret is a page with a single row', async () => {
    const single = await makeToken(world.api, world.people.owner, { name: 'once' });
    await pull(single, 'staging', 'DATABASE_URL');
    await page.goto(screen(`token=${single.id}`));
    await page.getByText('0 of 1 changed').waitFor();
    await button(page, 'Copy the 1 key to change').waitFor();
    expect(await page.locator('tr[data-index]').count()).toBe(1);
    await expectFineLooks(page, 'exposure-one');
  });
});

describe.skipIf(withoutBrowser)('what others saw', () => {
  it('is next to each member, each identity and each session', async () => {
    const { people, organization } = world;
    const base = `/organizations/${organization.slug}`;
    await expectStatus(world.api.get(world.path('dev'), people.developer.session), 200);
    await page.goto(`${base}/members`);
    await link(page, `Leaked? What ${people.developer.email} saw`).click();
    await page.getByRole('heading', { name: 'What Alan Turing saw' }).waitFor();
    await page.getByText('is still a member, as developer.').waitFor();
    await page.locator('tr[data-index]').nth(3).waitFor();
    await page.goto(`${base}/identities`);
    await link(page, 'Leaked? What web-shop deploy saw').click();
    await page.getByRole('heading', { name: 'What web-shop deploy saw' }).waitFor();
    await page.getByText('No secrets were exposed.').waitFor();
    await link(page, 'Narrow or delete it first').click();
    await link(page, 'Leaked? What web-shop deploy saw').click();
    await page.getByRole('heading', { name: 'What web-shop deploy saw' }).waitFor();
    await page.goto('/account');
    await link(page, 'Leaked? What this session saw').click();
    await page.getByRole('heading', { name: 'What this session saw' }).waitFor();
    await page.getByText('written').first().waitFor();
    await expectNoValue();
  });

  it('is asked in one of several organizations, or by somebody who may', async () => {
    const person = await seedPerson({ name: 'Emmy Noether' });
    await join(world.api, world.people.owner, person, 'developer');
    const token = await makeToken(world.api, person, { name: 'laptop' });
    await pull(token, 'dev', 'DATABASE_URL');
    const visitor = await openAt('/account/tokens', person);
    await button(visitor, 'Leaked? What laptop saw').click();
    const dialog = dialogOf(visitor);
    await dialog.getByText('Only owners and admins can look this up.').waitFor();
    await expectFineLooks(visitor, 'dialog-leaked', { as: wideAndNarrow, fullPage: false });
    await button(dialog, 'Copy the link').click();
    await dialog.getByText('Copied').waitFor();
    const link = await visitor.evaluate(() => navigator.clipboard.readText());
    await visitor.goto(link);
    await visitor.getByText('Only owners and admins can see what a credential saw.').waitFor();
    await page.goto(link);
    await page.getByRole('heading', { name: `What a token of ${person.email} saw` }).waitFor();
    await row('DATABASE_URL').waitFor();
    // In the person's own organization, the token saw nothing.
    await visitor.goto('/account/tokens');
    await button(visitor, 'Leaked? What laptop saw').click();
    await dialog.getByRole('link').click();
    await visitor.getByText('No secrets were exposed.').waitFor();
  });

  it('lists more than was seen if the log or an environment is gone, and says why', async () => {
    const owner = await seedPerson({ name: 'Rosalind Franklin' });
    const { organization } = owner;
    const { api } = world;
    const projects = `/projects/${organization.id}`;
    const created = await expectStatus(api.post(projects, { name: 'Crystals' }, owner.session), 201);
    const path = (environment: string) => `/secrets/${organization.slug}/crystals/${environment}`;
    const secrets = [{ key: 'CAMERA', value: 'one' }];
    for (const environment of ['dev', 'staging'])
      await expectStatus(api.post(`${path(environment)}/bulk`, { secrets }, owner.session), 200);
    const token = await makeToken(api, owner, { name: 'lab' });
    for (const environment of ['dev', 'staging']) await expectStatus(api.get(path(environment), token.caller), 200);
    expect(created.body.project.environments).toHaveLength(3);
    await expectStatus(api.delete(`${projects}/crystals/environments/staging`, owner.session), 200, 202, 204);
    // What was kept for no time at all is not there any more, or may not be.
    for (const auditRetentionDays of [0, 90]) {
      const limits = { limitOverrides: { auditRetentionDays } };
      await expectStatus(api.patch(`/admin/orgs/${organization.id}`, limits, world.platform.session), 200);
    }
    const visitor = await openAt(`/organizations/${organization.slug}/audit/exposure?user=${owner.user.id}`, owner);
    await visitor.getByText('This list may include more than was really seen, but nothing is missing.').waitFor();
    await visitor.getByText('is incomplete. Everything that could have been read until then is listed').waitFor();
    await visitor.getByText('The environment crystals/staging was erased together with its history.').waitFor();
    const erased = visitor.getByRole('row', { name: 'erased' });
    expect(await erased.getByRole('link').count()).toBe(0);
    expect(await visitor.getByText('This list is exact: ').count()).toBe(0);
    await expectFineLooks(visitor, 'exposure-incomplete');
  });

  it('says so if the link names nothing, or something that is no id', async () => {
    await page.goto(screen(''));
    await page.getByText('This link does not say which credential it is about.').waitFor();
    await page.goto(screen('token=nothing'));
    await page.getByRole('alert').waitFor();
  });
});

describe.skipIf(withoutBrowser)('who knows a value', () => {
  it('is asked in the secret’s panel, and includes those who may not read it any more', async () => {
    const { api, organization, people } = world;
    const leaver = await seedPerson({ name: 'Edsger' });
    await join(api, people.owner, leaver, 'admin');
    await expectStatus(api.get(`${world.path('production')}?keys=MAIL_FROM`, leaver.session), 200);
    const { members } = await world.owner('GET', `/members/${organization.id}`);
    const member = members.find(({ userId }: { userId: string }) => userId === leaver.user.id);
    await world.owner('DELETE', `/members/${organization.id}/${member.id}`);
    await page.goto(world.screen('production'));
    await button(page, 'MAIL_FROM').click();
    await link(page, 'Who knows this value?').click();
    await page.getByRole('heading', { name: 'Who knows MAIL_FROM' }).waitFor();
    const gone = page.getByRole('row', { name: leaver.email });
    await gone.getByText('no longer').waitFor();
    await page.getByText('of them can no longer read it, but knows the value').waitFor();
    expect(await page.getByRole('row', { name: people.owner.email }).textContent()).toContain('yes');
    await expectNoValue();
    await expectFineLooks(page, 'who-knows');
    await gone.getByRole('link').click();
    await page.getByText('This person is no longer a member.').waitFor();
    await page.goBack();
    await link(page, 'web-shop/production').click();
    await page.locator('tr:focus').getByText('MAIL_FROM', { exact: true }).waitFor();
  });

  it('explains a secret that does not exist any more', async () => {
    const { projects } = await world.owner('GET', `/projects/${world.organization.id}`);
    const [dev] = projects[0].environments;
    await page.goto(screen(`environment=${dev.id}&key=NOT_HERE`));
    await page.getByText('There is no secret NOT_HERE in this environment.').waitFor();
    await page.goto(`${world.screen('dev')}?key=NOT_HERE`);
    await page.getByText('There is no secret NOT_HERE here any more.').waitFor();
  });
});

describe.skipIf(withoutBrowser)('5,000 exposures', () => {
  const keysEach = 1000;
  const owner = shared(() => seedPerson({ name: 'Katherine Johnson' }));
  const big = usePage(() => owner);
  let address: string;
  const total = 5 * keysEach;
  const keyOf = (n: number) => `KEY_${String(n).padStart(4, '0')}`;

  beforeAll(async () => {
    const { api } = world;
    const { organization } = owner;
    const limitOverrides = { maxSecretsPerEnvironment: -1, maxEnvironmentsPerProject: -1 };
    await expectStatus(api.patch(`/admin/orgs/${organization.id}`, { limitOverrides }, world.platform.session), 200);
    const projects = `/projects/${organization.id}`;
    await expectStatus(api.post(projects, { name: 'Orbit' }, owner.session), 201);
    for (const name of ['Preview', 'Canary'])
      await expectStatus(api.post(`${projects}/orbit/environments`, { name, type: 'staging' }, owner.session), 201);
    const token = await makeToken(api, owner, { name: 'everything' });
    for (const environment of ['dev', 'staging', 'production', 'preview', 'canary']) {
      const path = `/secrets/${organization.slug}/orbit/${environment}`;
      const secrets = Array.from({ length: keysEach }, (_, n) => ({ key: keyOf(n), value: randomUUID() }));
      for (const some of chunksOf(250, secrets))
        await expectStatus(api.post(`${path}/bulk`, { secrets: some }, owner.session), 200);
      await expectStatus(api.get(path, token.caller), 200);
    }
    address = `/organizations/${organization.slug}/audit/exposure?token=${token.id}`;
  }, 240_000);
  it.each([1280, 360])('are a table whose visible rows alone are drawn, at %i px', async width => {
    await big.setViewportSize({ width, height: 900 });
    await big.goto(address);
    await big.getByText('0 of 5,000 changed').waitFor();
    await settled(big);
    const table = big.getByRole('table', { name: 'What was seen' });
    expect(await table.getAttribute('aria-rowcount')).toBe(String(total + 1));
    expect(await big.locator('tr[data-index]').count()).toBeLessThan(120);
    await big.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
    await big
      .locator(`tr[data-index="${total - 1}"]`)
      .getByText('KEY_0999')
      .waitFor();
    expect(await big.locator('tr[data-index]').count()).toBeLessThan(120);
    const beyond = () => document.documentElement.scrollWidth - document.documentElement.clientWidth;
    expect(await big.evaluate(beyond)).toBe(0);
    await big.evaluate(() => window.scrollTo(0, 0));
    await expectFineLooks(big, `exposure-5000-from-${width}`, { as: wideAndNarrow, fullPage: false });
  });

  it('are filtered and copied, and checked off together', async () => {
    await big.setViewportSize({ width: 1280, height: 900 });
    await big.goto(address);
    await big.getByText('0 of 5,000 changed').waitFor();
    await big.getByLabel('Filter').fill('canary/key_000');
    await big.getByText('10 of 5,000 secrets').waitFor();
    expect(await big.locator('tr[data-index]').count()).toBe(10);
    await button(big, 'Copy the 5,000 keys to change').click();
    await big.getByText('Copied').waitFor();
    const lines = (await big.evaluate(() => navigator.clipboard.readText())).split('\n');
    expect([lines.length, lines[0]]).toEqual([total + 1, 'orbit/canary/KEY_0000']);
    const secrets = Array.from({ length: 17 }, (_, n) => ({ key: keyOf(n), value: 'new' }));
    const path = `/secrets/${owner.organization.slug}/orbit/canary/bulk`;
    await expectStatus(world.api.post(path, { secrets }, owner.session), 200);
    await big.evaluate(() => window.dispatchEvent(new Event('focus')));
    await toast(big, '17 values have changed: 17 of 5,000 changed');
  });

  /** Answers the page's requests for a part of the list. @returns after what the page has asked for more */
  async function answerParts(answer: (route: Route, after: string | null) => Promise<unknown>) {
    const asked: (string | null)[] = [];
    const pattern = /\/v1\/.*\/exposure\?/;
    await big.route(pattern, route => {
      const after = new URL(route.request().url()).searchParams.get('after');
      asked.push(after);
      return answer(route, after);
    });
    onTestFinished(() => big.unroute(pattern));
    return asked;
  }

  it('arrive in pages, of which each knows only its own part of the period', async () => {
    const query = address.split('?token=').at(-1);
    const path = `/audit/${owner.organization.id}/exposure?tokenId=${query}`;
    const { exposures, ...rest } = (await expectStatus(world.api.get(path, owner.session), 200)).body;
    const [first] = exposures;
    const pages = chunksOf(1000, exposures as object[]);
    // The test is about the pages of an answer, which by itself would take a log of gigabytes.
    const asked = await answerParts((route, after) => {
      const index = Number(after ?? 0);
      // The first secret is on every page, each time with another version, of which only one is current.
      const everywhere = { ...first, versions: [7 - index], current: index === 0 };
      const next = index + 1 < pages.length ? { next: String(index + 1) } : {};
      const others = (pages[index] ?? []).filter(exposure => exposure !== first);
      return route.fulfill({ json: { ...rest, exposures: [everywhere, ...others], ...next } });
    });
    await big.goto(address);
    await big.getByText('17 of 5,000 changed').waitFor();
    expect(asked).toEqual([null, '1', '2', '3', '4']);
    await big.getByLabel('Filter').fill(`${first.environment.slug}/${first.key}`);
    expect(await big.getByRole('row', { name: first.key }).textContent()).toMatch(/still current.*v3-7/);
  });

  it('stay on the page if a later page fails, and loading continues there', async () => {
    let isDown = true;
    const error = { code: 'rate_limited', message: 'Too many requests.', requestId: 'a-request' };
    const asked = await answerParts(async (route, after) => {
      if (after !== null && isDown)
        return route.fulfill({ status: 429, headers: { 'retry-after': '1' }, json: { error } });
      const url = route
        .request()
        .url()
        .replace(/&after=.*/, '');
      const { exposures, ...rest } = await (await route.fetch({ url })).json();
      const part =
        after === null ? { exposures: exposures.slice(0, 2500), next: 'rest' } : { exposures: exposures.slice(2500) };
      return route.fulfill({ json: { ...rest, ...part } });
    });
    await big.goto(address);
    await big.getByText('Too many requests.').waitFor();
    await big.getByText('0 of 2,500 changed').waitFor();
    isDown = false;
    await button(big, 'Try again').click();
    await big.getByText('17 of 5,000 changed').waitFor();
    expect(asked).toEqual([null, 'rest', 'rest']);
  });
});
