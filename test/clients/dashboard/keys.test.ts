import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { createProject } from '#test/support/api.ts';
import { seedPerson } from '#test/support/people.ts';
import {
  button,
  dialog,
  fill,
  keyboardOf,
  link,
  press,
  settled,
  stageValue,
  submit,
  withoutBrowser,
} from './browser.ts';
import { expectFineLooks, looks, wideAndNarrow } from './looks.ts';
import { join, useWorld, type World } from './world.ts';

const { world, come, openAt } = useWorld();
const as = (who: keyof World['people']) => world.people[who];
const base = () => `/organizations/${world.organization.slug}`;
const inProject = () => `${base()}/projects/${world.project.slug}`;
const template = () => `/templates/${world.organization.slug}/${world.project.slug}`;
const inDays = (days: number) => new Date(Date.now() + days * 24 * 60 * 60 * 1000).toISOString();
const environmentId = async (slug: string): Promise<string> => {
  const { project } = await world.owner('GET', `/projects/${world.organization.id}/${world.project.slug}`);
  return project.environments.find((environment: { slug: string }) => environment.slug === slug).id;
};
const described = async (key: string) => {
  const { keys } = await world.owner('GET', template());
  return keys.find((one: { key: string }) => one.key === key);
};
const shownKeys = (page: Page) => page.locator('tr[data-index] .key').allTextContents();
/** How much of a text is cut off, in pixels. A fraction of one is enough to cut it off. */
const hiddenWidth = (text: Locator) =>
  text.evaluate(element => {
    const range = document.createRange();
    range.selectNodeContents(element);
    return range.getBoundingClientRect().width - element.getBoundingClientRect().width;
  });
const review = async (page: Page) => {
  await button(page, 'Review').click();
  return dialog(page, 'Review');
};
/** A reference to a key. */
const to = (key: string) => `\${${key}}`;
const url = `postgres://shop:${to('DATABASE_PASSWORD')}@db.internal/shop`;

describe.skipIf(withoutBrowser)('what a key is', () => {
  const renewUrl = 'https://dashboard.example.com/keys';

  it('is said in the panel of the key, beside its history, and sent as far as it was edited', async () => {
    const page = await openAt(world.screen('dev'), as('owner'));
    await button(page, 'PAYMENT_API_KEY').click();
    const panel = dialog(page, /^PAYMENT_API_KEY/);
    await panel.getByText('Nobody has said what it is for').waitFor();
    await panel.getByRole('heading', { name: 'History' }).waitFor();
    await button(panel, 'Describe it').click();
    const form = dialog(page, 'About PAYMENT_API_KEY');
    await form.getByRole('option', { name: 'Grace Hopper' }).waitFor({ state: 'attached' });
    await fill(form, {
      'What is it for? (optional)': 'Charges cards.',
      Owner: as('admin').user.id,
      'Renew at (optional)': renewUrl,
      'Maximum age in days (optional)': '20',
      'Tags (optional)': 'payments, Stripe',
      'Note (optional)': 'Ask the payments team.\nThen renew it.',
    });
    await form.getByText('Expiry dates of the current values').click();
    await form.getByLabel('production', { exact: true }).fill('2031-01-31');
    await button(form, 'Save').click();
    await form.locator('.problem').first().waitFor();
    await expectFineLooks(page, 'describe-problem', { as: wideAndNarrow, fullPage: false });
    await submit(form, { 'Tags (optional)': 'payments stripe' }, 'Save');
    await form.waitFor({ state: 'detached' });
    const production = await environmentId('production');
    const expiresAt = { [production]: new Date('2031-01-31T00:00').toISOString() };
    const facts = { description: 'Charges cards.', owner: as('admin').user.id, renewUrl, maxAgeDays: 20, expiresAt };
    const words = { tags: ['payments', 'stripe'], note: 'Ask the payments team.\nThen renew it.' };
    expect(await described('PAYMENT_API_KEY')).toMatchObject({ ...facts, ...words, required: false });

    // Somebody else changes another field meanwhile, and it stays.
    await button(panel, 'Change the description').click();
    await world.owner('PATCH', `${template()}/PAYMENT_API_KEY`, { maxAgeDays: 25 });
    await submit(form, { Owner: '' }, 'Save');
    await form.waitFor({ state: 'detached' });
    expect(await described('PAYMENT_API_KEY')).toMatchObject({ ...words, maxAgeDays: 25, expiresAt });
    expect(await described('PAYMENT_API_KEY')).not.toHaveProperty('owner');
    await panel.getByText('nobody', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('tr', { hasText: 'PAYMENT_API_KEY' }).getByText('due in 25 days').waitFor();
  });

  it('takes one click from the table: who owns the key, when it is due and where it is renewed', async () => {
    await world.owner('PATCH', `${template()}/PAYMENT_API_KEY`, { owner: as('owner').user.id });
    for (const who of ['owner', 'admin', 'viewer'] as const) {
      const page = await openAt(world.screen('dev'), as(who));
      await button(page, 'PAYMENT_API_KEY').click();
      const panel = dialog(page, /^PAYMENT_API_KEY/);
      const facts = panel.locator('.facts');
      await facts.getByText(who === 'owner' ? 'you' : 'Ada Lovelace', { exact: true }).waitFor();
      await facts.getByText('due in 25 days').waitFor();
      const renewed = link(facts, /^https:/);
      expect(await renewed.getAttribute('href')).toBe(renewUrl);
      expect(await renewed.getAttribute('rel')).toBe('noopener noreferrer');
      for (const [width, height] of [
        [1280, 720],
        [360, 640],
      ] as const) {
        await page.setViewportSize({ width, height });
        expect(await renewed.evaluate(element => element.getBoundingClientRect().bottom)).toBeLessThan(height);
      }
      await expectFineLooks(page, `panel-described-${who}`, {
        as: who === 'owner' ? looks : wideAndNarrow,
        fullPage: false,
      });
      if (who === 'viewer') {
        await panel.getByText('Only owners and admins can do this.').waitFor();
        await button(panel, 'Change the description').click({ force: true });
        expect(await dialog(page).count()).toBe(1);
      }
    }
  });

  it('is found by tag, owner and due date, with the keyboard alone', async () => {
    const facts = { required: false, tags: ['payments', 'rotated-by-hand'], owner: as('admin').user.id };
    const expiresAt = { [await environmentId('dev')]: inDays(-3) };
    await world.owner('POST', template(), { key: 'PAYMENT_WEBHOOK_SECRET', ...facts, expiresAt });
    const page = await openAt(world.screen('dev'), as('owner'));
    const { keyboard, focused, tabTo, pressOn } = keyboardOf(page);
    await page.locator('tr', { hasText: 'PAYMENT_WEBHOOK_SECRET' }).getByText('was due 3 days ago').waitFor();
    await expectFineLooks(page, 'keys-described');
    const overdue = page.locator('tr .key', { hasText: 'PAYMENT_WEBHOOK_SECRET' });
    for (const width of [360, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      // Browsers lay out in 64ths of a pixel, so a sum may be off by one.
      expect(await hiddenWidth(overdue)).toBeLessThanOrEqual(1 / 64);
    }
    await keyboard.press('/');
    const search = async (text: string) => {
      await keyboard.press('Control+a');
      await keyboard.press('Delete');
      await keyboard.type(text);
    };
    for (const [text, keys] of [
      ['tag:payments', ['PAYMENT_API_KEY', 'PAYMENT_WEBHOOK_SECRET']],
      ['tag:payments owner:me due:30d', ['PAYMENT_API_KEY']],
      ['due:overdue', ['PAYMENT_WEBHOOK_SECRET']],
      ['owner:grace', ['PAYMENT_WEBHOOK_SECRET']],
      ['owner:nobody level', ['LOG_LEVEL']],
    ] as const) {
      await search(text);
      await page.getByText(`${keys.length} of 8 keys`).waitFor();
      expect(await shownKeys(page)).toEqual(keys);
    }
    await search('due:soon');
    await page.getByText('due: takes a number of days, such as due:30d, or due:overdue.').waitFor();
    await expectFineLooks(page, 'keys-filter-problem', { as: wideAndNarrow });
    await search('tag:payments owner:me due:30d');
    await page.getByText('1 of 8 keys').waitFor();
    const field = page.getByLabel('Filter');
    expect(await field.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
    await expectFineLooks(page, 'keys-filtered');
    await tabTo(/^TR PAYMENT_API_KEY/);
    await keyboard.press('Enter');
    await dialog(page, /^PAYMENT_API_KEY/)
      .locator('.facts')
      .waitFor();
    await tabTo(/^A you/);
    await tabTo(/^A https:.*opens in a new tab/);
    await pressOn(/^BUTTON Change the description/);
    await tabTo(/^INPUT Tags/);
    await keyboard.type('payments stripe cards');
    await keyboard.press('Enter');
    await dialog(page, 'About PAYMENT_API_KEY').waitFor({ state: 'detached' });
    await dialog(page).getByText('payments, stripe, cards').waitFor();
    await expect.poll(focused).toBe('BUTTON Change the description');
    await keyboard.press('Escape');
    await expect.poll(focused).toMatch(/^TR PAYMENT_API_KEY/);

    await page.goto(inProject());
    await settled(page);
    await page.getByLabel('Filter').fill('tag:stripe due:30d');
    await page.getByText('1 key', { exact: true }).waitFor();
    await expectFineLooks(page, 'project-filtered', { as: wideAndNarrow });
    await page.getByLabel('Filter').fill('tag:nothing');
    await page.getByText('No key fits “tag:nothing”.').waitFor();
  });

  it('is shown in the template, with what was hidden while nothing was said', async () => {
    const page = await openAt(`${inProject()}/template`, as('owner'));
    const row = page.getByRole('row', { name: /^PAYMENT_API_KEY/ });
    await row.getByText('after 25 days, at a date in production').waitFor();
    await row.getByRole('link', { name: 'you' }).waitFor();
    await expectFineLooks(page, 'template-described');
  });
});

describe.skipIf(withoutBrowser)('what is due', () => {
  const panelOf = (page: Page) => page.locator('.due-panel');

  it('is a panel of the project and of the organization, and a value that was renewed leaves it', async () => {
    const stagingExpiry = { [await environmentId('dev')]: inDays(-3), [await environmentId('staging')]: inDays(4) };
    await world.owner('PATCH', `${template()}/PAYMENT_WEBHOOK_SECRET`, { expiresAt: stagingExpiry });
    const { slug } = await createProject(world.api, as('owner'), 'Mobile app');
    const page = await openAt(`${base()}/projects/${slug}`, as('owner'));
    await page.getByText('No value has to be renewed within 30 days.').waitFor();
    await expectFineLooks(page, 'due-nothing', { as: wideAndNarrow });
    const { slug: orgSlug } = world.organization;
    await world.owner('POST', `/templates/${orgSlug}/${slug}`, { key: 'PUSH_KEY', required: false, maxAgeDays: 20 });
    await world.owner('PUT', `/secrets/${orgSlug}/${slug}/dev`, { key: 'PUSH_KEY', value: 'example' });

    await page.goto(base());
    await panelOf(page).getByText('1 overdue, 5 due within 30 days').waitFor();
    const rows = () =>
      panelOf(page)
        .getByRole('row')
        .filter({ hasNot: page.getByRole('columnheader') });
    expect(await rows().count()).toBe(5);
    expect((await rows().first().textContent()) ?? '').toMatch(/PAYMENT_WEBHOOK_SECRET.*dev.*was due 3 days ago/);
    await rows().filter({ hasText: 'PUSH_KEY' }).getByText('mobile-app / dev').waitFor();
    await expectFineLooks(page, 'due-organization');
    await button(panelOf(page), 'Show all 6').click();
    await expect.poll(() => rows().count()).toBe(6);
    await panelOf(page).getByLabel('Whose').selectOption('mine');
    await expect.poll(() => rows().count()).toBe(3);
    await panelOf(page).getByText('3 due within 30 days', { exact: true }).waitFor();
    const renew = link(panelOf(page), /renew PAYMENT_API_KEY/).first();
    expect(await renew.getAttribute('href')).toBe('https://dashboard.example.com/keys');

    await page.goto(inProject());
    await panelOf(page).getByText('1 overdue, 4 due within 30 days').waitFor();
    await settled(page);
    await expectFineLooks(page, 'due-project');
    await world.owner('PATCH', `${template()}/PAYMENT_WEBHOOK_SECRET`, { expiresAt: null });
    await page.reload();
    await panelOf(page).getByText('3 due within 30 days', { exact: true }).waitFor();
    await link(panelOf(page), 'PAYMENT_API_KEY').first().click();
    await page.waitForURL(/\?key=PAYMENT_API_KEY$/);
    await page.waitForFunction(() => document.activeElement?.textContent?.includes('PAYMENT_API_KEY') === true);
  });

  it('is only what exists for the user, who is led to what they may do there', async () => {
    const expiresAt = { [await environmentId('production')]: inDays(2) };
    await world.owner('PATCH', `${template()}/PAYMENT_API_KEY`, { expiresAt });
    const page = await openAt(inProject(), as('developer'));
    const inProduction = panelOf(page).getByRole('row', { name: /production/ });
    await link(inProduction, 'PAYMENT_API_KEY').click();
    // A developer may write production, but not read it.
    await page.getByText('You can write to production, but not read it.').waitFor();
    const panel = dialog(page, /^PAYMENT_API_KEY/);
    await panel.getByLabel('New value', { exact: true }).waitFor();
    await panel.getByText('Ada Lovelace').waitFor();
    await panel.getByText('when it expires or 25 days after it is set').waitFor();
    await expectFineLooks(page, 'due-write-only', { as: wideAndNarrow, fullPage: false });

    const guest = await seedPerson({ name: 'Guest' });
    await join(world.api, as('owner'), guest, 'developer');
    const { members } = await world.owner('GET', `/members/${world.organization.id}`);
    const { id } = members.find(({ userId }: { userId: string }) => userId === guest.user.id);
    await world.owner('PUT', `/members/${world.organization.id}/${id}/projects`, { limited: true, projectRoles: [] });
    const blind = await openAt(base(), guest);
    await blind.getByRole('heading', { level: 1 }).waitFor();
    await settled(blind);
    expect(await blind.content()).not.toContain('PAYMENT_API_KEY');
    const { id: projectId } = world.project;
    const projectRoles = [{ projectId, role: 'viewer' }];
    await world.owner('PUT', `/members/${world.organization.id}/${id}/projects`, { limited: true, projectRoles });
    await blind.reload();
    // Whoever is limited to projects can't see who the other members are.
    await panelOf(blind).getByText('another member').first().waitFor();
  });
});

describe.skipIf(withoutBrowser)('a value that names other keys', () => {
  it('is declared with a switch that no text turns on, and shown as it was set and as programs get it', async () => {
    await world.owner('PUT', world.path('dev'), { key: 'DATABASE_PASSWORD', value: 'correct-horse' });
    const page = await openAt(world.screen('dev'), as('owner'));
    await button(page, 'Add secret').click();
    const form = dialog(page, 'Add a secret');
    const names = form.getByRole('checkbox', { name: /^Name other keys/ });
    await form.getByLabel('Key', { exact: true }).fill('PLAIN');
    await form.getByLabel('New value', { exact: true }).fill(url);
    expect(await names.isChecked()).toBe(false);
    await form.getByText(`${to('DATABASE_PASSWORD')} stays as it is typed.`).waitFor();
    await button(form, 'Stage and add another').click();
    await form.getByLabel('Key', { exact: true }).fill('REPLICA_URL');
    await form.getByLabel('New value', { exact: true }).fill(`${url}?as=${to('NO_SUCH_USER')}`);
    await names.check();
    await form.getByText(`Not in this environment: ${to('NO_SUCH_USER')}.`).waitFor();
    await expectFineLooks(page, 'references-missing', { as: wideAndNarrow, fullPage: false });
    await button(form, 'Stage').click();
    const sheet = await review(page);
    await sheet.getByText('Set or promote NO_SUCH_USER in the same change').waitFor();
    await expectFineLooks(page, 'references-not-found', { as: wideAndNarrow, fullPage: false });
    await page.keyboard.press('Escape');
    await button(page, 'New value for REPLICA_URL').click();
    const panel = dialog(page, /^REPLICA_URL/);
    await panel.getByLabel('New value', { exact: true }).fill(url);
    await panel.getByText(`Names ${to('DATABASE_PASSWORD')}.`).waitFor();
    await button(panel, 'Stage').click();
    const sent = page.waitForRequest(request => request.url().endsWith('/changes') && request.method() === 'POST');
    await review(page);
    await sheet.getByText('2 keys: 2 added').waitFor();
    await button(sheet, 'Apply as one revision').click();
    expect((await sent).postDataJSON().set).toEqual([
      { key: 'PLAIN', value: url },
      { key: 'REPLICA_URL', value: url, expand: true },
    ]);
    await sheet.waitFor({ state: 'detached' });

    await page.locator('tr', { hasText: 'REPLICA_URL' }).getByText('names other keys').waitFor();
    expect(await page.getByText('names other keys').count()).toBe(1);
    await button(page, 'Reveal REPLICA_URL').click();
    await panel.getByText('What programs get').waitFor();
    expect(await panel.locator('pre.value').allTextContents()).toEqual([
      'postgres://shop:correct-horse@db.internal/shop',
      url,
    ]);
    await panel.getByText('Names other keys. The history keeps it as it was set.').waitFor();
    await expectFineLooks(page, 'references-shown', { as: looks, fullPage: false });
  });

  it('is edited as it was set, and stays what it is', async () => {
    const page = await openAt(world.screen('dev'), as('admin'));
    await button(page, 'REPLICA_URL').click();
    const panel = dialog(page, /^REPLICA_URL/);
    await button(panel, 'Edit the value').click();
    const field = panel.getByLabel('New value', { exact: true });
    expect(await field.inputValue()).toBe(url);
    expect(await panel.getByRole('checkbox', { name: /^Name other keys/ }).isChecked()).toBe(true);
    await field.fill(`${url}?ssl=1`);
    await button(panel, 'Stage').click();
    const sheet = await review(page);
    await sheet.getByText('1 key: 1 changed').waitFor();
    await button(sheet, 'Show the values of REPLICA_URL').click();
    await sheet.locator('.values del').waitFor();
    expect(await sheet.locator('.values > *').allTextContents()).toEqual([url, `${url}?ssl=1`]);
    await button(sheet, 'Apply as one revision').click();
    await sheet.waitFor({ state: 'detached' });
    const { secrets } = await world.owner('GET', `${world.path('dev')}?raw=true&keys=REPLICA_URL`);
    expect(secrets).toMatchObject([{ value: `${url}?ssl=1`, expand: true }]);
  });

  it('keeps what it names: a deletion and a circle are explained, with what to do', async () => {
    const page = await openAt(world.screen('dev'), as('owner'));
    await button(page, 'Delete DATABASE_PASSWORD').click();
    const sheet = await review(page);
    await sheet.getByText('Keep DATABASE_PASSWORD, or delete or change REPLICA_URL in the same change.').waitFor();
    await expectFineLooks(page, 'references-deletion', { as: wideAndNarrow, fullPage: false });
    expect(await button(sheet, 'Apply as one revision').getAttribute('aria-disabled')).toBe('true');
    await button(sheet, 'Undo the change to DATABASE_PASSWORD').click();
    await sheet.waitFor({ state: 'detached' });

    await button(page, 'New value for DATABASE_PASSWORD').click();
    const panel = dialog(page, /^DATABASE_PASSWORD/);
    await panel.getByLabel('New value', { exact: true }).fill(to('REPLICA_URL'));
    await panel.getByRole('checkbox', { name: /^Name other keys/ }).check();
    await button(panel, 'Stage').click();
    await review(page);
    await sheet.getByText(/REPLICA_URL → DATABASE_PASSWORD/).waitFor();
    await sheet.getByText('Give one of these keys a value that names none of the others.').waitFor();
    await expectFineLooks(page, 'references-cycle', { as: wideAndNarrow, fullPage: false });
    await press(sheet, 'Undo the change to DATABASE_PASSWORD');
    await sheet.waitFor({ state: 'detached' });
    // Both in one change are fine.
    await press(page, 'Delete DATABASE_PASSWORD');
    await stageValue(page, 'REPLICA_URL', 'postgres://replica');
    await review(page);
    await sheet.getByText('2 keys: 1 changed, 1 deleted').waitFor();
    await sheet.locator('.apply button:not([aria-disabled])').waitFor();
  });

  it('is not made plain by a pasted file without a word', async () => {
    const page = await openAt(world.screen('dev'), as('owner'));
    await button(page, 'Paste .env').click();
    const pasting = dialog(page, 'Paste a .env');
    await pasting.getByLabel('KEY=value lines').fill('REPLICA_URL=postgres://replica\n');
    await button(pasting, 'Stage 1 key').click();
    const sheet = await review(page);
    await sheet.getByText('becomes plain text; it names other keys now').waitFor();
    await expectFineLooks(page, 'references-plain', { as: wideAndNarrow, fullPage: false });
  });

  it('is proposed as such, and a promotion says what its target lacks', async () => {
    const page = await openAt(`${inProject()}/promote`, as('owner'));
    await page.getByLabel('From', { exact: true }).selectOption('dev');
    await page.getByLabel('To', { exact: true }).selectOption('staging');
    await page.getByRole('checkbox', { name: 'Promote DATABASE_PASSWORD' }).uncheck();
    await button(page, /^Promote \d+ keys$/).click();
    await page.getByText('Set or promote DATABASE_PASSWORD in the same change').waitFor();
    const proposed = await world.owner('POST', `${world.path('dev')}/proposals`, {
      set: [{ key: 'PROPOSED_URL', value: url, expand: true }],
    });
    await page.goto(`${world.screen('dev')}/proposals/${proposed.proposal.id}`);
    await page.locator('.proof li', { hasText: 'PROPOSED_URL' }).getByText('names other keys').waitFor();
    await expectFineLooks(page, 'references-proposal', { as: wideAndNarrow });
  });
});

describe.skipIf(withoutBrowser)('a webhook', () => {
  it('sends what its receiver takes: Holdfast’s own body, or a sentence for Slack', async () => {
    const page = await come(as('owner'));
    await page.goto(`${base()}/webhooks`);
    await button(page, 'New webhook').click();
    const form = dialog(page, 'New webhook');
    expect(await form.getByLabel('Format').inputValue()).toBe('standard');
    await fill(form, { Address: 'http://127.0.0.1:9/slack', Format: 'slack' });
    await expectFineLooks(page, 'webhook-format', { as: wideAndNarrow, fullPage: false });
    await button(form, 'Create webhook').click();
    await button(dialog(page, 'Webhook created'), 'I have it').click();
    const formatsOf = async () => {
      const { webhooks } = await world.owner('GET', `/webhooks/${world.organization.id}`);
      return webhooks.map(
        ({ url: address = '', format }: Record<string, string>) => `${new URL(address).pathname} ${format}`,
      );
    };
    expect((await formatsOf()).toSorted()).toEqual(['/hook standard', '/slack slack']);
    await page.getByRole('row', { name: /slack/ }).getByText('Slack', { exact: true }).waitFor();
    await link(page, /slack$/).click();
    await page.getByLabel('Format').selectOption('standard');
    await button(page, 'Save').click();
    await page.getByText('Webhook saved.').waitFor();
    expect((await formatsOf()).toSorted()).toEqual(['/hook standard', '/slack standard']);
  });
});
