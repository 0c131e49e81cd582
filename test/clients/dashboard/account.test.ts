import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { seedPerson, testPassword } from '#test/support/people.ts';
import { expectStatus } from '#test/support/sample-requests.ts';
import { button, dialog, link, submit, toast, withoutBrowser } from './browser.ts';
import { expectFineLooks, wideAndNarrow } from './looks.ts';
import { useDashboard } from './world.ts';

describe.skipIf(withoutBrowser)('the account page', () => {
  const { api, come, openAt } = useDashboard();

  const linkIn = (to: string, page: string) =>
    eventually(async () => {
      const mail = (await api.mails()).findLast(one => one.to === to && one.text.includes(`/${page}#`));
      return /\S+#token=\S+/.exec(mail?.text ?? '')?.[0] ?? expect.fail('There is no mail yet.');
    });

  it('changes the address with a link in an e-mail, and the earlier address undoes it', async () => {
    const person = await seedPerson({ emailVerified: true });
    const email = `${randomUUID()}@example.com`;
    const page = await openAt('/account', person);
    await button(page, 'Change e-mail…').click();
    await expectFineLooks(page, 'dialog-change-email', { as: wideAndNarrow, fullPage: false });
    await submit(page, { 'New e-mail address': email }, 'Send the link');
    await toast(page, 'A link is on its way');

    await page.goto(await linkIn(email, 'change-email'));
    await page.getByRole('heading', { name: 'Use this e-mail address?' }).waitFor();
    await expectFineLooks(page, 'change-email-link', { as: wideAndNarrow });
    await button(page, 'Use this address').click();
    await page.getByRole('heading', { name: 'E-mail address changed' }).waitFor();
    await page.goto('/account');
    await page.getByRole('main').getByText(email).waitFor();

    const other = await come();
    await other.goto(await linkIn(person.email, 'undo-email'));
    await expectFineLooks(other, 'undo-email-link', { as: wideAndNarrow });
    await button(other, 'Keep my address').click();
    await other.getByRole('heading', { name: 'You kept your address' }).waitFor();
    await expectFineLooks(other, 'undo-email-done');
    await link(other, 'choose a new one').waitFor();
    await expectStatus(api.get('/auth/me', person.session), 401);
  });

  it('closes the account, but not while an organization would have no owner', async () => {
    const person = await seedPerson();
    const page = await openAt('/account', person);
    await button(page, 'Close account…').click();
    await submit(dialog(page), { Password: testPassword }, 'Close account');
    await link(dialog(page), "Ada's organization").waitFor();
    await expectFineLooks(page, 'dialog-close-account-last-owner', { as: wideAndNarrow, fullPage: false });

    await expectStatus(api.delete(`/orgs/${person.organization.id}`, person.session), 200, 202);
    await submit(dialog(page), { Password: testPassword }, 'Close account');

    await button(page, 'Continue').waitFor();
    await expectStatus(api.get('/auth/me', person.session), 401);
  });
});
