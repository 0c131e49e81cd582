import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { sessionOf as cookieOf } from '#test/support/api.ts';
import { shared } from '#test/support/fixtures.ts';
import { startNameServer } from '#test/support/name-server.ts';
import { type Person, seedPerson, testPassword } from '#test/support/people.ts';
import { expectStatus, mailedToken } from '#test/support/sample-requests.ts';
import { addApp, ageSession, forgetUsedCodes } from '#test/support/second-factors.ts';
import { startOpenIdProvider } from '#test/support/sign-in/open-id-provider.ts';
import { newDomain, settingsOf, settingsPath, verifyDomain } from '#test/support/sign-in/sign-in.ts';
import {
  button,
  confirmPassword,
  dialog,
  link,
  logIn,
  logOut,
  press,
  stageValue,
  submit,
  toast,
  withAuthenticator,
  withoutBrowser,
} from './browser.ts';
import { expectFineLooks, wideAndNarrow } from './looks.ts';
import { join, useDashboard } from './world.ts';

describe.skipIf(withoutBrowser)('a company’s provider', () => {
  const names = shared(startNameServer);
  const { api, come, openAt } = useDashboard(() => ({ DNS_SERVERS: names.address }));
  const provider = shared(() =>
    startOpenIdProvider({ redirectUri: `${api.origin}/v1/auth/provider/*/callback`, accounts: {} }),
  );

  const employ = (domain: string, name = 'ada') => {
    const email = `${name}-${randomUUID().slice(0, 8)}@${domain}`;
    provider.accounts[email] = { sub: randomUUID(), email, email_verified: true, name };
    return email;
  };
  const pressAt = async (page: Page, email: string) => {
    await page.waitForURL(`${provider.url}/**`);
    await button(page, email).click();
  };
  const company = async (changes: Record<string, unknown> = {}) => {
    const owner = await seedPerson({ emailVerified: true, name: 'Grace' });
    const domain = newDomain();
    await expectStatus(api.put(settingsPath(owner), settingsOf(provider, domain, changes), owner.session), 200);
    await expectStatus(verifyDomain(api, owner, names, domain), 200);
    await expectStatus(api.post(`/projects/${owner.organization.id}`, { name: 'Shop' }, owner.session), 201);
    return { owner, domain, base: `/organizations/${owner.organization.slug}` };
  };
  const goToProvider = async (page: Page, email: string, to: string) => {
    await page.goto(to);
    await submit(page, { 'E-mail': email }, 'Continue');
    await link(page, /^Sign in with/).click();
  };
  const enter = async (page: Page, email: string, to: string) => {
    await goToProvider(page, email, to);
    await pressAt(page, email);
    await page.waitForURL(`${api.origin}${to}`);
  };
  const stepUpAt = async (page: Page, email: string) => {
    const question = dialog(page, 'Confirm it’s you');
    const [tab] = await Promise.all([page.context().waitForEvent('page'), link(question, 'Sign in again').click()]);
    await pressAt(tab, email);
    await question.waitFor({ state: 'detached' });
    return tab;
  };
  const sessionOf = async (page: Page) => {
    const cookie = (await page.context().cookies(api.origin)).find(({ name }) => name === '__service_session');
    return { cookie: `${cookie?.name}=${cookie?.value}` };
  };
  const personIn = async (page: Page): Promise<Person> => {
    const session = await sessionOf(page);
    const { user, organizations } = (await expectStatus(api.get('/auth/me', session), 200)).body;
    return { session, email: user.email, user, organization: organizations[0] };
  };

  it('is set up by an owner, whose test switches nothing on, and never shows its secret again', async () => {
    const owner = await seedPerson({ emailVerified: true });
    const domain = newDomain();
    const email = employ(domain);
    const page = await openAt(`/organizations/${owner.organization.slug}/settings`, owner);
    await press(page, 'Set up the provider', 'Copy the redirect URI');
    await button(page, 'Copied').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      `${api.origin}/v1/auth/provider/${owner.organization.slug}/callback`,
    );
    await expectFineLooks(page, 'sign-in-provider-new');
    await submit(
      page,
      {
        Issuer: provider.url,
        'Client id': provider.client.clientId,
        'Client secret': provider.client.clientSecret,
        'E-mail domains': `${domain}\nother.${domain}`,
        'People without an invitation': 'developer',
      },
      'Save',
    );
    await toast(page, 'Provider saved');
    await page.getByLabel('New client secret').waitFor();
    expect(await page.evaluate(() => [...document.querySelectorAll('input')].map(({ value }) => value))).not.toContain(
      provider.client.clientSecret,
    );

    // An address of a domain that is not verified yet fails the test.
    await link(page, 'Test the provider').click();
    await pressAt(page, email);
    await page.getByText('not in a domain that your organization has verified').waitFor();
    await expectFineLooks(page, 'log-in-refused-inside', { as: wideAndNarrow });
    await link(page, /^Continue as/).click();
    await button(page, `Verify ${domain}`).click();
    await page.getByRole('alert').getByText('TXT record').waitFor();
    const record = await page
      .getByRole('row', { name: new RegExp(`^${domain}`) })
      .locator('code')
      .textContent();
    names.set(domain, [[record ?? '']]);
    await button(page, `Verify ${domain}`).click();
    await toast(page, `${domain} verified`);
    await page.getByText('✓ verified').waitFor();
    await link(page, 'Test the provider').click();
    await page.getByText('The test passed').waitFor();
    expect(new URL(page.url()).hash).toBe('');
    await expectFineLooks(page, 'sign-in-provider');
    expect((await api.get('/auth/me', owner.session)).body.user.email).toBe(owner.email);
    const { members } = (await api.get(`/members/${owner.organization.id}`, owner.session)).body;
    expect(members).toHaveLength(1);

    await button(page, 'Remove the provider').click();
    await expectFineLooks(page, 'dialog-remove-provider', { as: wideAndNarrow, fullPage: false });
    await button(page, 'Remove').click();
    await toast(page, 'Provider removed');
    expect(await button(page, 'Require the provider').count()).toBe(0);
  });

  it('gives roles by group, and shows in the page what an id token would give', async () => {
    const { owner, base } = await company({ defaultRole: null });
    const page = await openAt(`${base}/settings`, owner);
    await press(page, 'Set up the provider', 'Add a rule');
    const rule = (number: number) => page.getByRole('group', { name: `Rule ${number}` });
    await rule(1).getByLabel('Value').fill('contractors');
    await rule(1).getByLabel('Role in the organization').selectOption('viewer');
    await rule(1).getByLabel('Limited to projects').check();
    await button(page, 'Add a rule').click();
    await rule(2).getByLabel('Value').fill('shop');
    await rule(2).getByLabel('Role in the organization').selectOption('');
    await rule(2).getByLabel('Project', { exact: true }).selectOption('shop');
    await rule(2).getByLabel('Role in the project').selectOption('admin');
    await page.getByLabel('Days that tokens last').fill('30');
    const requests: string[] = [];
    page.on('request', request => requests.push(`${request.url()} ${request.postData()}`));
    const tokenOf = (claims: object) =>
      `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.signature-of-the-token`;
    const paste = (text: string) => page.getByLabel('Try an id token').fill(text);
    await paste(tokenOf({ groups: ['shop', 'contractors'] }));
    await page.getByText('Somebody new becomes a viewer (only shop: admin).').waitFor();
    await expectFineLooks(page, 'sign-in-rules');
    await paste(tokenOf({ groups: ['else'] }));
    await page.getByText('and a membership that the provider made ends.').waitFor();
    await paste(tokenOf({ groups: ['shop'] }));
    await page.getByText('and a membership that the provider made keeps its role.').waitFor();
    await paste('not a token');
    await page.getByText('This is not a JSON Web Token').waitFor();
    expect(requests).toEqual([]);

    await button(page, 'Save the rules').click();
    await toast(page, 'Rules saved');
    expect(requests.join()).not.toContain('signature-of-the-token');
    const read = async () => (await api.get(settingsPath(owner), owner.session)).body.signIn;
    const stored = await read();
    expect(stored).toMatchObject({
      roleRules: [
        { claim: 'groups', value: 'contractors', role: 'viewer', limited: true },
        { claim: 'groups', value: 'shop', projectRole: 'admin' },
      ],
      recheckDays: 30,
    });
    // Saving something else keeps the rules.
    await page.getByLabel('People without an invitation').selectOption('viewer');
    await button(page, 'Save').click();
    await toast(page, 'Provider saved');
    expect(await read()).toMatchObject({ roleRules: stored.roleRules, recheckDays: 30, defaultRole: 'viewer' });
    await button(page, 'Remove rule 1').click();
    await button(page, 'Save the rules').click();
    await expect.poll(async () => (await read()).roleRules).toHaveLength(1);
  });

  it('lets a person in at the first sign-in, as a member with the default role, on the page that they asked for', async () => {
    const { owner, domain, base } = await company();
    const email = employ(domain);
    const page = await openAt(base);
    await submit(page, { 'E-mail': email }, 'Continue');
    await expectFineLooks(page, 'log-in-provider');
    await button(page, 'Use your password').click();
    expect(await page.locator('input[autocomplete=username]').inputValue()).toBe(email);
    await expectFineLooks(page, 'log-in-provider-password', { as: wideAndNarrow });
    await press(page, /^Sign in with/, 'Use another address');
    await submit(page, { 'E-mail': email }, 'Continue');
    await link(page, /^Sign in with/).click();
    await pressAt(page, email);
    await page.waitForURL(`${api.origin}${base}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    const { members } = (await api.get(`/members/${owner.organization.id}`, owner.session)).body;
    expect(members).toContainEqual(expect.objectContaining({ role: 'developer' }));
    expect(JSON.stringify(members)).toContain(email);

    const log = await openAt(`${base}/audit`, owner);
    await log.locator('.journal li', { hasText: 'member.joined' }).getByText('through the provider').waitFor();
  });

  it('is linked to an existing account once that account has logged in with its password', async () => {
    const { domain, base } = await company();
    const email = employ(domain);
    await expectStatus(api.post('/auth/register', { email, password: testPassword, name: 'Ada' }), 201);
    const page = await come();
    await goToProvider(page, email, base);
    await pressAt(page, email);
    await page.getByText('An account with your e-mail address already exists').waitFor();
    expect(new URL(page.url()).hash).toBe('');
    expect(await sessionOf(page)).toEqual({ cookie: 'undefined=undefined' });
    await expectFineLooks(page, 'log-in-link-required');
    await logIn(page, email);
    await page.waitForURL(`${api.origin}${base}`);
    await logOut(page);
    // The provider still knows the person, so nothing is asked there.
    await submit(page, { 'E-mail': email }, 'Continue');
    await link(page, /^Sign in with/).click();
    await button(page, 'You and your settings').waitFor();
    const person = await personIn(page);
    expect(person.email).toBe(email);

    // The session is limited to the company, until the account's own password opens the rest.
    await page.goto('/account');
    await page.getByRole('complementary', { name: 'This session' }).waitFor();
    await expectFineLooks(page, 'account-confined');
    await button(page, 'Confirm it’s you').click();
    const question = dialog(page, 'Confirm it’s you');
    await expectFineLooks(page, 'lift-confinement', { as: wideAndNarrow, fullPage: false });
    await confirmPassword(question);
    await button(page, 'Set up an app').waitFor();
    expect(await page.getByRole('complementary', { name: 'This session' }).count()).toBe(0);
    await ageSession(await personIn(page), 3600);
    await button(page, 'Set up an app').click();
    await confirmPassword(question);
    await page.locator('.qr-code').waitFor();
  });

  it('leaves the account’s own second factor to be asked for, and then leads where it was going', async () => {
    const { domain, base } = await company();
    const email = employ(domain);
    const registered = await expectStatus(api.post('/auth/register', { email, password: testPassword }), 201);
    const person: Person = { ...registered.body, email, session: cookieOf(registered) };
    const app = await addApp(api, person);
    const page = await come();
    const code = page.getByLabel('Code from your authenticator app');
    await goToProvider(page, email, base);
    await pressAt(page, email);
    await page.getByText('An account with your e-mail address already exists').waitFor();
    await logIn(page, email);
    await code.fill(app.code());
    await button(page, 'Continue').click();
    await page.waitForURL(`${api.origin}${base}`);
    await page.context().clearCookies({ name: '__service_session' });
    await forgetUsedCodes(person.user.id);
    await goToProvider(page, email, `${base}/members`);
    await page.getByText('Confirm your second factor').waitFor();
    await expectFineLooks(page, 'log-in-provider-factor', { as: wideAndNarrow });
    await code.fill(app.code());
    await button(page, 'Continue').click();
    await page.waitForURL(`${api.origin}${base}/members`);
    await page.getByRole('cell', { name: email }).first().waitFor();
  });

  it('can be required once an owner could still get in without it, and then shuts out passwords', async () => {
    const { owner, domain, base } = await company();
    const member = await seedPerson();
    await join(api, owner, member, 'developer');
    const page = await openAt(`${base}/settings/sign-in`, owner);
    await button(page, 'Require the provider').click();
    await expectFineLooks(page, 'dialog-require-provider', { as: wideAndNarrow, fullPage: false });
    await button(page, 'Require it').click();
    await dialog(page).getByRole('alert').waitFor();
    await expectFineLooks(page, 'dialog-require-provider-refused', { as: wideAndNarrow, fullPage: false });
    await page.keyboard.press('Escape');
    const app = await addApp(api, owner);
    await press(page, 'Require the provider', 'Require it');
    await toast(page, 'The provider is required from now on');

    const other = await openAt(base);
    await logIn(other, member.email);
    await other.getByRole('alert').getByText('requires its sign-in provider').waitFor();
    await expectFineLooks(other, 'provider-required');
    const email = employ(domain);
    await link(other, 'Sign in with the provider').click();
    await pressAt(other, email);
    await other.waitForURL(`${api.origin}${base}`);
    await link(other, 'shop').waitFor();

    const breakGlass = await openAt(base);
    await logIn(breakGlass, owner.email);
    await submit(breakGlass, { 'Code from your authenticator app': app.code() }, 'Continue');
    await link(breakGlass, 'shop').waitFor();
    const subjects = async () =>
      (await api.mails()).filter(({ to }) => to === owner.email).map(({ subject }) => subject);
    await expect.poll(subjects).toContain('A log-in without your company’s sign-in provider');
    await breakGlass.goto(`${base}/settings/sign-in`);
    await press(breakGlass, 'Stop requiring the provider', 'Stop requiring it');
    await toast(breakGlass, 'no longer required');
  });

  it('confirms who is signed in with max_age=0, in a tab of its own, and keeps staged changes', async () => {
    const { owner, domain, base } = await company();
    const email = employ(domain);
    const page = await come();
    await enter(page, email, base);
    const person = await personIn(page);
    const { members } = (await api.get(`/members/${owner.organization.id}`, owner.session)).body;
    const { id } = members.find((member: { email: string }) => member.email === email);
    const role = { role: 'admin' };
    await expectStatus(api.patch(`/members/${owner.organization.id}/${id}`, role, owner.session), 200);
    await page.goto(`${base}/projects/shop/environments/dev`);
    await stageValue(page, 'KEPT', 'under the question');
    await link(page, 'Settings').last().click();
    await ageSession(person, 3600);
    await press(page, 'Rotate the key', 'Rotate');
    await dialog(page, 'Confirm it’s you').waitFor();
    await expectFineLooks(page, 'dialog-step-up-provider', { as: wideAndNarrow, fullPage: false });
    const tab = await stepUpAt(page, email);
    await tab.getByRole('heading', { name: 'You are signed in' }).waitFor();
    await expectFineLooks(tab, 'signed-in-elsewhere');
    expect(provider.asked.at(-1)?.get('max_age')).toBe('0');
    await page.getByText(/Re-encrypted so far|Rotated from 1 to 2/).waitFor();
    await link(page, 'Development').first().click();
    await page.getByText('1 change staged').waitFor();
  });

  it('is not needed to confirm who is signed in if the account has a passkey', async () => {
    const { domain, base } = await company();
    const page = await come();
    const email = employ(domain);
    await withAuthenticator(page);
    await enter(page, email, base);
    // Only a credential of the account itself adds another one.
    await expectStatus(api.post('/auth/forgot-password', { email }), 200);
    const token = await mailedToken(api, email, 'Reset');
    await expectStatus(api.post('/auth/reset-password', { token, newPassword: testPassword }), 200);
    // The reset has ended the link, so the account logs in once to make it again.
    await goToProvider(page, email, base);
    await page.getByText('An account with your e-mail address already exists').waitFor();
    await logIn(page, email);
    await page.waitForURL(`${api.origin}${base}`);
    await page.context().clearCookies({ name: '__service_session' });
    await goToProvider(page, email, base);
    await page.waitForURL(`${api.origin}${base}`);
    await page.goto('/account');
    await button(page, 'Confirm it’s you').click();
    const question = dialog(page, 'Confirm it’s you');
    await confirmPassword(question);
    await button(page, 'Add a passkey').click();
    await page.getByLabel('Name', { exact: true }).last().fill('laptop');
    await press(page, 'Continue', 'I have them');
    await ageSession(await personIn(page), 3600);
    await press(page, 'Make new codes', 'Make ten new codes');
    await button(question, 'Use a passkey').click();
    await page.getByText('only shown once').waitFor();
  });

  it('continues over the page when the session ends, in a tab that closes itself', async () => {
    const { domain, base } = await company();
    const email = employ(domain);
    const page = await come();
    await enter(page, email, base);
    await page.goto(`${base}/projects/shop/environments/dev`);
    await stageValue(page, 'KEPT', 'over the log-in');
    await expectStatus(api.post('/auth/logout', undefined, await sessionOf(page)), 200);
    await button(page, 'Review').click();
    const again = dialog(page, 'Log in again');
    await again.getByText('opens in a new tab').waitFor();
    await expectFineLooks(page, 'log-in-again-provider', { as: wideAndNarrow, fullPage: false });
    const [tab] = await Promise.all([page.context().waitForEvent('page'), again.getByRole('link').click()]);
    await expect.poll(() => tab.isClosed()).toBe(true);
    await again.waitFor({ state: 'detached' });
    await page.getByText('1 key: 1 added').waitFor();
    await button(page, 'Apply as one revision').click();
    await page.getByText('Applied as revision 1').waitFor();
  });

  it('leads to the command line’s log-in with its request intact', async () => {
    const { domain } = await company();
    const email = employ(domain);
    const redirect = encodeURIComponent('http://127.0.0.1:4567/callback');
    const query = `code_challenge=${'a'.repeat(43)}&redirect_uri=${redirect}&state=a%2Fb%3D&name=laptop&access=write`;
    const page = await come();
    await enter(page, email, `/authorize-cli?${query}`);
    await page.getByRole('heading', { name: 'Log in the command line' }).waitFor();
    await page.getByText('127.0.0.1:4567').waitFor();
    expect(new URL(page.url()).search).toBe(`?${query}`);
  });
});
