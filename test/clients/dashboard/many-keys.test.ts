import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { button, dialog, keepScreenshot, link, press, settled, toast, withoutBrowser } from './browser.ts';
import { expectFineLooks } from './looks.ts';
import { useWorld } from './world.ts';

const { world, come } = useWorld();
const queues = Array.from({ length: 40 }, (_, index) => `QUEUE_${String(index).padStart(2, '0')}`);
const others = Array.from({ length: 460 }, (_, index) => `KEY_${String(index).padStart(3, '0')}`);

async function keysOf(environment: string): Promise<string[]> {
  const { keys } = await world.owner('GET', `${world.path(environment)}/keys`);
  return keys.map(({ key }: { key: string }) => key);
}

async function filterBy(page: Page, text: string, matches: number): Promise<void> {
  await page.getByRole('searchbox', { name: 'Filter' }).fill(text);
  await page.getByText(`${matches} of `).waitFor();
}

const checkbox = (page: Page, name: string | RegExp) => page.getByRole('checkbox', { name });
const allThatMatch = (page: Page) => checkbox(page, 'Select all matching keys');

/** Presses Tab until a control has the focus, with a limit on the number of stops. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let stops = 0; stops < 80; stops += 1) {
    await page.keyboard.press('Tab');
    if (await target.evaluate(element => element === document.activeElement)) return;
  }
  throw new Error(`Tab does not reach ${target}.`);
}

interface Way {
  options: { width?: number; hasTouch?: boolean };
  use: (page: Page, target: Locator) => Promise<void>;
  selectAll: (page: Page) => Promise<void>;
}

const ways: Record<string, Way> = {
  'the keyboard alone': {
    options: {},
    use: async (page, target) => {
      await tabTo(page, target);
      await page.keyboard.press('Enter');
    },
    selectAll: async page => {
      await tabTo(page, page.locator('tr[data-index="0"]'));
      for (const key of ['Space', 'Shift+End', 'Shift+ArrowUp', 'Shift+ArrowDown']) await page.keyboard.press(key);
    },
  },
  touch: {
    options: { width: 390, hasTouch: true },
    use: (_, target) => target.tap(),
    selectAll: page => allThatMatch(page).tap(),
  },
};

describe.skipIf(withoutBrowser)('500 keys', () => {
  beforeAll(async () => {
    const secrets = [...queues, ...others].map(key => ({ key, value: `value of ${key}` }));
    await world.owner('POST', `${world.path('dev')}/bulk`, { secrets });
  });

  it.each(Object.keys(ways))('are filtered by %s, 40 of them selected and promoted, and that undone', async name => {
    const { options, use, selectAll } = ways[name] as Way;
    const page = await come(world.people.owner, options);
    await page.goto(world.screen('dev'));
    await settled(page);
    const before = await keysOf('staging');
    await use(page, page.getByRole('searchbox', { name: 'Filter' }));
    await page.keyboard.type('queue_');
    await page.getByText(/^40 of/).waitFor();
    await selectAll(page);
    await page.getByText('40 keys selected').waitFor();
    await use(page, button(page, 'Promote …'));
    await page.getByText('40 keys: 40 added').waitFor();
    await use(page, button(page, 'Promote 40 keys'));
    await page.getByText(/^staging is at revision/).waitFor();
    expect(await keysOf('staging')).toEqual([...before, ...queues].toSorted());
    const undone = Number(/revision (\d+) in/.exec((await dialog(page).textContent()) ?? '')?.[1]);
    await use(page, link(page, 'its history'));
    await settled(page);
    await use(page, button(page, `Restore revision ${undone}`));
    await page.getByText('40 keys: 40 deleted').waitFor();
    await use(page, button(page, 'Restore'));
    await toast(page, `Restored revision ${undone}`);
    expect(await keysOf('staging')).toEqual(before);
  });

  it('are selected in a range, over several filters, and deleted as one revision', async () => {
    const page = await come(world.people.owner);
    await page.goto(world.screen('dev'));
    await filterBy(page, 'key_00', 10);
    await checkbox(page, 'Select KEY_001').click();
    await checkbox(page, 'Select KEY_004').click({ modifiers: ['Shift'] });
    await filterBy(page, 'key_45 KEY_001', 11);
    await checkbox(page, 'Select KEY_459').click();
    await page.getByText('5 keys selected').waitFor();
    await page.getByText('3 hidden by the filter').waitFor();
    await expectFineLooks(page, 'selected', { fullPage: false });
    await button(page.getByLabel('Selected keys'), 'Delete').click();
    await press(page, 'Review');
    await page.getByText('5 keys: 5 deleted').waitFor();
    await press(page, 'Apply as one revision');
    await dialog(page).waitFor({ state: 'detached' });
    const left = await keysOf('dev');
    for (const key of ['KEY_001', 'KEY_002', 'KEY_003', 'KEY_004', 'KEY_459']) expect(left).not.toContain(key);
    expect(left).toContain('KEY_005');
  });

  it('are copied or downloaded as .env with one audited read that is announced', async () => {
    const page = await come(world.people.owner);
    await page.goto(world.screen('dev'));
    await filterBy(page, 'queue_', 40);
    const pulls = async () =>
      (await world.owner('GET', `/audit/${world.organization.id}?action=secret.pulled`)).entries;
    const before = (await pulls()).length;
    await allThatMatch(page).click();
    await press(page, 'Copy or download …');
    await page.getByText('The audit log records that you read them.').waitFor();
    await expectFineLooks(page, 'values-as-env', { fullPage: false });
    expect(await pulls()).toHaveLength(before);
    await press(page, 'Copy');
    await toast(page, 'Copied 40 values of dev.');
    const expected = queues.map(key => `${key}='value of ${key}'\n`).join('');
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(expected);
    const [pull, ...older] = await pulls();
    expect(pull.keys).toEqual(queues);
    expect(older).toHaveLength(before);
    await press(page, 'Copy or download …');
    const downloading = page.waitForEvent('download');
    await press(page, 'Download');
    const download = await downloading;
    expect(download.suggestedFilename()).toBe('web-shop-dev.env');
    expect(readFileSync(await download.path(), 'utf8')).toBe(expected);
  });

  it('are moved to another environment: promoted, and their deletion staged', async () => {
    const page = await come(world.people.owner);
    await page.goto(world.screen('dev'));
    await filterBy(page, 'queue_3', 10);
    await allThatMatch(page).click();
    await press(page, 'Move …');
    await page.getByText('10 keys: 10 added').waitFor();
    await expectFineLooks(page, 'move', { fullPage: false });
    await press(page, 'Promote 10 keys');
    await dialog(page, 'Move 10 keys from dev').getByText('10 deletions in dev are staged.').waitFor();
    await expectFineLooks(page, 'moved-keys', { fullPage: false });
    expect(await keysOf('dev')).toContain('QUEUE_30');
    await press(page, 'Done', 'Review');
    await page.getByText('10 keys: 10 deleted').waitFor();
    await press(page, 'Apply as one revision');
    await dialog(page).waitFor({ state: 'detached' });
    expect(await keysOf('dev')).not.toContain('QUEUE_30');
    expect(await keysOf('staging')).toContain('QUEUE_30');
  });

  it('are sorted by key or change, and a filter without a match can be cleared', async () => {
    const page = await come(world.people.owner);
    await world.owner('PUT', world.path('dev'), { key: 'KEY_300', value: 'newest' });
    await page.goto(world.screen('dev'));
    const first = (key: string) => page.locator('tr[data-index="0"]', { hasText: key }).waitFor();
    await press(page, 'Changed');
    await first('KEY_300');
    await page.getByRole('columnheader', { name: 'Changed', description: '' }).waitFor();
    expect(await page.locator('th[aria-sort]').getAttribute('aria-sort')).toBe('descending');
    await press(page, 'Key', 'Key');
    await first('SESSION_SIGNING_KEY');
    await page.getByRole('searchbox', { name: 'Filter' }).fill('zzz');
    await page.getByText('No key contains ‘zzz’.').waitFor();
    await expectFineLooks(page, 'no-match', { fullPage: false });
    await press(page, 'Clear');
    await first('SESSION_SIGNING_KEY');
    await page.getByRole('searchbox', { name: 'Filter' }).evaluate((field, text) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', text);
      field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    }, 'KEY_300\r\nKEY_301\r\n');
    await page.getByText(/^2 of/).waitFor();
  });
});

describe.skipIf(withoutBrowser)('a private key of 60 lines', () => {
  it('is shown whole, edited in one character and reviewed, and keeps its line breaks', async () => {
    const lines = Array.from({ length: 58 }, () => randomBytes(48).toString('base64'));
    const pem = ['-----BEGIN PRIVATE KEY-----', ...lines, '-----END PRIVATE KEY-----', ''].join('\r\n');
    await world.owner('PUT', world.path('dev'), { key: 'TLS_KEY', value: pem });
    const page = await come(world.people.owner);
    await page.goto(world.screen('dev'));
    await press(page, 'TLS_KEY', 'Reveal');
    const value = page.locator('pre.value');
    await value.waitFor();
    expect(await value.textContent()).toBe(pem);
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 900 });
      const hidden = await value.evaluate(({ scrollWidth, clientWidth, scrollHeight, clientHeight }) => [
        scrollWidth - clientWidth,
        scrollHeight - clientHeight,
      ]);
      expect(hidden).toEqual([0, 0]);
      await keepScreenshot(page, `private-key-${width}`, false);
    }
    await press(page, 'Edit the value');
    const field = page.getByLabel('New value', { exact: true });
    expect(await field.inputValue()).toBe(pem.replaceAll('\r\n', '\n'));
    // The first character of the second line.
    await field.evaluate(area => (area as HTMLTextAreaElement).setSelectionRange(28, 29));
    await page.keyboard.type('*');
    await page.getByText('characters, with CRLF line breaks').waitFor();
    await press(page, 'Stage', 'Review');
    await page.getByText('1 key: 1 changed').waitFor();
    await page.getByText(`new value of ${pem.length.toLocaleString('en')} characters`).waitFor();
    await press(page, 'Apply as one revision');
    await dialog(page).waitFor({ state: 'detached' });
    const { secrets } = await world.owner('GET', `${world.path('dev')}?keys=TLS_KEY`);
    expect(secrets[0].value).toBe(`${pem.slice(0, 29)}*${pem.slice(30)}`);
  });
});

describe.skipIf(withoutBrowser)('the panel of a secret', () => {
  it('stages one secret after another, generates a value, and asks before an empty one', async () => {
    const page = await come(world.people.owner);
    await page.goto(world.screen('staging'));
    await press(page, 'Add secret');
    await page.getByLabel('Key', { exact: true }).fill('GENERATED');
    await page.getByText('Generate a value').click();
    await page.getByLabel('Length').fill('48');
    await page.getByLabel('Characters').selectOption('Hexadecimal digits');
    await page.getByLabel('Length').press('Enter');
    await page.getByText('48 characters').waitFor();
    expect(await page.getByLabel('New value', { exact: true }).inputValue()).toMatch(/^[0-9a-f]{48}$/);
    await press(page, 'Stage and add another');
    await toast(page, 'Staged GENERATED.');
    await page.getByLabel('Key', { exact: true }).fill('EMPTY');
    await press(page, 'Stage and add another', 'Stage an empty value');
    await toast(page, 'Staged EMPTY.');
    await press(page, 'Cancel');
    await page.getByText('2 changes staged').waitFor();
    await press(page, 'LOG_LEVEL');
    const elsewhere = dialog(page).getByRole('listitem').filter({ hasText: 'production' });
    await elsewhere.getByRole('link', { name: 'version 1' }).click();
    await page.waitForURL(/production\?key=LOG_LEVEL$/);
    await page.locator('tr:focus', { hasText: 'LOG_LEVEL' }).waitFor();
  });
});
