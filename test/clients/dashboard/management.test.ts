import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { makeSigningKey, signToken } from '#test/support/issuer.ts';
import { seedPerson, testPassword } from '#test/support/people.ts';
import { startReceiver } from '#test/support/receiver.ts';
import { expectStatus } from '#test/support/sample-requests.ts';
import { button, dialog, fill, logIn, press, settled, submit, toast, withoutBrowser } from './browser.ts';
import { expectFineLooks } from './looks.ts';
import { join, useWorld } from './world.ts';

const { world, come, openAt, usePage } = useWorld();
const base = () => `/organizations/${world.organization.slug}`;

const trust = {
  issuer: 'https://token.actions.githubusercontent.com',
  claims: { repository_id: '123', repository_owner_id: '456', environment: 'production' },
};

const alert = (page: Page) => page.getByRole('alert');

describe.skipIf(withoutBrowser)('an owner', () => {
  const page = usePage(() => world.people.owner);

  it('creates a token that is shown once and works, and revokes it', async () => {
    await page.goto('/account/tokens');
    await button(page, 'New token').click();
    await page.getByLabel('What is it for?').fill('nightly');
    await dialog(page).getByLabel('Organization').selectOption({ index: 1 });
    await fill(dialog(page), { Project: 'web-shop', Environment: 'dev' });
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
    await press(page, 'Revoke nightly', 'Revoke');
    await toast(page, 'Token nightly revoked');
    expect((await world.api.get(world.path('dev'), { token })).status).toBe(401);
  });

  it('creates a token for names only, which lists keys but reads no value', async () => {
    await page.goto('/account/tokens');
    await button(page, 'New token').click();
    await page.getByLabel('What is it for?').fill('agent');
    await dialog(page).getByLabel('Access').selectOption('names');
    await button(page, 'Create token').click();
    const token = (await page.locator('.shown-once code').textContent()) ?? '';
    expect((await world.api.get(`${world.path('dev')}/keys`, { token })).status).toBe(200);
    expect((await world.api.get(world.path('dev'), { token })).status).toBe(403);
    await button(page, 'I have it').click();
    await press(page, 'Revoke agent', 'Revoke');
    await toast(page, 'Token agent revoked');
  });

  it('learns on an empty page what webhooks, identities and tokens are for, each with an example', async () => {
    const newcomer = await seedPerson({ name: 'Charles Babbage' });
    const own = await come(newcomer);
    for (const [address, example] of [
      [`/organizations/${newcomer.organization.slug}/webhooks`, '"event": "secret.updated"'],
      [`/organizations/${newcomer.organization.slug}/identities`, `organization: "${newcomer.organization.slug}"`],
      ['/account/tokens', 'holdfast run -- ./deploy.sh'],
    ] as const) {
      await own.goto(address);
      await own.getByRole('figure').getByText(example).waitFor();
      await expectFineLooks(own, `empty-${address.split('/').at(-1)}`);
    }
  });

  it('gets the commands that fill an empty organization and an empty environment, to copy', async () => {
    const newcomer = await seedPerson({ name: 'Hedy Lamarr' });
    const { slug, id } = newcomer.organization;
    const own = await come(newcomer);
    const expectCopied = async (title: RegExp, text: string) => {
      await button(own, title).click();
      await expect.poll(() => own.evaluate(() => navigator.clipboard.readText())).toBe(text);
    };
    const push = (link: string) => `holdfast link ${slug}/${link}\nholdfast push .env`;
    await own.goto(`/organizations/${slug}`);
    await expectCopied(/^Copy Install/, `curl -fsS ${world.origin}/install.sh | sh`);
    await expectCopied(/^Copy Log in/, `holdfast login --url ${world.origin}`);
    await expectCopied(/^Copy Create/, push('my-app/dev --create'));
    await expectFineLooks(own, 'empty-organization');
    await expectStatus(world.api.post(`/projects/${id}`, { name: 'Shop' }, newcomer.session), 201);
    await own.goto(`/organizations/${slug}/projects/shop/environments/dev`);
    await expectCopied(/^Copy Link/, push('shop/dev'));
    await expectFineLooks(own, 'empty-environment');
  });

  it('creates a webhook whose secret is shown once, pings it and reads its log', async () => {
    const receiver = await startReceiver();
    const url = `${receiver.url}/hook`;
    await page.goto(`${base()}/webhooks`);
    await button(page, 'New webhook').click();
    await submit(page, { Address: url }, 'Create webhook');
    const secret = (await page.locator('.shown-once code').textContent()) ?? '';
    expect(secret).toMatch(/^whsec_/);
    await button(page, 'I have it').click();
    await page.getByRole('link', { name: url }).click();
    await button(page, 'Send a ping').click();
    await page.getByText('✓ 204').first().waitFor();
    expect(await page.content()).not.toContain(secret);
    await fill(page, { Address: `${url}/elsewhere`, Active: false });
    expect(await page.getByLabel('Address').inputValue()).toBe(`${url}/elsewhere`);
    await button(page, 'Save').click();
    await toast(page, 'Webhook saved');
    await press(page, 'Delete webhook', 'Delete');
    await page.waitForURL(/\/webhooks$/);
    expect(await page.getByRole('link', { name: `${url}/elsewhere` }).count()).toBe(0);
    await receiver.stop();
  });

  it('sends a delivery that failed again, with the same body, and sees which it repeats', async () => {
    let status = 500;
    const receiver = await startReceiver(response => response.writeHead(status).end());
    const hook = { url: `${receiver.url}/hook`, events: ['secret.updated'] };
    const { webhook } = await world.owner('POST', `/webhooks/${world.organization.id}`, hook);
    await world.owner('PUT', world.path('dev'), { key: 'LOG_LEVEL', value: 'warn' });
    const bodies = () => receiver.received.map(({ body }) => body.toString());
    await expect.poll(bodies, { timeout: 20_000 }).toHaveLength(1);
    await page.goto(`${base()}/webhooks/${webhook.id}`);
    const failures = async () => {
      await page.reload();
      await settled(page);
      return page.getByText('× 500').count();
    };
    await expect.poll(failures, { timeout: 20_000 }).toBe(1);
    status = 204;
    await button(page, 'Send again').click();
    await toast(page, 'Delivery queued again');
    const again = page.getByRole('row', { name: '✓ 204' });
    await again.getByText('sent again').waitFor();
    expect(bodies()).toEqual([bodies()[0], bodies()[0]]);
    await world.owner('DELETE', `/webhooks/${world.organization.id}/${webhook.id}`);
    await receiver.stop();
  });

  it('creates a deployer from a platform’s recipe, sees what to configure in the job, tries a token and deletes it', async () => {
    await page.goto(`${base()}/identities`);
    await page.getByRole('link', { name: 'New identity' }).click();
    // The examples are about the organization's own project.
    await page.getByText(`gh api repos/${world.organization.slug}/web-shop --jq .id`).waitFor();
    expect(await page.getByLabel('Role').inputValue()).toBe('deployer');
    await page.getByLabel('Environment', { exact: true }).selectOption('production');
    expect(await page.getByLabel('Name').inputValue()).toBe('web-shop production on GitHub Actions');
    for (const layer of ['web-shop / dev', 'web-shop / staging']) {
      await button(page, 'Add an environment that lies below it').click();
      await page
        .getByLabel(/^Layer \d$/)
        .last()
        .selectOption(layer);
    }
    await button(page, 'Remove layer 2').click();
    await fill(page, {
      Name: 'nightly',
      'Repository id': '74',
      'Owner id': '65',
      'More claims': 'ref = refs/heads/main\nref = refs/heads/release',
    });
    await button(page, 'Create identity').click();
    await toast(page, 'Identity nightly created');
    await page.waitForURL(/\/identities\/[0-9a-f-]{36}\?new$/);
    await button(page, 'Copy .github/workflows/deploy.yml').click();
    const { identities } = await world.owner('GET', `/identities/${world.organization.id}`);
    const made = identities.find(({ name }: { name: string }) => name === 'nightly');
    expect(made).toMatchObject({ role: 'deployer', access: 'read', singleUse: true, maxAssertionAgeMinutes: 10 });
    const idOf = (env: string) => world.project.environments.find(({ slug }) => slug === env)?.id;
    expect([made.environmentIds, made.environmentId]).toEqual([[idOf('dev'), idOf('production')], null]);
    await page.getByText('web-shop / dev, web-shop / production').waitFor();
    await page.getByText('layers: "web-shop/dev"').waitFor();
    expect(made.claims).toEqual({
      repository_id: ['74'],
      repository_owner_id: ['65'],
      environment: ['production'],
      ref: ['refs/heads/main', 'refs/heads/release'],
    });
    await page.getByText(made.audience).waitFor();
    await page.getByText(`identity: "${made.id}"`).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(`identity: "${made.id}"`);

    const issuer = { url: made.issuer };
    const key = await makeSigningKey();
    const claims = { environment: 'production', ref: 'refs/heads/release' };
    await page.getByLabel('Token', { exact: true }).fill(await signToken(issuer, key, made.id, claims));
    await page.getByText('All claims match').waitFor();
    const others = await signToken(issuer, key, made.id, { ...claims, repository_id: '75' });
    await page.getByLabel('Token', { exact: true }).fill(others);
    await page.getByText('Holdfast would reject this token because of repository_id.').waitFor();
    await expectFineLooks(page, 'identity-tried');
    await page.getByLabel('Token', { exact: true }).fill('');

    await submit(page, { 'Accept each of the platform’s tokens only once': false }, 'Save');
    await toast(page, 'Identity saved');
    const saved = await world.owner('GET', `/identities/${world.organization.id}/${made.id}`);
    expect(saved.identity.singleUse).toBe(false);
    await press(page, 'Delete identity', 'Delete');
    await toast(page, 'Identity nightly deleted');
    await page.waitForURL(/\/identities$/);
    expect(await page.getByRole('link', { name: 'nightly' }).count()).toBe(0);
  });

  it('sees why the service rejects claims that strangers could satisfy, for a platform without a recipe', async () => {
    await page.goto(`${base()}/identities/new`);
    await page.getByLabel('Another platform').check();
    await fill(page, {
      Name: 'anywhere',
      Role: 'viewer',
      Issuer: 'https://gitlab.com',
      Claims: 'sub = repo:acme/web-shop',
    });
    await button(page, 'Create identity').click();
    await page.getByText('Must require at least one claim besides iss, aud and sub').first().waitFor();
  });

  it('changes a role and removes a member, but can’t remove or demote the last owner', async () => {
    await page.goto(`${base()}/members`);
    const { email } = world.people.viewer;
    await page.getByLabel(`Role of ${email}`).selectOption('developer');
    await toast(page, 'Role changed');
    // The last owner sees the reason instead of a button that the service would reject.
    const lastOwner = page.getByRole('row', { name: world.people.owner.email });
    await lastOwner.getByText('make another member an owner first').waitFor();
    expect(await lastOwner.getByRole('combobox').count()).toBe(0);
    expect(await lastOwner.getByRole('button').count()).toBe(0);
    await page.getByLabel(`Role of ${world.people.admin.email}`).selectOption('owner');
    await toast(page, 'Role changed');
    await button(page, `Remove ${world.people.owner.email}`).waitFor();
    await page.getByLabel(`Role of ${world.people.admin.email}`).selectOption('admin');
    await lastOwner.getByText('make another member an owner first').waitFor();
    await press(page, `Remove ${email}`, 'Remove');
    await toast(page, `${email} removed`);
    expect((await world.api.get(`/members/${world.organization.id}`, world.people.viewer.session)).status).toBe(404);
  });

  it('gives a member a role in a project and limits them to it, which the project’s people show', async () => {
    const { api, organization, people, project } = world;
    const guest = await seedPerson({ name: 'Alan' });
    await join(api, people.owner, guest, 'viewer');
    await page.goto(`${base()}/members`);
    const row = page.getByRole('row', { name: guest.email });

    await row.getByRole('button', { name: /^Change projects of / }).click();
    await dialog(page).getByLabel('Limited to projects').check();
    await dialog(page).getByLabel(new RegExp(project.slug)).selectOption('admin');
    await expectFineLooks(page, 'dialog-member-projects-limited', { fullPage: false });
    await button(page, 'Save').click();
    await toast(page, `Projects of ${guest.email} changed`);

    await row.getByText(`only ${project.slug}: admin`).waitFor();
    const { projects } = (await api.get(`/projects/${organization.id}`, guest.session)).body;
    expect(projects.map(({ slug }: { slug: string }) => slug)).toEqual([project.slug]);
    await page.goto(`${base()}/projects/${project.slug}/people`);
    const here = page.getByRole('row', { name: guest.email });
    await here.getByText('project role: admin').waitFor();
    await here.getByText('all environments').first().waitFor();
    await expectFineLooks(page, 'people');
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
      const made = await expectStatus(api.post(`/identities/${organization.id}`, own, leaver.session), 201);
      const url = `https://hooks.example.com/${name}`;
      const hook = { url, events: ['secret.updated'] };
      const hooked = await expectStatus(api.post(`/webhooks/${organization.id}`, hook, leaver.session), 201);
      await page.goto(`${base()}/members`);
      await button(page, `Remove ${leaver.email}`).click();
      await dialog(page).getByRole('listitem').getByText(own.name).waitFor();
      expect(await dialog(page).getByRole('listitem').count()).toBe(1);
      await expectFineLooks(page, 'dialog-remove-member-identities', { fullPage: false });
      if (ending) await dialog(page).getByLabel('End these identities').check();
      await button(page, 'Remove').click();
      await toast(page, ending ? `Still working: ${url}.` : `Still working: ${own.name}, ${url}.`);
      const { identities } = await world.owner('GET', `/identities/${organization.id}`);
      const { id } = made.body.identity;
      expect(identities.some((identity: { id: string }) => identity.id === id)).toBe(!ending);
      await world.owner('DELETE', `/webhooks/${organization.id}/${hooked.body.webhook.id}`);
      if (!ending) await world.owner('DELETE', `/identities/${organization.id}/${id}`);
    }
  });

  it('adds a template key and sees which environments don’t have it', async () => {
    await page.goto(`${base()}/projects/web-shop/template`);
    await button(page, 'Add key').click();
    await page.getByLabel('Key', { exact: true }).fill('MAIL_FROM');
    await submit(page, { 'Pattern (optional)': '.*@nowhere' }, 'Save');
    await page.getByRole('listitem').filter({ hasText: 'MAIL_FROM' }).first().waitFor();
    expect(await page.locator('.verdicts').textContent()).toContain('missing');
    await press(page, 'Remove MAIL_FROM', 'Remove');
    await dialog(page).waitFor({ state: 'detached' });
  });

  it('rotates a project’s key and sees it finish', async () => {
    await page.goto(`${base()}/projects/web-shop/settings`);
    await press(page, 'Rotate the key', 'Rotate');
    await page.getByText('Rotated from 1 to 2').waitFor({ timeout: 20_000 });
  });

  it('creates an environment with a type, which determines who can read it', async () => {
    await page.goto(`${base()}/projects/web-shop`);
    await button(page, 'New environment').click();
    await submit(page, { Name: 'Preview', Type: 'development' }, 'Create environment');
    await page.getByRole('link', { name: 'Preview' }).first().waitFor();
  });

  it('renames the organization, whose new name appears at once', async () => {
    await page.goto(`${base()}/settings`);
    await page.getByLabel('Name', { exact: true }).fill('Analytical Engines');
    await button(page, 'Rename').click();
    await button(page, 'Analytical Engines: switch organization').waitFor();
    const { organizations } = await world.owner('GET', '/auth/me');
    expect(organizations.map((own: { name: string }) => own.name)).toContain('Analytical Engines');
  });

  it('sets the allowed networks, which must contain their own, and an administrator removes them', async () => {
    const person = await seedPerson();
    const own = await openAt(`/organizations/${person.organization.slug}/settings`, person);
    await fill(own, { 'People: sessions and their tokens': '198.51.100.0/24' });
    await button(own, 'Save networks').click();
    await own.getByText('Must contain your own address, 127.0.0.1.').waitFor();
    await fill(own, {
      'People: sessions and their tokens': '127.0.0.0/8\n198.51.100.0/24',
      'Machines: identities and their tokens': '2001:db8:12::/48',
    });
    await button(own, 'Save networks').click();
    await toast(own, 'Allowed networks saved');
    const networks = async () =>
      (await world.api.get(`/orgs/${person.organization.id}/networks`, person.session)).body.networks;
    const machines = ['2001:db8:12::/48'];
    expect(await networks()).toEqual({ people: ['127.0.0.0/8', '198.51.100.0/24'], machines });
    const platform = await openAt(`/admin/organizations/${person.organization.id}`, world.platform);
    await platform.getByText('127.0.0.0/8, 198.51.100.0/24').waitFor();
    await press(platform, 'Allow every network', 'Allow');
    await toast(platform, 'Every network is allowed');
    expect(await networks()).toEqual({ people: null, machines: null });
  });

  it('renames a project, adds a description and removes it', async () => {
    await page.goto(`${base()}/projects/web-shop/settings`);
    const project = async () => (await world.owner('GET', `/projects/${world.organization.id}/web-shop`)).project;
    const form = page.locator('section', { has: page.getByRole('heading', { name: 'Project' }) });
    const save = form.getByRole('button', { name: 'Save', exact: true });
    await fill(form, { Name: 'The shop', Description: 'Where people buy.' });
    await save.click();
    await toast(page, 'Project saved');
    expect(await project()).toMatchObject({ name: 'The shop', description: 'Where people buy.', slug: 'web-shop' });
    await form.getByLabel('Description').fill('');
    await save.click();
    await expect.poll(async () => (await project()).description).toBeNull();
  });

  it('renames an environment, changes its type and deletes it by its slug', async () => {
    const shop = `/projects/${world.organization.id}/web-shop`;
    await world.owner('POST', `${shop}/environments`, { name: 'Trial', type: 'development' });
    await page.goto(`${base()}/projects/web-shop/settings`);
    await fill(page.getByRole('form', { name: 'trial' }), { Name: 'Rehearsal', Type: 'production' });
    await button(page, 'Save trial').click();
    await toast(page, 'Environment trial saved');
    const environments = async (): Promise<object[]> => (await world.owner('GET', shop)).project.environments;
    const trial = expect.objectContaining({ slug: 'trial', name: 'Rehearsal', type: 'production' });
    expect(await environments()).toContainEqual(trial);
    await page.getByRole('link', { name: 'Rehearsal' }).waitFor();
    await button(page, 'Delete trial').click();
    const confirm = button(page, 'Delete');
    await confirm.click({ force: true });
    expect(await environments()).toContainEqual(trial);
    await page.getByLabel('Type trial to confirm').fill('trial');
    await confirm.click();
    await toast(page, 'trial deleted');
    expect(await environments()).not.toContainEqual(expect.objectContaining({ slug: 'trial' }));
    await page.getByRole('link', { name: 'Rehearsal' }).waitFor({ state: 'detached' });
  });

  it('changes a template key and removes its pattern', async () => {
    await page.goto(`${base()}/projects/web-shop/template`);
    const stored = async () => {
      const { keys } = await world.owner('GET', `/templates/${world.organization.slug}/web-shop`);
      return keys.find(({ key }: { key: string }) => key === 'SENTRY_DSN');
    };
    await button(page, 'Change SENTRY_DSN').click();
    await fill(page, {
      'What is it for? (optional)': 'Where crashes go.',
      'Pattern (optional)': 'https://.+',
      Required: false,
    });
    // The dialog stays until the list is current. Otherwise the next one could show, and save, what was there before.
    await page.route('**/v1/templates/**', async route => {
      if (route.request().method() === 'GET') await sleep(500);
      await route.continue();
    });
    await button(page, 'Save').click();
    await dialog(page).waitFor({ state: 'detached' });
    expect(await stored()).toMatchObject({ description: 'Where crashes go.', pattern: 'https://.+', required: false });
    await button(page, 'Change SENTRY_DSN').click();
    expect(await page.getByLabel('Pattern (optional)').inputValue()).toBe('https://.+');
    await page.unroute('**/v1/templates/**');
    await submit(page, { 'Pattern (optional)': '' }, 'Save');
    await dialog(page).waitFor({ state: 'detached' });
    expect(await stored()).not.toHaveProperty('pattern');
  });

  it('finds all of it in the audit log, with the old and new value of each field', async () => {
    for (const [action, words] of [
      ['organization.updated', 'Analytical Engines'],
      ['project.updated', 'Web shop → The shop'],
      ['environment.updated', 'development → production'],
      ['environment.deleted', 'trial'],
      ['template_key.updated', 'SENTRY_DSN'],
    ] as const) {
      await page.goto(`${base()}/audit`);
      await page.getByLabel('Action').selectOption(action);
      await page.locator('.journal li', { hasText: words }).first().waitFor();
    }
  });

  it('compares the plans, is redirected to the payment provider’s page and finds the way back', async () => {
    await page.goto(`${base()}/billing`);
    const plans = page.getByRole('table', { name: 'Limits of each plan' });
    await plans.getByRole('columnheader', { name: 'free (yours)' }).waitFor();
    expect(await plans.getByRole('row', { name: /^Projects/ }).textContent()).toBe('Projects10100unlimited');
    await button(page, 'Change to pro').click();
    await page.waitForURL(url => url.origin !== world.origin);
    await page.goto(`${base()}/billing?checkout=success`);
    await page.getByText('The plan changes as soon as the payment is confirmed').waitFor();
  });

  it('sees only the usage if no plan is for sale', async () => {
    await page.route('**/v1/billing/*', async route => {
      const answer = await route.fetch();
      await route.fulfill({ json: { ...(await answer.json()), forSale: [] } });
    });
    await page.goto(`${base()}/billing`);
    await page.getByText('An administrator of this installation sets the limits.').waitFor();
    await page.getByText('1 of 10').first().waitFor();
    expect(await page.locator('main').getByRole('button').count()).toBe(0);
    await expectFineLooks(page, 'usage-only');
    await page.unroute('**/v1/billing/*');
  });

  it('sees the plan’s limit when it is reached', async () => {
    const limits = { limitOverrides: { maxProjects: 1 } };
    await world.api.patch(`/admin/orgs/${world.organization.id}`, limits, world.platform.session);
    await page.goto(base());
    await button(page, 'New project').click();
    await submit(page, { Name: 'One too many' }, 'Create project');
    const refusal = alert(page);
    await refusal.waitFor();
    // An error keeps the typed text.
    expect(await page.getByLabel('Name').inputValue()).toBe('One too many');
    expect(await refusal.textContent()).toContain('1 of 1 projects are in use');
    expect(await refusal.textContent()).toContain('Request');
    await page.keyboard.press('Escape');
  });

  it('chooses dark mode, which is remembered', async () => {
    await page.goto(base());
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
    const page = await come(person);
    expect((await world.api.post('/auth/login', { email: person.email, password: testPassword })).status).toBe(200);
    await page.goto('/account');
    await page.getByLabel('Name', { exact: true }).fill('New name');
    await button(page, 'Change name').click();
    await toast(page, 'Name changed');
    expect((await world.api.get('/auth/me', person.session)).body.user.name).toBe('New name');
    await submit(
      page,
      { 'Current password': 'not my password', 'New password': 'another sentence to remember' },
      'Change password',
    );
    await page.locator('.field .problem').waitFor();
    await submit(page, { 'Current password': testPassword }, 'Change password');
    await toast(page, 'Password changed');
    expect((await world.api.get('/auth/sessions', person.session)).body.sessions).toHaveLength(1);
  });

  it('can end one session without ending the others', async () => {
    const person = await seedPerson();
    const page = await come(person);
    const elsewhere = await world.api.post('/auth/login', { email: person.email, password: testPassword });
    const other = { cookie: elsewhere.headers.get('set-cookie')?.split(';')[0] ?? '' };
    expect((await world.api.get('/auth/me', other)).status).toBe(200);
    await page.goto('/account');
    await button(page, 'End the session from 127.0.0.1').click();
    await toast(page, 'Session ended');
    await button(page, 'End the session from 127.0.0.1').waitFor({ state: 'detached' });
    expect((await world.api.get('/auth/me', other)).status).toBe(401);
    expect((await world.api.get('/auth/me', person.session)).status).toBe(200);
    await button(page, 'Log out here').click();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    expect((await world.api.get('/auth/me', person.session)).status).toBe(401);
  });

  it('can get a new password by e-mail, with a token that leaves the address bar before any request', async () => {
    const person = await seedPerson();
    const page = await openAt('/forgot-password');
    await submit(page, { 'E-mail': person.email }, 'Send a link');
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
  });

  it('counts down while rate-limited', async () => {
    const page = await come();
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
    expect(await alert(page).textContent()).toContain('a-request');
  });

  it('says so if another site of the domain has set a second session cookie', async () => {
    const [person, attacker] = [await seedPerson(), await seedPerson()];
    const page = await come();
    const [name = '', value = ''] = attacker.session.cookie.split('=');
    const { hostname: domain } = new URL(world.origin);
    await page.context().addCookies([{ name, value, domain, path: '/v1' }]);
    await page.goto('/forgot-password');
    const own = person.session.cookie.split('=')[1] ?? '';
    await page.context().addCookies([{ name, value: own, domain, path: '/' }]);
    await page.goto('/log-in');
    await logIn(page, person.email);
    await alert(page).getByText('two different session cookies').waitFor();
  });

  it('says so if a log-in leaves the browser in another account', async () => {
    const [person, attacker] = [await seedPerson(), await seedPerson()];
    const page = await come();
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
    await alert(page).getByText('another account’s session').waitFor();
    expect(await page.getByText(attacker.email).count()).toBe(0);
  });

  it('leads back to the requested page, and never to another site', async () => {
    const person = await seedPerson();
    const elsewhere = `//evil.example/ https://evil.example/ /\\evil.example /.//evil.example /x/..//evil.example
      /%2e//evil.example /.//\\evil.example/a?b /v1/docs`;
    for (const to of ['/account/tokens', ...elsewhere.split(/\s+/)]) {
      const page = await openAt(`/log-in?to=${encodeURIComponent(to)}`);
      await logIn(page, person.email);
      await page.waitForURL(to === '/account/tokens' ? `**${to}` : `**/organizations/${person.organization.slug}`);
      expect(new URL(page.url()).origin).toBe(world.origin);
    }
  });
});

describe.skipIf(withoutBrowser)('an administrator of the platform', () => {
  it('finds an organization, overrides a limit and changes a plan’s defaults', async () => {
    const page = await openAt('/admin/organizations', world.platform);
    await submit(page, { 'Name or slug begins with': world.organization.slug.slice(0, 8) }, 'Search');
    await page.getByRole('link', { name: world.organization.slug }).click();
    await page.getByLabel('Members', { exact: true }).fill('123');
    await submit(page, { Plan: 'enterprise' }, 'Save');
    await toast(page, 'Plan and limits saved');
    const { body } = await world.api.get(`/admin/orgs/${world.organization.id}`, world.platform.session);
    expect(body.organization).toMatchObject({ plan: 'enterprise', limitOverrides: { maxMembers: 123 } });
    const heir = await seedPerson({ emailVerified: true });
    await join(world.api, world.people.owner, heir, 'developer');
    await page.reload();
    const asked = {
      'E-mail address of the future owner': heir.email,
      'Reason, which everybody there reads': 'Ticket 4711',
    };
    await submit(page, asked, 'Start a recovery');
    await toast(page, 'Recovery started');
    await page.getByText(`${heir.email}, a member`).waitFor();
    await page.getByText('nobody yet').waitFor();
    await expectFineLooks(page, 'admin-recovery');
    const owner = await openAt(`/organizations/${world.organization.slug}/members`, world.people.owner);
    await owner.getByText('were told that no owner can log in any more').waitFor();
    await expectFineLooks(owner, 'waiting-recovery');
    await button(owner, 'Stop it').click();
    await dialog(owner, 'Stop the recovery').getByRole('button', { name: 'Stop it' }).click();
    await toast(owner, 'Recovery stopped');
    await page.goto('/admin/plans');
    await page.getByRole('form', { name: 'pro' }).getByLabel('Webhooks').fill('77');
    const saving = page.waitForRequest(request => request.method() === 'PUT');
    await button(page, 'Save pro').click();
    await toast(page, 'Plan pro saved');
    expect((await saving).postDataJSON()).toEqual({ limits: { maxWebhooks: 77 } });
    await page.goto('/admin');
    await page.getByRole('img', { name: /Requests in each of the last 24 hours/ }).waitFor();
  });
});
