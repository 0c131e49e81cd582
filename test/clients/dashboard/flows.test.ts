import { randomBytes, randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { shared } from '#test/support/fixtures.ts';
import { gate } from '#test/support/gate.ts';
import { seedPerson, testPassword } from '#test/support/people.ts';
import { buildCli, type StartedCli } from '../cli/cli.ts';
import {
  button,
  dialog,
  expectQuiet,
  fill,
  keepScreenshot,
  keyboardOf,
  link,
  logIn,
  press,
  settled,
  stageValue,
  submit,
  visit,
  withoutBrowser,
} from './browser.ts';
import { expectFineLooks, wideAndNarrow } from './looks.ts';
import { useWorld, type World } from './world.ts';

const { world, browser, come: open, openAt: openPageAt, usePage } = useWorld();
const come = (as?: keyof World['people']): Promise<Page> => open(as && world.people[as]);
const openAt = (address: string, as?: keyof World['people']) => openPageAt(address, as && world.people[as]);

async function apply(page: Page, production?: string): Promise<void> {
  if (production !== undefined) await page.getByLabel(`Type ${production} to change production`).fill(production);
  await button(page, 'Apply as one revision').click();
  await dialog(page).waitFor({ state: 'detached' });
}

async function currentValue(environment: string, key: string): Promise<string | undefined> {
  const { secrets } = await world.owner('GET', world.path(environment));
  return secrets.find((secret: { key: string }) => secret.key === key)?.value;
}

describe.skipIf(withoutBrowser)('a new user', () => {
  const page = usePage();
  const email = `${randomUUID()}@example.com`;
  let project: string;

  it('registers, creates a project and pastes a .env, whose invalid lines are shown until fixed', async () => {
    await page.goto('/register');
    await submit(
      page,
      { 'E-mail': email, Password: testPassword, 'Your name (optional)': 'Ada', 'Organization (optional)': 'Engines' },
      'Create account',
    );
    await page.getByRole('heading', { name: 'Engines' }).waitFor();
    await button(page, 'New project').click();
    await submit(page, { Name: 'Web shop' }, 'Create project');
    await page.getByRole('heading', { name: 'Web shop' }).waitFor();
    project = new URL(page.url()).pathname;
    await page.goto(`${project}/environments/dev`);
    await button(page, 'Paste .env').click();
    const lines = Array.from({ length: 40 }, (_, index) => `KEY_${String(index).padStart(2, '0')}=value ${index}`);
    const broken = lines.with(4, 'KEY_04 value').with(17, "KEY_17='open").with(39, 'KEY_00=again');
    await page.getByLabel('KEY=value lines').fill(broken.join('\n'));
    await page.getByText('3 lines can’t be read').waitFor();
    const problems = await page.locator('.line-problems li').allTextContents();
    expect(problems.map(text => /line \d+/.exec(text)?.[0])).toEqual(['line 5', 'line 18', 'line 40']);
    await keepScreenshot(page, 'paste-problems');
    await page.getByLabel('KEY=value lines').fill(lines.join('\n'));
    await press(page, 'Stage 40 keys', 'Review');
    await page.getByText('40 keys: 40 added').waitFor();
    await keepScreenshot(page, 'review');
    await apply(page);
    await page.getByText('40 keys').waitFor();
    expect(await page.locator('tr[data-index]').count()).toBe(40);
  });

  it('pastes KEY=value into the key’s field, and a value whose CRLF and invisible characters stay and are named', async () => {
    const paste = (label: string, text: string) =>
      page
        .getByLabel(label, { exact: true })
        .last()
        .evaluate((field, clipboard) => {
          const clipboardData = new DataTransfer();
          clipboardData.setData('text/plain', clipboard);
          return field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
        }, text);
    await page.goto(`${project}/environments/dev`);
    await button(page, 'Add secret').click();
    await page.getByLabel('Key', { exact: true }).fill('CERT ');
    await page.getByText('The key has a space at its start or end').waitFor();
    await paste('Key', 'A=1\nB=2\n');
    await page.getByText('A key has one line.').waitFor();
    await paste('Key', 'export CERT="cut"\n');
    await page.getByText('3 characters').waitFor();
    expect(await page.getByLabel('Key', { exact: true }).inputValue()).toBe('CERT');
    const value = page.getByLabel('New value', { exact: true }).last();
    expect(await value.inputValue()).toBe('cut');
    await value.fill('');
    await paste('New value', 'one\u00a0\r\ntwo\r\n');
    await page.getByText('The value ends with a line break, contains a no-break space.').waitFor();
    await page.getByText('11 characters, with CRLF line breaks').waitFor();
    await button(page, 'Stage').click();
    const pulled = page.waitForRequest(
      request => request.method() === 'POST' && request.postData()?.includes('CERT') === true,
    );
    await button(page, 'Review').click();
    await apply(page);
    expect((await pulled).postDataJSON()).toMatchObject({ set: [{ key: 'CERT', value: 'one\u00a0\r\ntwo\r\n' }] });
  });

  it('finds this in the audit log, as one entry with keys but no values', async () => {
    await page.goto(`${project.split('/projects/')[0]}/audit`);
    await settled(page);
    expect(await page.locator('.journal li', { hasText: 'KEY_00' }).count()).toBe(1);
    expect(await page.content()).not.toContain('value 0');
  });

  it('invites a developer, who joins by e-mail in another browser, can’t read production and writes to it blind', async () => {
    const organization = project.split('/projects/')[0] ?? '';
    const invited = `${randomUUID()}@example.com`;
    // Inviting requires a verified address.
    const mailsOf = async (to: string) => (await world.api.mails()).filter(mail => mail.to.includes(to));
    const linkOf = (text = '') => new URL(/http\S+#token=\S+/.exec(text)?.[0] ?? '');
    const verification = linkOf((await mailsOf(email))[0]?.text);
    expect(verification.origin).toBe(world.origin);
    // A mail scanner opens links too, even in a real browser. Only the click verifies.
    const scanner = await openAt(verification.href);
    await button(scanner, 'Verify the address').waitFor();
    await settled(scanner);
    await page.goto('/account');
    await page.getByText('not verified', { exact: true }).waitFor();
    await page.goto(verification.href);
    await button(page, 'Verify the address').click();
    await page.getByRole('heading', { name: 'E-mail verified' }).waitFor();
    expect(page.url()).not.toContain('token');
    await page.goto(`${organization}/members`);
    await button(page, 'Invite').click();
    await submit(page, { 'E-mail': invited }, 'Send invitation');
    await page.getByRole('cell', { name: invited }).first().waitFor();

    const developer = await openAt(linkOf((await mailsOf(invited))[0]?.text).href);
    expect(developer.url()).not.toContain('token');
    await developer.getByRole('link', { name: 'Create an account' }).click();
    await fill(developer, { 'E-mail': invited, Password: testPassword });
    await press(developer, 'Create account', 'Join');
    await developer.getByRole('heading', { name: 'Engines' }).waitFor();
    await developer.goto(`${project}/environments/production`);
    await developer.getByText('You can write to production, but not read it.').waitFor();
    expect(await developer.getByRole('button', { name: /^Reveal/ }).count()).toBe(0);
    await stageValue(developer, 'BLIND', 'written without reading');
    await keepScreenshot(developer, 'production-write-only');
    await button(developer, 'Review').click();
    await apply(developer, 'production');
    await developer.getByText('Applied as revision 1 of production.').waitFor();
  });

  it('promotes staging to production and restores the previous revision', async () => {
    await page.goto(`${project}/environments/staging`);
    await stageValue(page, 'RELEASE', 'two');
    await stageValue(page, 'BLIND', 'from staging');
    await button(page, 'Review').click();
    await apply(page);
    await page.goto(`${project}/promote`);
    await page.getByLabel('From').selectOption('staging');
    await page.getByLabel('To', { exact: true }).selectOption('production');
    await page.getByText('2 keys: 1 added, 1 changed').waitFor();
    await keepScreenshot(page, 'promote-plan');
    await submit(page, { 'Type production to change production': 'production' }, 'Promote 2 keys');
    await page.getByText('production already has all of these values.').waitFor();
    await page.goto(`${project}/environments/production/revisions`);
    await settled(page);
    await keepScreenshot(page, 'history');
    await button(page, 'Restore revision 1').click();
    await page.getByText('1 changed, 1 deleted').waitFor();
    await keepScreenshot(page, 'restore-plan');
    await submit(page, { 'Type production to change production': 'production' }, 'Restore');
    await page.getByText(/Restored revision 1 as revision \d/).waitFor();
    await page.goto(`${project}/environments/production`);
    await button(page, 'Reveal BLIND').click();
    await page.getByText('written without reading').waitFor();
    expect(await page.getByText('RELEASE').count()).toBe(0);
  });
});

describe.skipIf(withoutBrowser)('two browsers on one environment', () => {
  it('continue in one click if others changed other keys, and apply nothing before', async () => {
    const page = await openAt(world.screen('dev'), 'owner');
    await stageValue(page, 'MAIL_FROM', 'mine');
    const other = await openAt(world.screen('dev'), 'admin');
    await stageValue(other, 'OTHER_KEY', 'theirs');
    await button(other, 'Review').click();
    await apply(other);
    await button(page, 'Review').click();
    await page.getByText('Nobody else changed the keys that you staged.').waitFor();
    await keepScreenshot(page, 'moved');
    expect(await currentValue('dev', 'MAIL_FROM')).not.toBe('mine');
    await button(page, /^Continue on revision/).click();
    await apply(page);
    expect(await currentValue('dev', 'MAIL_FROM')).toBe('mine');
    expect(await currentValue('dev', 'OTHER_KEY')).toBe('theirs');
    await page.getByText('OTHER_KEY', { exact: true }).waitFor();
  });

  it('ask about each key that both changed, even if the change comes between the review and its end', async () => {
    const page = await openAt(world.screen('dev'), 'owner');
    await stageValue(page, 'LOG_LEVEL', 'mine');
    await stageValue(page, 'MAIL_FROM', 'mine again');
    await stageValue(page, 'DATABASE_POOL_SIZE', '40');
    await button(page, 'Review').click();
    await page.getByText('3 keys: 3 changed').waitFor();
    await page.locator('.apply button:not([aria-disabled])').waitFor();
    const other = await openAt(world.screen('dev'), 'admin');
    for (const key of ['LOG_LEVEL', 'MAIL_FROM']) await stageValue(other, key, `theirs ${key}`);
    await button(other, 'Review').click();
    await apply(other);
    await button(page, 'Apply as one revision').click();
    await page.getByText('2 to decide').waitFor();
    await keepScreenshot(page, 'conflict');
    expect(await currentValue('dev', 'DATABASE_POOL_SIZE')).toBe('20');
    await page.getByRole('group', { name: 'LOG_LEVEL' }).getByLabel(/^Mine/).check();
    await page
      .getByRole('group', { name: 'MAIL_FROM' })
      .getByLabel(/^Theirs/)
      .check();
    await button(page, /^Continue on revision/).click();
    await page.getByText('2 keys: 2 changed').waitFor();
    await apply(page);
    expect(await currentValue('dev', 'LOG_LEVEL')).toBe('mine');
    expect(await currentValue('dev', 'MAIL_FROM')).toBe('theirs MAIL_FROM');
    expect(await currentValue('dev', 'DATABASE_POOL_SIZE')).toBe('40');
  });
});

describe.skipIf(withoutBrowser)('a member with write but no read access to production', () => {
  it('learns that production changed, but not how, and continues on it', async () => {
    const page = await come('developer');
    const answers: string[] = [];
    page.on('response', async response => {
      if (response.url().includes('/v1/secrets/')) answers.push(await response.text());
    });
    await page.goto(world.screen('production'));
    await stageValue(page, 'BLIND', 'from the developer');
    const theirs = { key: 'NOT_FOR_DEVELOPERS', value: 'theirs' };
    await world.owner('PUT', world.path('production'), theirs);
    await button(page, 'Review').click();
    await page.getByText('You can’t read this environment, so Holdfast can’t tell you which keys changed.').waitFor();
    await keepScreenshot(page, 'moved-write-only');
    expect(await currentValue('production', 'BLIND')).toBeUndefined();
    await button(page, /^Continue on revision/).click();
    await apply(page, 'production');
    await page.getByText(/Applied as revision \d+ of production/).waitFor();
    expect(await currentValue('production', 'BLIND')).toBe('from the developer');
    expect(await currentValue('production', 'NOT_FOR_DEVELOPERS')).toBe('theirs');
    expect(answers.join('\n')).not.toContain('NOT_FOR_DEVELOPERS');
  });
});

describe.skipIf(withoutBrowser)('a review', () => {
  it('shows old and new values on demand, each old one after one audited read, and warns of what becomes empty', async () => {
    for (const key of ['REVIEWED', 'EMPTIED'])
      await world.owner('PUT', world.path('dev'), { key, value: `old ${key}` });
    const page = await openAt(world.screen('dev'), 'owner');
    const reads: string[] = [];
    page.on('request', request => {
      if (request.method() === 'GET' && request.url().includes('?keys=')) reads.push(request.url());
    });
    await button(page, 'Paste .env').click();
    await page.getByLabel('KEY=value lines').fill('REVIEWED=new value\nEMPTIED=\nNEW_HERE=first value');
    await press(page, 'Stage 3 keys', 'Review');
    const line = (key: string) => dialog(page).locator('.proof li', { hasText: key });
    await line('EMPTIED').getByText('becomes empty').waitFor();
    await page.getByText('3 keys: 1 added, 2 changed').waitFor();
    expect(await page.content()).not.toMatch(/old REVIEWED|new value<|first value/);
    await press(page, 'Show the values of REVIEWED', 'Show the values of NEW_HERE');
    await line('REVIEWED').getByText('old REVIEWED').waitFor();
    await line('REVIEWED').getByText('new value', { exact: true }).waitFor();
    await line('NEW_HERE').getByText('first value').waitFor();
    expect(reads).toEqual([expect.stringContaining('keys=REVIEWED')]);
    await expectFineLooks(page, 'review-values', { as: wideAndNarrow, fullPage: false });
    await button(page, 'Hide the values of REVIEWED').click();
    expect(await page.content()).not.toContain('old REVIEWED');
  });

  it('asks again if a change is reverted while it is still being planned', async () => {
    const page = await openAt(world.screen('dev'), 'owner');
    await stageValue(page, 'MAIL_FROM', 'one');
    await stageValue(page, 'LOG_LEVEL', 'two');
    const held = gate();
    await page.route('**/changes?dryRun=true', async route => {
      await held.opened;
      await route.fallback();
    });
    await button(page, 'Review').click();
    await dialog(page).getByRole('button', { name: 'Undo the change to LOG_LEVEL' }).click();
    held.open();
    await page.getByText('1 key: 1 changed').waitFor();
    await page.locator('.apply button:not([aria-disabled])').waitFor();
  });
});

describe.skipIf(withoutBrowser)('a session that ends midway', () => {
  const endSession = async (page: Page) => {
    const cookie = (await page.context().cookies()).find(({ name }) => name === '__service_session');
    await world.api.post('/auth/logout', undefined, { cookie: `__service_session=${cookie?.value}` });
  };
  const stageAndLose = async (): Promise<Page> => {
    const page = await openAt('/log-in');
    await logIn(page, world.people.owner.email);
    await page.getByRole('heading', { level: 1, name: /organization/ }).waitFor();
    await page.goto(world.screen('staging'));
    await stageValue(page, 'KEPT', 'over the log-in');
    await endSession(page);
    await button(page, 'Review').click();
    await page.getByRole('heading', { name: 'Log in again' }).waitFor();
    return page;
  };

  it('asks to log in over the page and continues where it was', async () => {
    const page = await stageAndLose();
    await keepScreenshot(page, 'log-in-again');
    const again = dialog(page, 'Log in again');
    await again.getByLabel('Password').fill(testPassword);
    await button(page, 'Log in').click();
    await again.waitFor({ state: 'detached' });
    // The review reloads its plan by itself.
    await page.getByText('1 key: 1 added').waitFor();
    await apply(page);
    expect(await currentValue('staging', 'KEPT')).toBe('over the log-in');
  });

  it('discards staged changes when another person logs in', async () => {
    const page = await stageAndLose();
    const again = dialog(page, 'Log in again');
    await button(page, 'Use another address').click();
    await logIn(page, world.people.admin.email);
    await again.waitFor({ state: 'detached' });
    await dialog(page).waitFor({ state: 'detached' });
    expect(await page.getByText('staged').count()).toBe(0);
  });
});

describe.skipIf(withoutBrowser)('the audit log', () => {
  it('shows the client of each entry, and the token by its name, whosever it is and even if it is gone', async () => {
    const developer = world.people.developer.session;
    const read = async (name: string, agent: string) => {
      const issued = await world.api.post('/auth/token', { name }, developer);
      const headers = { authorization: `Bearer ${issued.body.token}`, 'user-agent': agent };
      expect((await fetch(`${world.api.url}${world.path('dev')}`, { headers })).status).toBe(200);
      return (await world.api.get('/auth/tokens', developer)).body.tokens.find(
        (one: { name: string }) => one.name === name,
      ) as { id: string };
    };
    await read('laptop of Grace', 'audit-test/1.0');
    const gone = await read('gone token', 'audit-test/2.0');
    expect((await world.api.delete(`/auth/tokens/${gone.id}`, developer)).status).toBe(200);
    const page = await openAt(`/organizations/${world.organization.slug}/audit?action=secret.pulled`, 'owner');
    await page.getByText(/by the token “laptop of Grace” from \S+ with audit-test\/1\.0/).waitFor();
    await page.getByText(/by the token “gone token” from \S+ with audit-test\/2\.0/).waitFor();
    await expectFineLooks(page, 'audit-tokens');
  });
});

describe.skipIf(withoutBrowser)('a comparison', () => {
  it('collapses equal keys behind their count, and expands them', async () => {
    for (const environment of ['dev', 'staging'])
      for (const key of ['SAME_IN_BOTH', 'ALSO_THE_SAME'])
        await world.owner('PUT', world.path(environment), { key, value: 'one value' });
    const page = await openAt(
      `/organizations/${world.organization.slug}/projects/web-shop/compare/dev/staging`,
      'owner',
    );
    await page.getByRole('heading', { name: /^The same 2 keys/ }).waitFor();
    const same = page.getByText('SAME_IN_BOTH', { exact: true });
    expect(await same.isVisible()).toBe(false);
    expect(await page.getByText('MAIL_FROM', { exact: true }).isVisible()).toBe(true);
    await page.getByText('Show them').focus();
    await page.keyboard.press('Enter');
    await same.waitFor();
    await expectFineLooks(page, 'compare-same');
  });
});

describe.skipIf(withoutBrowser)('a value', () => {
  const placesOf = (page: Page) =>
    page.evaluate(async () => ({
      dom: document.documentElement.outerHTML,
      fields: [...document.querySelectorAll('input, textarea')]
        .map(field => (field as HTMLInputElement).value)
        .join('\n'),
      stores: JSON.stringify([
        { ...localStorage },
        { ...sessionStorage },
        history.state,
        await caches.keys(),
        await indexedDB.databases(),
      ]),
      title: document.title,
      url: location.href,
    }));
  const expectNowhere = async (page: Page, value: string) =>
    expect(JSON.stringify(await placesOf(page))).not.toContain(value);
  const entriesOf = async (action: string): Promise<{ keys?: string[]; environment: { slug: string } }[]> =>
    (await world.owner('GET', `/audit/${world.organization.id}?limit=500&action=${action}`)).entries;
  const toAnotherTab = (page: Page, state: 'hidden' | 'visible') =>
    page.evaluate(value => {
      Object.defineProperty(document, 'visibilityState', { value, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    }, state);

  it('appears only where its display was requested, and each display is one audited read', async () => {
    const canary = `canary-${randomBytes(12).toString('hex')}`;
    await world.owner('PUT', world.path('dev'), { key: 'CANARY', value: canary });
    await world.owner('PUT', world.path('staging'), { key: 'CANARY', value: 'another' });
    const reads = async () => (await entriesOf('secret.pulled')).length;
    const { page, heard, close } = await visit(browser, world.origin, { as: world.people.admin });
    const urls: string[] = [];
    page.on('request', request => urls.push(`${request.method()} ${request.url()}`));
    await page.goto(world.screen('dev'));
    await settled(page);
    const before = await reads();
    await expectNowhere(page, canary);

    await button(page, 'Reveal CANARY').click();
    await page.getByText(canary).waitFor();
    const shown = await placesOf(page);
    expect(shown.dom.split(canary).length - 1).toBe(1);
    expect(JSON.stringify({ ...shown, dom: '' })).not.toContain(canary);
    expect(await reads()).toBe(before + 1);

    await button(page, 'Hide').click();
    await expectNowhere(page, canary);
    await button(page, 'Reveal').click();
    await page.getByText(canary).waitFor();
    await button(page, 'Close').click();
    await expectNowhere(page, canary);
    await press(page, 'CANARY', 'Edit the value');
    expect(await page.getByLabel('New value', { exact: true }).inputValue()).toBe(canary);
    await button(page, 'Cancel').click();
    await expectNowhere(page, canary);
    await button(page, 'Reveal').click();
    await page.getByText(canary).waitFor();
    await link(dialog(page), /^version/)
      .first()
      .click();
    await settled(page);
    await expectNowhere(page, canary);
    expect(await reads()).toBe(before + 4);

    await page.goto(world.screen('dev'));
    await button(page, 'Copy the value of CANARY').click();
    await page.getByText('Copied the value of CANARY.').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(canary);
    await expectNowhere(page, canary);
    expect(await reads()).toBe(before + 5);
    const [entry] = await entriesOf('secret.pulled');
    expect(entry).toMatchObject({ keys: ['CANARY'], environment: { slug: 'dev' } });

    await button(page, 'New value for CANARY').click();
    expect(await page.getByLabel('New value', { exact: true }).last().inputValue()).toBe('');
    expect([...urls, ...heard].join('\n')).not.toContain(canary);
    expectQuiet(heard);
    await close();
  });

  it('that is typed in appears only in its field, until it is applied and afterwards', async () => {
    const canary = `typed-${randomBytes(12).toString('hex')}`;
    const { page, heard, close } = await visit(browser, world.origin, { as: world.people.owner });
    const urls: string[] = [];
    page.on('request', request => urls.push(request.url()));
    await page.goto(world.screen('dev'));
    await stageValue(page, 'TYPED', canary);
    await expectNowhere(page, canary);
    await button(page, 'Review').click();
    await page.getByText('1 key: 1 added').waitFor();
    await expectNowhere(page, canary);
    await page.getByLabel('Why? (optional)').fill('A reason');
    await apply(page);
    await expectNowhere(page, canary);
    expect(await currentValue('dev', 'TYPED')).toBe(canary);
    for (const address of [`${world.screen('dev')}/revisions`, `/organizations/${world.organization.slug}/audit`]) {
      await page.goto(address);
      await page.getByText('“A reason”').first().waitFor();
      await expectNowhere(page, canary);
    }
    expect([...urls, ...heard].join('\n')).not.toContain(canary);
    expect(JSON.stringify(await entriesOf('secret.changed'))).not.toContain(canary);
    expectQuiet(heard);
    await close();
  });

  it('is shown by diff, compare and history only on request, and each display is one audited read', async () => {
    const canary = `many-${randomBytes(12).toString('hex')}`;
    for (const end of ['-before', '-after'])
      await world.owner('PUT', world.path('dev'), { key: 'MANY', value: canary + end });
    const page = await come('owner');
    const both = { action: 'secret.history_read', entries: 1, shows: ['-before', '-after'], without: 0 };
    const screens = {
      history: { open: [world.screen('dev'), 'MANY'], ...both },
      diff: { open: [`${world.screen('dev')}/revisions`, /^Diff of revision/], ...both },
      compare: {
        open: [`/organizations/${world.organization.slug}/projects/web-shop/compare/dev/staging`],
        action: 'secret.compared',
        entries: 2,
        shows: ['-after'],
        // Comparing reads values without showing them, so the log has the comparison too.
        without: 2,
      },
    } as const;
    for (const [name, { open, action, entries, shows, without }] of Object.entries(screens)) {
      const before = (await entriesOf(action)).length;
      const [address, opener] = open;
      await page.goto(address);
      if (opener !== undefined) await button(page, opener).first().click();
      await page.getByText('MANY').first().waitFor();
      await expectNowhere(page, canary);
      expect((await entriesOf(action)).length, name).toBe(before + without);
      for (const round of [1, 2]) {
        await button(page, 'Show values').click();
        for (const end of shows) await page.getByText(canary + end).waitFor();
        if (round === 1) await keepScreenshot(page, `values-${name}`);
        if (round === 1) await button(page, 'Hide values').click();
        else await toAnotherTab(page, 'hidden');
        await button(page, 'Show values').waitFor();
        await expectNowhere(page, canary);
        await toAnotherTab(page, 'visible');
        expect((await entriesOf(action)).length, name).toBe(before + without + round * entries);
      }
    }
  });

  it('that is old is destroyed for good; the history shows it and the rest can still be restored', async () => {
    const put = (key: string, value: string) => world.owner('PUT', world.path('staging'), { key, value });
    const values = Array.from({ length: 4 }, (_, index) => `leaked-${index}-${randomBytes(12).toString('hex')}`);
    const [first = '', ...later] = values;
    const { revision } = await put('LEAKED', first);
    await put('BYSTANDER', 'then');
    for (const value of later) await put('LEAKED', value);
    await put('BYSTANDER', 'now');
    const history = async () => {
      const { versions } = await world.owner('GET', `${world.path('staging')}/versions/LEAKED?values=true`);
      type Version = { version: number; destroyed: boolean; value?: string };
      return versions.map(({ version, destroyed, value }: Version) => [version, destroyed ? 'destroyed' : value]);
    };
    const developer = await openAt(world.screen('staging'), 'developer');
    await button(developer, 'LEAKED').click();
    await developer.getByText('Set again').first().waitFor();
    expect(await developer.getByRole('button', { name: /^Destroy/ }).count()).toBe(0);

    const page = await openAt(world.screen('staging'), 'owner');
    await press(page, 'LEAKED', 'Show values');
    await page.getByText(first).waitFor();
    expect(await button(page, 'Destroy version 4').count()).toBe(0);
    await button(page, 'Destroy version 2').click();
    const sure = dialog(page, 'Destroy version 2');
    await sure.getByRole('button', { name: 'Destroy for good' }).click({ force: true });
    expect(await history()).not.toContainEqual([2, 'destroyed']);
    await sure.getByLabel('Type LEAKED to confirm').fill('LEAKED');
    await keepScreenshot(page, 'destroy');
    await sure.getByRole('button', { name: 'Destroy for good' }).click();
    // In the open dialog, whose backdrop covers the rest of the page.
    await page.locator('dialog[open] .toast', { hasText: '1 old value of LEAKED destroyed.' }).waitFor();
    await page.getByText('Its value was destroyed.').waitFor();
    for (const value of values) await expectNowhere(page, value);
    expect(await history()).toEqual([
      [4, values[3]],
      [3, values[2]],
      [2, 'destroyed'],
      [1, values[0]],
    ]);
    await button(page, 'Destroy all 2 old values …').click();
    await submit(page, { 'Type LEAKED to confirm': 'LEAKED' }, 'Destroy for good');
    await page.getByText('2 old values of LEAKED destroyed.').waitFor();
    const states = (await history()).map(([, state]: [number, string]) => state);
    expect(states).toEqual([values[3], 'destroyed', 'destroyed', 'destroyed']);
    expect((await entriesOf('secret.version_destroyed')).length).toBe(2);

    await page.goto(`${world.screen('staging')}/revisions`);
    await button(page, `Restore revision ${revision + 1}`).click();
    await page.getByText('Values from that point in time were destroyed: LEAKED').waitFor();
    await button(page, 'Restore the other keys …').click();
    await page.getByText('stays as it is').waitFor();
    await page.getByText('1 key: 1 changed').waitFor();
    await keepScreenshot(page, 'restore-others');
    await button(page, 'Restore').click();
    await page.getByText(`Restored revision ${revision + 1}`, { exact: true }).waitFor();
    expect(await currentValue('staging', 'BYSTANDER')).toBe('then');
    expect(await currentValue('staging', 'LEAKED')).toBe(values[3]);
  });

  it('is hidden when another tab is activated, even if it is still loading', async () => {
    const page = await openAt(world.screen('dev'), 'admin');
    const value = page.locator('pre.value');
    await button(page, 'Reveal DATABASE_URL').click();
    await value.waitFor();
    await toAnotherTab(page, 'hidden');
    await value.waitFor({ state: 'detached' });
    await toAnotherTab(page, 'visible');
    // A stored value in the field is hidden too, but what somebody has edited stays.
    const field = page.getByLabel('New value', { exact: true });
    await button(page, 'Edit the value').click();
    await field.waitFor();
    await toAnotherTab(page, 'hidden');
    await field.waitFor({ state: 'detached' });
    await toAnotherTab(page, 'visible');
    await button(page, 'Edit the value').click();
    await field.press('End');
    await field.pressSequentially('!');
    await toAnotherTab(page, 'hidden');
    expect(await field.inputValue()).toMatch(/!$/);
    await toAnotherTab(page, 'visible');
    await press(page, 'Cancel');
    for (const name of ['Reveal', 'Edit the value']) {
      const held = gate();
      await page.route('**/dev?keys=DATABASE_URL*', async route => {
        await held.opened;
        await route.fallback();
      });
      await button(page, name).click();
      await toAnotherTab(page, 'hidden');
      const answered = page.waitForResponse(/keys=DATABASE_URL/);
      held.open();
      await (await answered).finished();
      await page.evaluate(() => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve))));
      expect([await value.count(), await field.count()]).toEqual([0, 0]);
      await expectNowhere(page, 'correct-horse');
      await toAnotherTab(page, 'visible');
    }
  });

  it('is hidden after half a minute', async () => {
    const page = await come('admin');
    await page.clock.install();
    await page.goto(world.screen('dev'));
    await button(page, 'Reveal DATABASE_URL').click();
    const value = page.locator('pre.value');
    await value.waitFor();
    await page.clock.fastForward(29_000);
    expect(await value.count()).toBe(1);
    await page.clock.fastForward(2_000);
    await value.waitFor({ state: 'detached' });
    await press(page, 'Show values');
    await page.locator('pre.value').first().waitFor();
    await page.clock.fastForward(31_000);
    await page.locator('pre.value').first().waitFor({ state: 'detached' });
  });
});

describe.skipIf(withoutBrowser)('the keyboard', () => {
  it('is enough to get a newcomer from registration to an applied change and out again, never losing the focus', async () => {
    const page = await come();
    const { keyboard, focused, tabTo, pressOn, inContent } = keyboardOf(page);
    const focusIn = (tag: string) => page.waitForFunction(name => document.activeElement?.tagName === name, tag);
    await page.goto('/log-in');
    await focusIn('INPUT');
    await pressOn(/Create an account/);
    await page.getByRole('heading', { name: 'Create an account' }).waitFor();
    await focusIn('INPUT');
    await keyboard.type(`${randomUUID()}@example.com`);
    await keyboard.press('Tab');
    await keyboard.type(testPassword);
    await keyboard.press('Enter');
    await page.getByText('No projects yet.').waitFor();
    await inContent();
    await pressOn(/New project/);
    await dialog(page).waitFor();
    await keyboard.type('Shop');
    await keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Shop' }).waitFor();
    await inContent();
    await pressOn(/^A Development/);
    await page.getByText('No secrets yet.').waitFor();
    await pressOn(/Paste .env/);
    await dialog(page).waitFor();
    await keyboard.type('A=1\nB=2');
    await pressOn(/Stage 2 keys/);
    await page.getByText('2 changes staged').waitFor();
    expect(await focused()).toBe('BUTTON Paste .env');
    await pressOn(/^BUTTON Review/);
    await page.getByText('2 keys: 2 added').waitFor();
    await page.locator('.apply button:not([aria-disabled])').waitFor();
    await keyboard.type('From the keyboard');
    await keyboard.press('Enter');
    await page.getByText('Applied as revision 1').waitFor();
    await inContent();
    await tabTo(/^TR A/);
    await keyboard.press('ArrowDown');
    await page.waitForFunction(() => document.activeElement?.textContent?.startsWith('B'));
    await keyboard.press('r');
    await page.locator('pre.value').waitFor();
    await keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'detached' });
    await keyboard.press('Control+k');
    await page.getByRole('combobox').waitFor();
    await keyboard.type('audit');
    await page.getByRole('option', { name: /^Audit/, selected: true }).waitFor();
    await keyboard.press('Enter');
    await page.getByText('“From the keyboard”').waitFor();
    await inContent();
    await keyboard.press('Shift+Tab');
    expect(await focused()).toBe('A Send the link again');
    await keyboard.press('Shift+Tab');
    expect(await focused()).toBe('BUTTON You and your settings');
    await keyboard.press('Enter');
    await pressOn(/^BUTTON Log out/);
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
  });

  it('navigates the keys, reveals, copies, filters and edits, with the focus only in the table', async () => {
    const page = await openAt(world.screen('dev'), 'owner');
    const first = page.locator('tr[data-index="0"]');
    await first.waitFor();
    await page.keyboard.press('r');
    expect(await dialog(page).count()).toBe(0);
    await first.focus();
    await page.keyboard.press('ArrowDown');
    await page.waitForFunction(() => document.activeElement?.getAttribute('data-index') === '1');
    for (const [key, shows] of [
      ['r', 'pre.value'],
      ['Enter', '.panel .mask'],
      ['e', '.panel textarea'],
    ] as const) {
      await page.keyboard.press(key);
      await page.locator(shows).waitFor();
      await page.keyboard.press('Escape');
      await dialog(page).waitFor({ state: 'detached' });
      await page.waitForFunction(() => document.activeElement?.getAttribute('data-index') === '1');
    }
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'detached' });
    await page.waitForFunction(() => document.activeElement?.getAttribute('data-index') === '1');
    await page.keyboard.press('/');
    await page.keyboard.type('mail');
    await page.getByText(/^1 of/).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Key, project, person, page or command' }).waitFor();
    await page.keyboard.type('production');
    await page.getByRole('option', { name: 'web-shop / production' }).waitFor();
    await keepScreenshot(page, 'palette');
    await page.keyboard.press('Enter');
    await page.waitForURL(/environments\/production$/);
  });
});

describe.skipIf(withoutBrowser)('the search', () => {
  it('finds keys of every readable project, people, identities, settings and commands by parts of their names', async () => {
    const page = await openAt('/account', 'owner');
    await settled(page);
    const search = page.getByRole('combobox');
    const find = async (text: string, name: RegExp) => {
      await page.locator('body').press('/');
      await search.fill(text);
      await page.getByRole('option', { name }).first().waitFor();
    };
    const found: [text: string, name: RegExp, address: RegExp][] = [
      [
        'hook_secret prod',
        /^PAYMENT_WEBHOOK_SECRET web-shop \/ production$/,
        /environments\/production\?key=PAYMENT_W/,
      ],
      ['turing', /^Alan Turing /, /\/members\/[0-9a-f-]{36}$/],
      ['shop deploy', /^web-shop deploy /, /\/identities\/./],
      ['sign-in', /^Sign-in settings /, /\/settings\/sign-in$/],
      ['web-shop template', /^Template web-shop$/, /\/web-shop\/template$/],
      ['new identity', /^New identity /, /\/identities\/new$/],
      ['new project', /^New project /, /\?new=yes$/],
    ];
    for (const [text, name, address] of found) {
      await page.goto('/account');
      await settled(page);
      await find(text, name);
      await page.keyboard.press('Enter');
      await page.waitForURL(address);
    }
    await page.getByRole('dialog', { name: 'New project' }).waitFor();
  });

  it('sends nothing per letter, says what it can’t search, and shows a request that fails', async () => {
    const page = await openAt(`/organizations/${world.organization.slug}`, 'developer');
    await settled(page);
    const asked: string[] = [];
    await page.route('**/keys', async route => {
      asked.push(new URL(route.request().url()).pathname);
      if (asked.length === 1)
        await route.fulfill({ status: 429, json: { error: { code: 'rate_limited', message: 'Broken.' } } });
      else await route.fallback();
    });
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').pressSequentially('mail_f');
    await dialog(page).getByText('Broken.').waitFor();
    await button(page, 'Try again').click();
    await page.getByRole('option', { name: 'MAIL_FROM web-shop / dev' }).waitFor();
    await page.getByText('Keys of 1 environment are not searched, because you can’t read them.').waitFor();
    await dialog(page).getByText('Broken.').waitFor({ state: 'detached' });
    expect(asked.toSorted().map(path => path.split('/').at(-2))).toEqual(['dev', 'dev', 'staging']);
    await expectFineLooks(page, 'search', { fullPage: false });
  });

  it('leaves / and ? to fields and dialogs, and can turn them off', async () => {
    const page = await openAt(world.screen('dev'), 'owner');
    await settled(page);
    await page.locator('body').press('/');
    await page.keyboard.type('a/?');
    expect(await page.getByLabel('Filter').inputValue()).toBe('a/?');
    await page.getByLabel('Filter').fill('');
    await page.getByRole('checkbox', { name: 'Select MAIL_FROM' }).focus();
    await page.keyboard.press('?');
    const help = dialog(page, 'Keyboard shortcuts');
    await help.getByText('Ctrl K').waitFor();
    await help.getByLabel('Use / and ? as shortcuts').uncheck();
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'detached' });
    await page.keyboard.press('?');
    await page.keyboard.press('Control+k');
    await dialog(page, 'Find').waitFor();
    expect(await help.count()).toBe(0);
  });
});

describe.skipIf(withoutBrowser)('the command line’s hand-off', () => {
  describe('with the command line itself', () => {
    const cli = shared(buildCli);
    const addressOf = async (started: StartedCli): Promise<string> => {
      await started.until(/authorize-cli\?\S+state=\S+/);
      return /http\S+authorize-cli\?\S+/.exec(started.seen())?.[0] ?? '';
    };

    it('signs it in', async () => {
      const words = ['login', '--url', world.origin, '--name', 'laptop', '--access', 'read'];
      const started = cli.start(words, { env: { BROWSER: 'true' } });
      const page = await openAt(await addressOf(started), 'developer');
      await page.getByText('laptop').waitFor();
      await button(page, 'Agree').click();
      await page.getByText('The code has arrived.').waitFor();
      expect(await page.locator('h1').evaluate(heading => getComputedStyle(heading).fontSize)).toBe('32px');
      await expectFineLooks(page, 'cli-signed-in', { as: wideAndNarrow });
      expect(await started.ended).toMatchObject({ code: 0 });
      const { stdout } = await cli.run(['whoami', '--url', world.origin, '--json']);
      const { email } = world.people.developer;
      const authentication = { token: { name: 'laptop', access: 'read' } };
      expect(JSON.parse(stdout)).toMatchObject({ user: { email }, authentication });
    });

    it('suggests what the first project needs, and says why', async () => {
      const started = cli.start(['login', '--url', world.origin], { env: { BROWSER: 'true' } });
      const person = await seedPerson();
      const page = await openPageAt(await addressOf(started), person);
      await page.getByText('You have no project yet, and creating the first one needs this access.').waitFor();
      // Not those that the person joins later.
      expect(await page.getByLabel('Organization').inputValue()).toBe(person.organization.id);
      await expectFineLooks(page, 'authorize-first');
      await button(page, 'Agree').click();
      expect(await started.ended).toMatchObject({ code: 0, stderr: expect.stringContaining('It may do everything') });
    });

    it('creates a token with the requested limits, and none if the person declines', async () => {
      const limits = ['--org', world.organization.slug, '-p', 'web-shop', '-e', 'dev'];
      const words = ['tokens', 'create', 'narrow', '--url', world.origin, ...limits];
      const started = cli.start(words, { env: { BROWSER: 'true' } });
      const page = await openAt(await addressOf(started), 'owner');
      await page.getByLabel('Environment').waitFor();
      expect(await page.getByLabel('Environment').locator('option:checked').textContent()).toBe('dev');
      await button(page, 'Agree').click();
      expect(await started.ended).toMatchObject({ code: 0 });
      const again = cli.start(words, { env: { BROWSER: 'true' } });
      await page.goto(await addressOf(again));
      await button(page, 'Refuse').click();
      expect((await again.ended).code).toBe(3);
      const { body } = await world.api.get('/auth/tokens', world.people.owner.session);
      const narrow = body.tokens.filter((token: { name: string }) => token.name === 'narrow');
      expect(narrow).toHaveLength(1);
      expect(narrow[0].environmentId).not.toBeNull();
    });
  });

  it('rejects a request beyond the person’s rights, instead of creating a wider token', async () => {
    const page = await come('developer');
    const query = new URLSearchParams({ code_challenge: 'a'.repeat(43), name: 'laptop', organization: 'not-mine' });
    await page.goto(`/authorize-cli?${query}`);
    await page.getByText('which you don’t have').waitFor();
    expect(await button(page, 'Agree').count()).toBe(0);
  });

  it.each([
    'https://evil.example/callback',
    'http://127.0.0.1.evil.example:80/',
    'http://localhost@evil.example:80/',
    'http://evil.example#http://127.0.0.1:80/',
    'http://127.0.0.1/',
    'https://127.0.0.1:4000/',
    'javascript:alert(1)',
    '//evil.example',
    'http://[::1]:4000/',
    '',
  ])('explains why it can’t respond to %j, and creates no code', async redirect => {
    const page = await come('developer');
    const calls: string[] = [];
    page.on('request', request => calls.push(request.url()));
    const query = new URLSearchParams({ code_challenge: 'a'.repeat(43), state: 's', redirect_uri: redirect });
    await page.goto(`/authorize-cli?${query}`);
    await page.getByRole('heading', { name: 'Log in refused' }).waitFor();
    expect(await button(page, 'Agree').count()).toBe(0);
    expect(calls.filter(url => url.includes('cli-auth'))).toEqual([]);
  });
});
