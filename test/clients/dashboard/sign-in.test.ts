import jsqr from 'jsqr';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { totpCode, totpStep } from '#lib/crypto/totp.ts';
import { type Person, seedPerson } from '#test/support/people.ts';
import { expectStatus } from '#test/support/sample-requests.ts';
import { addApp, ageSession, forgetUsedCodes, fromBase32 } from '#test/support/second-factors.ts';
import {
  button,
  confirmPassword,
  dialog,
  link,
  logIn,
  logOut,
  press,
  settled,
  stageValue,
  submit,
  toast,
  withAuthenticator,
  withoutBrowser,
} from './browser.ts';
import { expectFineLooks, wideAndNarrow } from './looks.ts';
import { join, useDashboard } from './world.ts';

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

describe.skipIf(withoutBrowser)('a second factor', () => {
  const { api, come, openAt } = useDashboard();

  const enter = async (page: Page, { email }: Person) => {
    await page.goto('/log-in');
    await logIn(page, email);
  };
  const isInside = (page: Page) => page.getByRole('heading', { level: 1, name: 'Ada' }).waitFor();

  it('by an authenticator app is set up, required, and replaced by a recovery code when the phone is lost', async () => {
    const person = await seedPerson();
    const page = await openAt('/account', person);
    await button(page, 'Set up an app').click();
    await page.locator('.qr-code').waitFor();
    const secret = ((await page.locator('.enrol code').textContent()) ?? '').replaceAll(' ', '');
    expect(new URL((await readQrCode(page)) ?? '').searchParams.get('secret')).toBe(secret);
    const code = () => totpCode(fromBase32(secret), totpStep(Date.now()));
    await expectFineLooks(page, 'dialog-authenticator-app', { as: wideAndNarrow, fullPage: false });
    await submit(page, { 'Code shown in the app': '000000' }, 'Confirm');
    await page.locator('.field .problem').waitFor();
    await submit(page, { 'Code shown in the app': code() }, 'Confirm');
    await page.getByText('only shown once').waitFor();
    const codes = await page.locator('.codes li').allTextContents();
    expect(codes).toHaveLength(10);
    await expectFineLooks(page, 'dialog-recovery-codes', { as: wideAndNarrow, fullPage: false });
    await button(page, 'I have them').click();
    await page.getByText('10 codes left').waitFor();
    await expectFineLooks(page, 'account-with-factor');
    const left = await page.content();
    for (const gone of [secret, ...codes]) expect(left).not.toContain(gone);

    const again = await come();
    await enter(again, person);
    const field = again.getByLabel('Code from your authenticator app');
    await field.fill('000000');
    await button(again, 'Continue').click();
    await again.getByText('The code or the passkey is wrong.').waitFor();
    await expectFineLooks(again, 'log-in-factor');
    await forgetUsedCodes(person.user.id);
    await field.fill(code());
    await button(again, 'Continue').click();
    await isInside(again);

    const lost = await come();
    await enter(lost, person);
    await button(lost, 'Use a recovery code').click();
    await submit(lost, { 'Recovery code': codes[0] ?? '' }, 'Continue');
    await isInside(lost);
    await lost.goto('/account');
    await lost.getByText('9 codes left').waitFor();
    await press(lost, 'Make new codes', 'Make ten new codes');
    await lost.getByText('only shown once').waitFor();
    await press(lost, 'I have them', 'Remove the app', 'Remove');
    await toast(lost, 'Authenticator app removed');
  });

  it('by a passkey is added, works alone and after a password, and is removed', async () => {
    const person = await seedPerson();
    const page = await come(person);
    await withAuthenticator(page);
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
    await logOut(page);
    await page.goto('/log-in');
    await button(page, 'Use a passkey').click();
    await isInside(page);
    await logOut(page);
    await enter(page, person);
    await button(page, 'Use your passkey').click();
    await isInside(page);
    await page.goto('/account');
    await button(page, 'Remove the passkey laptop').click();
    await page.getByText('It is your last second factor').waitFor();
    await button(page, 'Remove').click();
    await toast(page, 'Passkey laptop removed');
    await page.getByText('None yet. A passkey').waitFor();
  });

  it('that was planted is removed with the link in its e-mail, once, by whoever has the mail', async () => {
    const person = await seedPerson({ emailVerified: true });
    await addApp(api, person);
    const mail = (await api.mails()).findLast(({ to, text }) => to === person.email && text.includes('/undo-factor#'));
    const address = /\S+\/undo-factor#token=\S+/.exec(mail?.text ?? '')?.[0] ?? '';
    const token = address.split('token=')[1] ?? '';
    const page = await come();
    const sent: string[] = [];
    page.on('request', request => sent.push(`${request.url()} ${request.headers().referer ?? ''}`));
    await page.goto(address);
    await page.getByRole('heading', { name: 'Didn’t add this second factor?' }).waitFor();
    await expectFineLooks(page, 'undo-factor-link', { as: wideAndNarrow });
    // Opening the link changes nothing: mail scanners open links too.
    await expectStatus(api.get('/auth/me', person.session), 200);
    expect(page.url()).toBe(`${api.origin}/undo-factor`);
    await button(page, 'Remove it').click();
    await page.getByRole('heading', { name: 'Second factor removed' }).waitFor();
    await expectFineLooks(page, 'undo-factor-done');
    await expectStatus(api.get('/auth/me', person.session), 401);
    expect(sent.filter(line => line.includes(token))).toEqual([]);
    await link(page, 'choose a new one').click();
    await page.getByLabel('E-mail').waitFor();

    const again = await come();
    for (const used of [address, `${address}x`, address.replace(token, encodeURIComponent('<b>'))]) {
      await again.goto('/log-in');
      await again.goto(used);
      await button(again, 'Remove it').click();
      await again.getByText('A link works once, for 7 days.').waitFor();
      expect(await again.getByRole('alert').count()).toBe(1);
      expect(await button(again, 'Remove it').count()).toBe(0);
    }
    await expectFineLooks(again, 'undo-factor-refused');
    await again.goto('/log-in');
    await again.goto('/undo-factor');
    await again.getByRole('heading', { name: 'This link is incomplete' }).waitFor();
    // Without the factor, the password alone logs in.
    await enter(again, person);
    await isInside(again);
  });

  it('is requested over the page for sensitive actions, and keeps staged changes', async () => {
    const person = await seedPerson();
    await expectStatus(api.post(`/projects/${person.organization.id}`, { name: 'Shop' }, person.session), 201);
    const base = `/organizations/${person.organization.slug}/projects/shop`;
    const page = await openAt(`${base}/environments/dev`, person);
    await stageValue(page, 'KEPT', 'under the question');
    await link(page, 'Settings').click();
    const app = await addApp(api, person);
    await ageSession(person, 3600);
    const environments = async () => {
      const { body } = await api.get(`/projects/${person.organization.id}/shop`, person.session);
      return body.project?.environments.map(({ slug }: { slug: string }) => slug);
    };
    await button(page, 'Delete staging').click();
    await submit(page, { 'Type staging to confirm': 'staging' }, 'Delete');
    const question = dialog(page, 'Confirm it’s you');
    await question.getByText('To delete an environment, please confirm your identity again.').waitFor();
    await button(page, 'Cancel').last().click();
    await question.waitFor({ state: 'detached' });
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(await environments()).toContain('staging');
    await button(page, 'Delete').click();
    await question.getByLabel('Password').fill('not my password');
    await expectFineLooks(page, 'dialog-step-up', { as: wideAndNarrow, fullPage: false });
    await button(question, 'Continue').click();
    await question.locator('.field .problem').waitFor();
    await confirmPassword(question);
    await submit(question, { 'Code from your authenticator app': app.code() }, 'Continue');
    await toast(page, 'staging deleted');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    await link(page, 'Development').first().click();
    await page.getByText('1 change staged').waitFor();
    expect(await page.content()).not.toContain('under the question');
  });

  it('is requested for a page too, and leads back if the user cancels', async () => {
    const owner = await seedPerson();
    const settings = `/organizations/${owner.organization.slug}/settings`;
    const page = await openAt(settings, owner);
    await ageSession(owner, 3600);
    const cancel = async () => {
      await dialog(page).getByText('Only a recently confirmed owner sees this page.').waitFor();
      await button(page, 'Cancel').click();
      await page.getByRole('heading', { name: 'Settings' }).waitFor();
    };
    await button(page, 'Set up the provider').click();
    await cancel();
    // Without a page to go back to, it leads to the one above.
    await page.goto(`${settings}/sign-in`);
    await cancel();
    expect(new URL(page.url()).pathname).toBe(settings);
  });

  it('can be required by an owner who has one, and a member without one is shown how to add it', async () => {
    const [owner, member] = await Promise.all([seedPerson(), seedPerson()]);
    await join(api, owner, member, 'developer');
    const settings = `/organizations/${owner.organization.slug}/settings`;
    const page = await openAt(settings, owner);
    await page.getByText('Add a second factor to your own account first.').waitFor();
    await page.goto('/account');
    await button(page, 'Set up an app').click();
    const secret = ((await page.locator('.enrol code').textContent()) ?? '').replaceAll(' ', '');
    await page.getByLabel('Code shown in the app').fill(totpCode(fromBase32(secret), totpStep(Date.now())));
    await press(page, 'Confirm', 'I have them');
    await forgetUsedCodes(owner.user.id);
    await page.goto(settings);
    await press(page, 'Require a second factor', 'Require it');
    await toast(page, 'A second factor is required');
    const other = await openAt(`/organizations/${owner.organization.slug}`, member);
    await settled(other);
    await other.getByText('requires a second factor').waitFor();
    await link(other, 'Add a second factor').click();
    await other.getByRole('heading', { name: 'Second factors' }).waitFor();
  });
});
