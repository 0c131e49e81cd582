import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeSigningKey, signToken } from '#test/support/issuer.ts';
import { seedPerson, testPassword } from '#test/support/people.ts';
import { expectStatus } from '#test/support/sample-requests.ts';
import { expectQuiet, logIn, settled, startBrowser, type Visit, visit, withoutBrowser } from './browser.ts';
import { wrongsOf } from './looks.ts';
import { buildWorld, join, type World } from './world.ts';

let browser: Browser;
let world: World;
let base: string;

const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' });
const dialog = (page: Page) => page.getByRole('dialog');
const said = (page: Page, text: string | RegExp) => page.locator('.toast', { hasText: text }).waitFor();

/** Claims that an identity may trust: those of one repository of GitHub. */
const trust = {
  issuer: 'https://token.actions.githubusercontent.com',
  claims: { repository_id: '123', repository_owner_id: '456', environment: 'production' },
};

const come = (as: World['people']['owner']): Promise<Visit> => visit(browser, world.origin, { as });

beforeAll(async () => {
  if (withoutBrowser) return;
  [browser, world] = await Promise.all([startBrowser(), buildWorld()]);
  base = `/organizations/${world.organization.slug}`;
});
afterAll(async () => {
  await browser?.close();
  await world?.api.stop();
});

describe.skipIf(withoutBrowser)('an owner', () => {
  let seen: Visit;
  let page: Page;
  beforeAll(async () => {
    seen = await come(world.people.owner);
    page = seen.page;
  });
  afterAll(async () => {
    expectQuiet(seen.heard);
    await seen.close();
  });

  it('creates a token that is shown once and works, and revokes it', async () => {
    await page.goto('/account/tokens');
    await button(page, 'New token').click();
    await page.getByLabel('What is it for?').fill('nightly');
    await dialog(page).getByLabel('Organization').selectOption({ index: 1 });
    await dialog(page).getByLabel('Project').selectOption('web-shop');
    await dialog(page).getByLabel('Environment').selectOption('dev');
    await button(page, 'Create token').click();
    const token = (await page.locator('.shown-once code').textContent()) ?? '';
    expect(token).toMatch(/^service_tok_/);
    expect((await world.api.get(world.path('dev'), { token })).status).toBe(200);
    expect((await world.api.get(world.path('staging'), { token })).status).toBe(404);
    await page.keyboard.press('Escape');
    expect(await dialog(page).count()).toBe(1);
    await button(page, 'I have it').click();
    await dialog(page).waitFor({ state: 'detached' });
    await page.getByText(`${world.organization.slug}/web-shop/dev`).first().waitFor();
    expect(await page.content()).not.toContain(token);
    await button(page, 'Revoke nightly').click();
    await button(page, 'Revoke').click();
    await said(page, 'Token nightly revoked');
    expect((await world.api.get(world.path('dev'), { token })).status).toBe(401);
  });

  it('learns on an empty page what webhooks, identities and tokens are for, each with an example', async () => {
    const newcomer = await seedPerson({ name: 'Charles Babbage' });
    const seen = await come(newcomer);
    for (const [address, example] of [
      [`/organizations/${newcomer.organization.slug}/webhooks`, '"event": "secret.updated"'],
      [`/organizations/${newcomer.organization.slug}/identities`, `organization: "${newcomer.organization.slug}"`],
      ['/account/tokens', 'holdfast run -- ./deploy.sh'],
    ] as const) {
      await seen.page.goto(address);
      await seen.page.getByRole('figure').getByText(example).waitFor();
      expect(await wrongsOf(seen.page, `empty-${address.split('/').at(-1)}`)).toEqual({});
    }
    expectQuiet(seen.heard);
    await seen.close();
  });

  it('creates a webhook whose secret is shown once, pings it and reads its log', async () => {
    const receiver = createServer((request, response) => {
      request.resume();
      response.writeHead(204).end();
    });
    await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    await page.goto(`${base}/webhooks`);
    await button(page, 'New webhook').click();
    await page.getByLabel('Address').fill(url);
    await button(page, 'Create webhook').click();
    const secret = (await page.locator('.shown-once code').textContent()) ?? '';
    expect(secret).toMatch(/^whsec_/);
    await button(page, 'I have it').click();
    await page.getByRole('link', { name: url }).click();
    await button(page, 'Send a ping').click();
    await page.getByText('✓ 204').first().waitFor();
    expect(await page.content()).not.toContain(secret);
    await page.getByLabel('Address').fill(`${url}/elsewhere`);
    await page.getByLabel('Active').uncheck();
    expect(await page.getByLabel('Address').inputValue()).toBe(`${url}/elsewhere`);
    await button(page, 'Save').click();
    await said(page, 'Webhook saved');
    await button(page, 'Delete webhook').click();
    await button(page, 'Delete').click();
    await page.waitForURL(/\/webhooks$/);
    expect(await page.getByRole('link', { name: `${url}/elsewhere` }).count()).toBe(0);
    receiver.close();
  });

  it('sends a delivery that failed again, with the same body, and sees which it repeats', async () => {
    const bodies: string[] = [];
    let status = 500;
    const receiver = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        bodies.push(Buffer.concat(chunks).toString());
        response.writeHead(status).end();
      });
    });
    await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    const { owner } = world.people;
    const { webhook } = (
      await expectStatus(
        world.api.post(`/webhooks/${world.organization.id}`, { url, events: ['secret.updated'] }, owner.session),
        201,
      )
    ).body;
    await expectStatus(world.api.put(world.path('dev'), { key: 'LOG_LEVEL', value: 'warn' }, owner.session), 200);
    await expect.poll(() => bodies.length, { timeout: 20_000 }).toBe(1);
    await page.goto(`${base}/webhooks/${webhook.id}`);
    await expect
      .poll(
        async () => {
          await page.reload();
          await settled(page);
          return page.getByText('× 500').count();
        },
        { timeout: 20_000 },
      )
      .toBe(1);
    status = 204;
    await button(page, 'Send again').click();
    await said(page, 'Delivery queued again');
    const again = page.getByRole('row', { name: '✓ 204' });
    await again.getByText('sent again').waitFor();
    expect(bodies).toHaveLength(2);
    expect(bodies[1]).toBe(bodies[0]);
    await expectStatus(world.api.delete(`/webhooks/${world.organization.id}/${webhook.id}`, owner.session), 200, 204);
    receiver.close();
  });

  it('creates a deployer from a platform’s recipe, sees what to configure in the job, tries a token and deletes it', async () => {
    await page.goto(`${base}/identities`);
    await button(page, 'New identity').click();
    await dialog(page).getByLabel('Name').fill('nightly');
    expect(await dialog(page).getByLabel('Role').inputValue()).toBe('deployer');
    await dialog(page).getByLabel('Project', { exact: true }).selectOption('web-shop');
    await dialog(page).getByLabel('Environment', { exact: true }).selectOption('production');
    await dialog(page).getByLabel('Repository id').fill('74');
    await dialog(page).getByLabel('Owner id').fill('65');
    await dialog(page).getByLabel('More claims').fill('ref = refs/heads/main\nref = refs/heads/release');
    await button(page, 'Create identity').click();
    await said(page, 'Identity nightly created');
    await page.waitForURL(/\/identities\/[0-9a-f-]{36}$/);
    const { body } = await world.api.get(`/identities/${world.organization.id}`, world.people.owner.session);
    const made = body.identities.find(({ name }: { name: string }) => name === 'nightly');
    expect(made).toMatchObject({ role: 'deployer', access: 'read', singleUse: true, maxAssertionAgeMinutes: 10 });
    expect(made.claims).toEqual({
      repository_id: ['74'],
      repository_owner_id: ['65'],
      environment: ['production'],
      ref: ['refs/heads/main', 'refs/heads/release'],
    });
    await page.getByText(made.audience).waitFor();
    await page.getByText(`identity: "${made.id}"`).waitFor();

    const issuer = { url: made.issuer };
    const key = await makeSigningKey();
    const claims = { environment: 'production', ref: 'refs/heads/release' };
    await page.getByLabel('Token', { exact: true }).fill(await signToken(issuer, key, made.id, claims));
    await page.getByText('All claims match').waitFor();
    const others = await signToken(issuer, key, made.id, { ...claims, repository_id: '75' });
    await page.getByLabel('Token', { exact: true }).fill(others);
    await page.getByText('Holdfast would reject this token because of repository_id.').waitFor();
    expect(await wrongsOf(page, 'identity-tried')).toEqual({});
    await page.getByLabel('Token', { exact: true }).fill('');

    await page.getByLabel('Accept each of the platform’s tokens only once').uncheck();
    await button(page, 'Save').click();
    await said(page, 'Identity saved');
    const { body: saved } = await world.api.get(
      `/identities/${world.organization.id}/${made.id}`,
      world.people.owner.session,
    );
    expect(saved.identity.singleUse).toBe(false);
    await button(page, 'Delete identity').click();
    await button(page, 'Delete').click();
    await said(page, 'Identity nightly deleted');
    await page.waitForURL(/\/identities$/);
    expect(await page.getByRole('link', { name: 'nightly' }).count()).toBe(0);
  });

  it('sees why the service rejects claims that strangers could satisfy, for a platform without a recipe', async () => {
    await page.goto(`${base}/identities`);
    await button(page, 'New identity').click();
    await dialog(page).getByLabel('Name').fill('anywhere');
    await dialog(page).getByLabel('Role').selectOption('viewer');
    await dialog(page).getByLabel('Platform', { exact: true }).selectOption('another');
    await dialog(page).getByLabel('Issuer').fill('https://gitlab.com');
    await dialog(page).getByLabel('Claims').fill('sub = repo:acme/web-shop');
    await button(page, 'Create identity').click();
    await page.getByText('Must require at least one claim besides iss, aud and sub').first().waitFor();
    await button(page, 'Cancel').click();
  });

  it('changes a role and removes a member, but can’t remove or demote the last owner', async () => {
    await page.goto(`${base}/members`);
    const { email } = world.people.viewer;
    await page.getByLabel(`Role of ${email}`).selectOption('developer');
    await said(page, 'Role changed');
    // The last owner sees the reason instead of a button that the service would reject.
    const lastOwner = page.getByRole('row', { name: world.people.owner.email });
    await lastOwner.getByText('make another member an owner first').waitFor();
    expect(await lastOwner.getByRole('combobox').count()).toBe(0);
    expect(await lastOwner.getByRole('button').count()).toBe(0);
    await page.getByLabel(`Role of ${world.people.admin.email}`).selectOption('owner');
    await said(page, 'Role changed');
    await button(page, `Remove ${world.people.owner.email}`).waitFor();
    await page.getByLabel(`Role of ${world.people.admin.email}`).selectOption('admin');
    await lastOwner.getByText('make another member an owner first').waitFor();
    await button(page, `Remove ${email}`).click();
    await button(page, 'Remove').click();
    await said(page, `${email} removed`);
    expect((await world.api.get(`/members/${world.organization.id}`, world.people.viewer.session)).status).toBe(404);
  });

  it('shows which identities and webhooks a removed member leaves, and ends the identities if told to', async () => {
    const { api, organization, people } = world;
    const { issuer, claims } = trust;
    for (const [ending, name] of [
      [false, 'Edsger'],
      [true, 'Grace'],
    ] as const) {
      const leaver = await seedPerson({ name });
      await join(api, people.owner, leaver, 'admin');
      const own = { name: `deploy-of-${name}`, access: 'read', role: 'viewer', issuer, claims };
      const { identity } = (await expectStatus(api.post(`/identities/${organization.id}`, own, leaver.session), 201))
        .body;
      const url = `https://hooks.example.com/${name}`;
      const { webhook } = (
        await expectStatus(
          api.post(`/webhooks/${organization.id}`, { url, events: ['secret.updated'] }, leaver.session),
          201,
        )
      ).body;
      await page.goto(`${base}/members`);
      await button(page, `Remove ${leaver.email}`).click();
      await dialog(page).getByRole('listitem').getByText(own.name).waitFor();
      expect(await dialog(page).getByRole('listitem').count()).toBe(1);
      expect(await wrongsOf(page, 'dialog-remove-member-identities', { fullPage: false })).toEqual({});
      if (ending) await dialog(page).getByLabel('End these identities').check();
      await button(page, 'Remove').click();
      await said(page, ending ? `Still working: ${url}.` : `Still working: ${own.name}, ${url}.`);
      const { identities } = (await api.get(`/identities/${organization.id}`, people.owner.session)).body;
      expect(identities.some(({ id }: { id: string }) => id === identity.id)).toBe(!ending);
      await expectStatus(api.delete(`/webhooks/${organization.id}/${webhook.id}`, people.owner.session), 204, 200);
      if (!ending)
        await expectStatus(api.delete(`/identities/${organization.id}/${identity.id}`, people.owner.session), 204, 200);
    }
  });

  it('adds a template key and sees which environments don’t have it', async () => {
    await page.goto(`${base}/projects/web-shop/template`);
    await button(page, 'Add key').click();
    await page.getByLabel('Key', { exact: true }).fill('MAIL_FROM');
    await page.getByLabel('Pattern (optional)').fill('.*@nowhere');
    await button(page, 'Save').click();
    await page.getByRole('listitem').filter({ hasText: 'MAIL_FROM' }).first().waitFor();
    expect(await page.locator('.verdicts').textContent()).toContain('missing');
    await button(page, 'Remove MAIL_FROM').click();
    await button(page, 'Remove').click();
    await dialog(page).waitFor({ state: 'detached' });
  });

  it('rotates a project’s key and sees it finish', async () => {
    await page.goto(`${base}/projects/web-shop/settings`);
    await button(page, 'Rotate the key').click();
    await button(page, 'Rotate').click();
    await page.getByText('Rotated from 1 to 2').waitFor({ timeout: 20_000 });
  });

  it('creates an environment with a type, which determines who can read it', async () => {
    await page.goto(`${base}/projects/web-shop`);
    await button(page, 'New environment').click();
    await page.getByLabel('Name').fill('Preview');
    await page.getByLabel('Type').selectOption('development');
    await button(page, 'Create environment').click();
    await page.getByRole('link', { name: 'Preview' }).first().waitFor();
  });

  it('renames the organization, whose new name appears at once', async () => {
    await page.goto(`${base}/settings`);
    await page.getByLabel('Name', { exact: true }).fill('Analytical Engines');
    await button(page, 'Rename').click();
    await button(page, 'Analytical Engines: switch organization').waitFor();
    const { body } = await world.api.get('/auth/me', world.people.owner.session);
    expect(body.organizations.map((own: { name: string }) => own.name)).toContain('Analytical Engines');
  });

  it('renames a project, adds a description and removes it', async () => {
    await page.goto(`${base}/projects/web-shop/settings`);
    const project = async () =>
      (await world.api.get(`/projects/${world.organization.id}/web-shop`, world.people.owner.session)).body.project;
    const form = page.locator('section', { has: page.getByRole('heading', { name: 'Project' }) });
    const save = form.getByRole('button', { name: 'Save', exact: true });
    await form.getByLabel('Name').fill('The shop');
    await form.getByLabel('Description').fill('Where people buy.');
    await save.click();
    await said(page, 'Project saved');
    expect(await project()).toMatchObject({ name: 'The shop', description: 'Where people buy.', slug: 'web-shop' });
    await form.getByLabel('Description').fill('');
    await save.click();
    await expect.poll(async () => (await project()).description).toBeNull();
  });

  it('renames an environment, changes its type and deletes it by its slug', async () => {
    await expectStatus(
      world.api.post(
        `/projects/${world.organization.id}/web-shop/environments`,
        { name: 'Trial', type: 'development' },
        world.people.owner.session,
      ),
      201,
    );
    await page.goto(`${base}/projects/web-shop/settings`);
    const form = page.getByRole('form', { name: 'trial' });
    await form.getByLabel('Name').fill('Rehearsal');
    await form.getByLabel('Type').selectOption('production');
    await button(page, 'Save trial').click();
    await said(page, 'Environment trial saved');
    const environments = async () =>
      (await world.api.get(`/projects/${world.organization.id}/web-shop`, world.people.owner.session)).body.project
        .environments as { slug: string; name: string; type: string }[];
    expect((await environments()).find(({ slug }) => slug === 'trial')).toMatchObject({
      name: 'Rehearsal',
      type: 'production',
    });
    await page.getByRole('link', { name: 'Rehearsal' }).waitFor();
    await button(page, 'Delete trial').click();
    const confirm = button(page, 'Delete for good');
    await confirm.click({ force: true });
    expect((await environments()).map(({ slug }) => slug)).toContain('trial');
    await page.getByLabel('Type trial to confirm').fill('trial');
    await confirm.click();
    await said(page, 'trial deleted');
    expect((await environments()).map(({ slug }) => slug)).not.toContain('trial');
    await page.getByRole('link', { name: 'Rehearsal' }).waitFor({ state: 'detached' });
  });

  it('changes a template key and removes its pattern', async () => {
    await page.goto(`${base}/projects/web-shop/template`);
    const known = async () =>
      (
        await world.api.get(`/templates/${world.organization.slug}/web-shop`, world.people.owner.session)
      ).body.keys.find((entry: { key: string }) => entry.key === 'SENTRY_DSN');
    await button(page, 'Change SENTRY_DSN').click();
    await page.getByLabel('What is it for? (optional)').fill('Where crashes go.');
    await page.getByLabel('Pattern (optional)').fill('https://.+');
    await page.getByLabel('Required').uncheck();
    // The dialog stays until the list is current. Otherwise the next one could show, and save, what was there before.
    await page.route('**/v1/templates/**', async route => {
      if (route.request().method() === 'GET') await sleep(500);
      await route.continue();
    });
    await button(page, 'Save').click();
    await dialog(page).waitFor({ state: 'detached' });
    expect(await known()).toMatchObject({ description: 'Where crashes go.', pattern: 'https://.+', required: false });
    await button(page, 'Change SENTRY_DSN').click();
    expect(await page.getByLabel('Pattern (optional)').inputValue()).toBe('https://.+');
    await page.unroute('**/v1/templates/**');
    await page.getByLabel('Pattern (optional)').fill('');
    await button(page, 'Save').click();
    await dialog(page).waitFor({ state: 'detached' });
    expect(await known()).not.toHaveProperty('pattern');
  });

  it('finds all of it in the audit log, with the old and new value of each field', async () => {
    for (const [action, words] of [
      ['organization.updated', 'Analytical Engines'],
      ['project.updated', 'Web shop → The shop'],
      ['environment.updated', 'development → production'],
      ['environment.deleted', 'trial'],
      ['template_key.updated', 'SENTRY_DSN'],
    ] as const) {
      await page.goto(`${base}/audit`);
      await page.getByLabel('Action').selectOption(action);
      await page.locator('.journal li', { hasText: words }).first().waitFor();
    }
  });

  it('compares the plans, is redirected to the payment provider’s page and finds the way back', async () => {
    await page.goto(`${base}/billing`);
    const plans = page.getByRole('table', { name: 'Limits of each plan' });
    await plans.getByRole('columnheader', { name: 'free (yours)' }).waitFor();
    expect(await plans.getByRole('row', { name: /^Projects/ }).textContent()).toBe('Projects10100unlimited');
    await button(page, 'Change to pro').click();
    await page.waitForURL(url => url.origin !== world.origin);
    await page.goto(`${base}/billing?checkout=success`);
    await page.getByText('The plan changes as soon as the payment is confirmed').waitFor();
  });

  it('sees the plan’s limit when it is reached', async () => {
    await world.api.patch(
      `/admin/orgs/${world.organization.id}`,
      { limitOverrides: { maxProjects: 1 } },
      world.platform.session,
    );
    await page.goto(base);
    await button(page, 'New project').click();
    await page.getByLabel('Name').fill('One too many');
    await button(page, 'Create project').click();
    const refusal = page.getByRole('alert');
    await refusal.waitFor();
    // An error keeps the typed text.
    expect(await page.getByLabel('Name').inputValue()).toBe('One too many');
    expect(await refusal.textContent()).toMatch(/limit|plan/i);
    expect(await refusal.textContent()).toContain('Request');
    await page.keyboard.press('Escape');
  });

  it('chooses dark mode, which is remembered', async () => {
    await page.goto(base);
    await button(page, 'You and your settings').click();
    await page.getByText('dark', { exact: true }).click();
    await page.reload();
    await settled(page);
    expect(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)).toBe('dark');
  });
});

describe.skipIf(withoutBrowser)('one’s own account', () => {
  it('can change its name and password, which ends every other session', async () => {
    const person = await seedPerson({ name: 'Old name' });
    const seen = await come(person);
    const { page } = seen;
    const elsewhere = await world.api.post('/auth/login', { email: person.email, password: testPassword });
    expect(elsewhere.status).toBe(200);
    await page.goto('/account');
    await page.getByLabel('Name', { exact: true }).fill('New name');
    await button(page, 'Change name').click();
    await said(page, 'Name changed');
    expect((await world.api.get('/auth/me', person.session)).body.user.name).toBe('New name');
    await page.getByLabel('Current password').fill('not my password');
    await page.getByLabel('New password').fill('another sentence to remember');
    await button(page, 'Change password').click();
    await page.locator('.field .problem').waitFor();
    await page.getByLabel('Current password').fill(testPassword);
    await button(page, 'Change password').click();
    await said(page, 'Password changed');
    const { body } = await world.api.get('/auth/sessions', person.session);
    expect(body.sessions).toHaveLength(1);
    await seen.close();
  });

  it('can end one session without ending the others', async () => {
    const person = await seedPerson();
    const seen = await come(person);
    const { page } = seen;
    const elsewhere = await world.api.post('/auth/login', { email: person.email, password: testPassword });
    const other = { cookie: elsewhere.headers.get('set-cookie')?.split(';')[0] ?? '' };
    expect((await world.api.get('/auth/me', other)).status).toBe(200);
    await page.goto('/account');
    await button(page, 'End the session from 127.0.0.1').click();
    await said(page, 'Session ended');
    await button(page, 'End the session from 127.0.0.1').waitFor({ state: 'detached' });
    expect((await world.api.get('/auth/me', other)).status).toBe(401);
    expect((await world.api.get('/auth/me', person.session)).status).toBe(200);
    await button(page, 'Log out here').click();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    expect((await world.api.get('/auth/me', person.session)).status).toBe(401);
    expectQuiet(seen.heard);
    await seen.close();
  });

  it('can get a new password by e-mail, with a token that leaves the address bar before any request', async () => {
    const person = await seedPerson();
    const seen = await visit(browser, world.origin);
    const { page } = seen;
    await page.goto('/forgot-password');
    await page.getByLabel('E-mail').fill(person.email);
    await button(page, 'Send a link').click();
    await page.getByRole('heading', { name: 'Check your e-mail' }).waitFor();
    await expect
      .poll(async () => (await world.api.mails()).filter(mail => mail.to.includes(person.email)).length)
      .toBe(1);
    const mail = (await world.api.mails()).find(({ to }) => to.includes(person.email));
    const link = /http\S+#token=\S+/.exec(mail?.text ?? '')?.[0] ?? '';
    const token = link.split('#token=')[1] ?? '';
    const addresses: string[] = [];
    page.on('request', async request => {
      if (request.url().includes('/v1/')) addresses.push(`${request.url()} ${page.url()}`);
    });
    await page.goto('about:blank');
    await page.goto(link);
    await page.getByLabel('New password').fill('a sentence that is new');
    expect(page.url()).not.toContain(token);
    expect(addresses.length).toBeGreaterThan(0);
    expect(addresses.join('\n')).not.toContain(token);
    await button(page, 'Change password').click();
    await page.getByRole('heading', { name: 'Password changed' }).waitFor();
    const again = await world.api.post('/auth/login', { email: person.email, password: 'a sentence that is new' });
    expect(again.status).toBe(200);
    await seen.close();
  });

  it('counts down while rate-limited', async () => {
    const seen = await visit(browser, world.origin);
    const { page } = seen;
    await page.route('**/v1/auth/login', route =>
      route.fulfill({
        status: 429,
        headers: { 'retry-after': '3' },
        json: { error: { code: 'rate_limited', message: 'Too many attempts.', requestId: 'a-request' } },
      }),
    );
    await page.goto('/log-in');
    await logIn(page, 'ada@example.com', 'wrong');
    await page.getByText('Try again in 3 s.').waitFor();
    await page.getByText('Try again in 1 s.').waitFor();
    expect(await page.getByRole('alert').textContent()).toContain('a-request');
    await seen.close();
  });

  it('says so if another site of the domain has set a second session cookie', async () => {
    const [person, attacker] = [await seedPerson(), await seedPerson()];
    const seen = await visit(browser, world.origin);
    const [name = '', value = ''] = attacker.session.cookie.split('=');
    const { hostname: domain } = new URL(world.origin);
    await seen.page.context().addCookies([{ name, value, domain, path: '/v1' }]);
    await seen.page.goto('/forgot-password');
    await seen.page
      .context()
      .addCookies([{ name, value: person.session.cookie.split('=')[1] ?? '', domain, path: '/' }]);
    await seen.page.goto('/log-in');
    await logIn(seen.page, person.email);
    await seen.page.getByRole('alert').getByText('two different session cookies').waitFor();
    await seen.close();
  });

  it('says so if a log-in leaves the browser in another account', async () => {
    const [person, attacker] = [await seedPerson(), await seedPerson()];
    const seen = await visit(browser, world.origin);
    const { page } = seen;
    const [name = '', value = ''] = attacker.session.cookie.split('=');
    await page.route('**/v1/auth/login', async route => {
      const response = await route.fetch();
      await page.context().clearCookies();
      await page.context().addCookies([{ name, value, domain: new URL(world.origin).hostname, path: '/' }]);
      const { 'set-cookie': _, ...headers } = response.headers();
      await route.fulfill({ response, headers });
    });
    await page.goto('/log-in');
    await logIn(page, person.email);
    await page.getByRole('alert').getByText('another account’s session').waitFor();
    expect(await page.getByText(attacker.email).count()).toBe(0);
    await seen.close();
  });

  it('leads back to the requested page, and never to another site', async () => {
    const person = await seedPerson();
    for (const [to, expected] of [
      ['/account/tokens', '/account/tokens'],
      ['//evil.example/', `/organizations/${person.organization.slug}`],
      ['https://evil.example/', `/organizations/${person.organization.slug}`],
      ['/\\evil.example', `/organizations/${person.organization.slug}`],
      ['/.//evil.example', `/organizations/${person.organization.slug}`],
      ['/x/..//evil.example', `/organizations/${person.organization.slug}`],
      ['/%2e//evil.example', `/organizations/${person.organization.slug}`],
      ['/.//\\evil.example/a?b', `/organizations/${person.organization.slug}`],
      ['/v1/docs', `/organizations/${person.organization.slug}`],
    ] as const) {
      const seen = await visit(browser, world.origin);
      await seen.page.goto(`/log-in?to=${encodeURIComponent(to)}`);
      await logIn(seen.page, person.email);
      await seen.page.waitForURL(`**${expected}`);
      expect(new URL(seen.page.url()).origin).toBe(world.origin);
      await seen.close();
    }
  });
});

describe.skipIf(withoutBrowser)('an administrator of the platform', () => {
  it('finds an organization, overrides a limit and changes a plan’s defaults', async () => {
    const seen = await come(world.platform);
    const { page } = seen;
    await page.goto('/admin/organizations');
    await page.getByLabel('Name or slug begins with').fill(world.organization.slug.slice(0, 8));
    await button(page, 'Search').click();
    await page.getByRole('link', { name: world.organization.slug }).click();
    await page.getByLabel('Members', { exact: true }).fill('123');
    await page.getByLabel('Plan').selectOption('enterprise');
    await button(page, 'Save').click();
    await said(page, 'Plan and limits saved');
    const { body } = await world.api.get(`/admin/orgs/${world.organization.id}`, world.platform.session);
    expect(body.organization).toMatchObject({ plan: 'enterprise', limitOverrides: { maxMembers: 123 } });
    await page.goto('/admin/plans');
    await page.getByRole('form', { name: 'pro' }).getByLabel('Webhooks').fill('77');
    await button(page, 'Save pro').click();
    await said(page, 'Plan pro saved');
    await page.goto('/admin');
    await page.getByRole('img', { name: /Requests in each of the last 24 hours/ }).waitFor();
    expectQuiet(seen.heard);
    await seen.close();
  });
});
