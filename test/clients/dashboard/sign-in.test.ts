import jsqr from 'jsqr';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resetProcessMemory } from '#lib/core/process-memory.ts';
import { totpCode, totpStep } from '#lib/crypto/totp.ts';
import { type Person, seedPerson, testPassword } from '#test/support/people.ts';
import { expectStatus } from '#test/support/sample-requests.ts';
import { addApp, ageSession, forgetUsedCodes, fromBase32 } from '#test/support/second-factors.ts';
import {
  expectQuiet,
  logIn,
  settled,
  startBrowser,
  type Visit,
  visit,
  withAuthenticator,
  withoutBrowser,
} from './browser.ts';
import { wideAndNarrow, wrongsOf } from './looks.ts';
import { join, startDashboard } from './world.ts';

const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' });
/** The text of the page's QR code, read from its pixels as a camera would. */
async function readQrCode(page: Page): Promise<string | undefined> {
  const svg = await page.locator('.qr-code').evaluate(element => element.outerHTML);
  const size = Number(/viewBox="0 0 (\d+)/.exec(svg)?.[1]);
  const scale = 3;
  const pixels = new Uint8ClampedArray((size * scale) ** 2 * 4).fill(255);
  for (const [, x, y] of svg.matchAll(/M(\d+) (\d+)h1/g)) {
    for (let row = Number(y) * scale; row < (Number(y) + 1) * scale; row += 1) {
      const start = (row * size + Number(x)) * scale * 4;
      for (let offset = 0; offset < scale * 4; offset += 4) pixels.fill(0, start + offset, start + offset + 3);
    }
  }
  const decode = jsqr as unknown as (data: Uint8ClampedArray, width: number, height: number) => { data: string } | null;
  return decode(pixels, size * scale, size * scale)?.data;
}
const said = (page: Page, text: string | RegExp) => page.locator('.toast', { hasText: text }).waitFor();

describe.skipIf(withoutBrowser)('a second factor', () => {
  let browser: Browser;
  let api: Awaited<ReturnType<typeof startDashboard>>;
  let origin: string;
  beforeAll(async () => {
    [browser, api] = await Promise.all([startBrowser(), startDashboard()]);
    // A passkey belongs to a host name, so the test opens the dashboard under one.
    origin = api.origin.replace('127.0.0.1', 'localhost');
    process.env.DASHBOARD_ORIGIN = origin;
    resetProcessMemory('settings');
  });
  afterAll(async () => {
    await browser?.close();
    await api?.stop();
  });

  const come = (as?: Person): Promise<Visit> => visit(browser, origin, { as });
  const enter = async (page: Page, { email }: Person) => {
    await page.goto('/log-in');
    await logIn(page, email);
  };
  const isInside = (page: Page) => page.getByRole('heading', { level: 1, name: 'Ada' }).waitFor();

  it('by an authenticator app is set up, required, and replaced by a recovery code when the phone is lost', async () => {
    const person = await seedPerson();
    const seen = await come(person);
    const { page } = seen;
    await page.goto('/account');
    await button(page, 'Set up an app').click();
    await page.locator('.qr-code').waitFor();
    const secret = ((await page.locator('.enrol code').textContent()) ?? '').replaceAll(' ', '');
    expect(new URL((await readQrCode(page)) ?? '').searchParams.get('secret')).toBe(secret);
    const code = () => totpCode(fromBase32(secret), totpStep(Date.now()));
    const wrong = await wrongsOf(page, 'dialog-authenticator-app', { as: wideAndNarrow, fullPage: false });
    await page.getByLabel('Code shown in the app').fill('000000');
    await button(page, 'Confirm').click();
    await page.locator('.field .problem').waitFor();
    await page.getByLabel('Code shown in the app').fill(code());
    await button(page, 'Confirm').click();
    await page.getByText('only shown once').waitFor();
    const codes = await page.locator('.codes li').allTextContents();
    expect(codes).toHaveLength(10);
    Object.assign(wrong, await wrongsOf(page, 'dialog-recovery-codes', { as: wideAndNarrow, fullPage: false }));
    await button(page, 'I have them').click();
    await page.getByText('10 codes left').waitFor();
    Object.assign(wrong, await wrongsOf(page, 'account-with-factor'));
    const left = await page.content();
    for (const gone of [secret, ...codes]) expect(left).not.toContain(gone);

    const again = await come();
    await enter(again.page, person);
    const field = again.page.getByLabel('Code from your authenticator app');
    await field.fill('000000');
    await button(again.page, 'Continue').click();
    await again.page.getByText('The code or the passkey is wrong.').waitFor();
    Object.assign(wrong, await wrongsOf(again.page, 'log-in-factor'));
    await forgetUsedCodes(person.user.id);
    await field.fill(code());
    await button(again.page, 'Continue').click();
    await isInside(again.page);

    const lost = await come();
    await enter(lost.page, person);
    await button(lost.page, 'Use a recovery code').click();
    await lost.page.getByLabel('Recovery code').fill(codes[0] ?? '');
    await button(lost.page, 'Continue').click();
    await isInside(lost.page);
    await lost.page.goto('/account');
    await lost.page.getByText('9 codes left').waitFor();
    await button(lost.page, 'Make new codes').click();
    await button(lost.page, 'Make ten new codes').click();
    await lost.page.getByText('only shown once').waitFor();
    await button(lost.page, 'I have them').click();
    await button(lost.page, 'Remove the app').click();
    await button(lost.page, 'Remove').click();
    await said(lost.page, 'Authenticator app removed');
    expect(wrong).toEqual({});
    for (const one of [seen, again, lost]) {
      expectQuiet(one.heard);
      await one.close();
    }
  });

  it('by a passkey is added, works alone and after a password, and is removed', async () => {
    const person = await seedPerson();
    const seen = await come(person);
    const { page } = seen;
    await withAuthenticator(seen);
    await page.goto('/account');
    await button(page, 'Add a passkey').click();
    await page.getByLabel('Name', { exact: true }).last().fill('laptop');
    await button(page, 'Continue').click();
    await page.getByText('only shown once').waitFor();
    await button(page, 'I have them').click();
    await page.getByRole('cell', { name: 'laptop' }).first().waitFor();
    await button(page, 'Add a passkey').click();
    await page.getByLabel('Name', { exact: true }).last().fill('again');
    await button(page, 'Continue').click();
    await page.getByText('This device already has a passkey for your account.').waitFor();
    await page.keyboard.press('Escape');
    const logOut = async () => {
      await button(page, 'You and your settings').click();
      await button(page, 'Log out').click();
      await page.getByRole('heading', { name: 'Log in' }).waitFor();
    };
    await logOut();
    await page.goto('/log-in');
    await button(page, 'Use a passkey').click();
    await isInside(page);
    await logOut();
    await enter(page, person);
    await button(page, 'Use your passkey').click();
    await isInside(page);
    await page.goto('/account');
    await button(page, 'Remove the passkey laptop').click();
    await page.getByText('It is your last second factor').waitFor();
    await button(page, 'Remove').click();
    await said(page, 'Passkey laptop removed');
    await page.getByText('None yet. A passkey').waitFor();
    expectQuiet(seen.heard);
    await seen.close();
  });

  it('that was planted is removed with the link in its e-mail, once, by whoever has the mail', async () => {
    const person = await seedPerson({ emailVerified: true });
    await addApp(api, person);
    const mail = (await api.mails()).findLast(({ to, text }) => to === person.email && text.includes('/undo-factor#'));
    const link = /\S+\/undo-factor#token=\S+/.exec(mail?.text ?? '')?.[0] ?? '';
    const token = link.split('token=')[1] ?? '';
    const seen = await come();
    const { page } = seen;
    const sent: string[] = [];
    page.on('request', request => sent.push(`${request.url()} ${request.headers().referer ?? ''}`));
    await page.goto(link);
    await page.getByRole('heading', { name: 'Didn’t add this second factor?' }).waitFor();
    const wrong = await wrongsOf(page, 'undo-factor-link', { as: wideAndNarrow });
    // Opening the link changes nothing: mail scanners open links too.
    await expectStatus(api.get('/auth/me', person.session), 200);
    expect(page.url()).toBe(`${origin}/undo-factor`);
    await button(page, 'Remove it').click();
    await page.getByRole('heading', { name: 'Second factor removed' }).waitFor();
    Object.assign(wrong, await wrongsOf(page, 'undo-factor-done'));
    await expectStatus(api.get('/auth/me', person.session), 401);
    expect(sent.filter(line => line.includes(token))).toEqual([]);
    await page.getByRole('link', { name: 'choose a new one' }).click();
    await page.getByLabel('E-mail').waitFor();

    const again = await come();
    for (const used of [link, `${link}x`, link.replace(token, encodeURIComponent('<b>'))]) {
      await again.page.goto('/log-in');
      await again.page.goto(used);
      await button(again.page, 'Remove it').click();
      await again.page.getByText('A link works once, for 7 days.').waitFor();
      expect(await again.page.getByRole('alert').count()).toBe(1);
      expect(await button(again.page, 'Remove it').count()).toBe(0);
    }
    Object.assign(wrong, await wrongsOf(again.page, 'undo-factor-refused'));
    await again.page.goto('/log-in');
    await again.page.goto('/undo-factor');
    await again.page.getByRole('heading', { name: 'This link is incomplete' }).waitFor();
    // Without the factor, the password alone logs in.
    await enter(again.page, person);
    await isInside(again.page);
    expect(wrong).toEqual({});
    for (const one of [seen, again]) {
      expectQuiet(one.heard);
      await one.close();
    }
  });

  it('is requested over the page for sensitive actions, and keeps staged changes', async () => {
    const person = await seedPerson();
    await expectStatus(api.post(`/projects/${person.organization.id}`, { name: 'Shop' }, person.session), 201);
    const base = `/organizations/${person.organization.slug}/projects/shop`;
    const seen = await come(person);
    const { page } = seen;
    await page.goto(`${base}/environments/dev`);
    await button(page, 'Add secret').click();
    await page.getByLabel('Key', { exact: true }).fill('KEPT');
    await page.getByLabel('New value', { exact: true }).last().fill('under the question');
    await button(page, 'Stage').click();
    await page.getByRole('link', { name: 'Settings' }).click();
    const app = await addApp(api, person);
    await ageSession(person, 3600);
    const environments = async () => {
      const { body } = await api.get(`/projects/${person.organization.id}/shop`, person.session);
      return body.project?.environments.map(({ slug }: { slug: string }) => slug);
    };
    await button(page, 'Delete staging').click();
    await page.getByLabel('Type staging to confirm').fill('staging');
    await button(page, 'Delete for good').click();
    const question = page.getByRole('dialog', { name: 'Confirm it’s you' });
    await question.waitFor();
    await button(page, 'Cancel').last().click();
    await page.getByRole('alert').waitFor();
    expect(await environments()).toContain('staging');
    await button(page, 'Delete for good').click();
    await question.getByLabel('Password').fill('not my password');
    const wrong = await wrongsOf(page, 'dialog-step-up', { as: wideAndNarrow, fullPage: false });
    await question.getByRole('button', { name: 'Continue' }).click();
    await question.locator('.field .problem').waitFor();
    await question.getByLabel('Password').fill(testPassword);
    await question.getByRole('button', { name: 'Continue' }).click();
    await question.getByLabel('Code from your authenticator app').fill(app.code());
    await question.getByRole('button', { name: 'Continue' }).click();
    await said(page, 'staging deleted');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    await page.getByRole('link', { name: 'Development' }).first().click();
    await page.getByText('1 change staged').waitFor();
    expect(await page.content()).not.toContain('under the question');
    expect(wrong).toEqual({});
    expectQuiet(seen.heard);
    await seen.close();
  });

  it('can be required by an owner who has one, and a member without one is shown how to add it', async () => {
    const [owner, member] = await Promise.all([seedPerson(), seedPerson()]);
    await join(api, owner, member, 'developer');
    const settings = `/organizations/${owner.organization.slug}/settings`;
    const seen = await come(owner);
    const { page } = seen;
    await page.goto(settings);
    await page.getByText('Add a second factor to your own account first.').waitFor();
    await page.goto('/account');
    await button(page, 'Set up an app').click();
    const secret = ((await page.locator('.enrol code').textContent()) ?? '').replaceAll(' ', '');
    await page.getByLabel('Code shown in the app').fill(totpCode(fromBase32(secret), totpStep(Date.now())));
    await button(page, 'Confirm').click();
    await button(page, 'I have them').click();
    await forgetUsedCodes(owner.user.id);
    await page.goto(settings);
    await button(page, 'Require a second factor').click();
    await button(page, 'Require it').click();
    await said(page, 'A second factor is required');
    const other = await come(member);
    await other.page.goto(`/organizations/${owner.organization.slug}`);
    await settled(other.page);
    await other.page.getByText('requires a second factor').waitFor();
    await other.page.getByRole('link', { name: 'Add a second factor' }).click();
    await other.page.getByRole('heading', { name: 'Second factors' }).waitFor();
    expectQuiet(other.heard);
    for (const one of [seen, other]) await one.close();
  });
});
