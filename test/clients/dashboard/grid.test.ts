import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { button, dialog, fill, link, press, settled, toast, withoutBrowser } from './browser.ts';
import { expectFineLooks } from './looks.ts';
import { useWorld } from './world.ts';

const { world, come, openAt } = useWorld();
const grid = (page: Page) => page.getByRole('grid', { name: 'Keys by environment' });
const cell = (page: Page, name: string | RegExp) => grid(page).getByRole('button', { name });
const overview = () => `/organizations/${world.organization.slug}/projects/${world.project.slug}`;

describe.skipIf(withoutBrowser)('the grid of a project', () => {
  it('shows each key as the same, different or missing, with no value, and compares only when asked', async () => {
    const page = await come(world.people.owner);
    const compared: string[] = [];
    const answers: string[] = [];
    page.on('request', request => {
      if (request.url().includes('/compare?')) compared.push(new URL(request.url()).search);
    });
    page.on('response', async response => {
      if (!response.url().includes('/v1/secrets/')) return;
      answers.push(await response.text());
    });
    // A link is not a choice.
    await page.goto(`${overview()}?with=production`);
    await cell(page, 'set LOG_LEVEL in dev').waitFor();
    await grid(page).locator('.required').first().waitFor();
    expect(await grid(page).locator('.required').allTextContents()).toHaveLength(4);
    expect(compared).toEqual([]);
    await page.getByLabel('Compare with').selectOption('staging');
    await cell(page, 'same LOG_LEVEL in production').waitFor();
    await cell(page, 'different LOG_LEVEL in dev').waitFor();
    expect(compared.toSorted()).toEqual(['?with=dev', '?with=production']);
    expect(answers.join('\n')).not.toContain('postgres://');
    await expectFineLooks(page, 'grid');
    await page.getByLabel('Show').selectOption('different somewhere');
    await page.getByLabel('Filter').fill('mail');
    await page.getByText('1 key', { exact: true }).waitFor();
    await page.getByLabel('Filter').fill('zzz');
    await page.getByText('No key that is different somewhere contains “zzz”.').waitFor();
    await button(page, 'Show all keys').click();
    await page.getByText('9 keys', { exact: true }).waitFor();
  });

  it('tells a developer nothing about production, not even which values are equal', async () => {
    const page = await openAt(overview(), world.people.developer);
    await cell(page, 'set LOG_LEVEL in dev').waitFor();
    expect(await grid(page).getByRole('columnheader').allTextContents()).toEqual(['Key', 'dev', 'staging']);
    expect(await page.getByLabel('Compare with').locator('option').allTextContents()).toEqual([
      'nothing',
      'dev',
      'staging',
    ]);
    expect(await page.getByText(/ (same|different)$/).count()).toBe(0);
    const viewer = await openAt(overview(), world.people.viewer);
    await button(viewer, /^Select all/).click();
    await viewer.getByText('As a viewer, you can’t change any environment in this project.').waitFor();
    await button(viewer, /^Promote/).click({ force: true });
    expect(await dialog(viewer).count()).toBe(0);
    expect(await grid(viewer).getByText('Set', { exact: true }).count()).toBe(0);
  });

  it('is worked in with the keyboard: opens a secret, sets a missing one, and selects and promotes keys', async () => {
    const page = await openAt(overview(), world.people.owner);
    await cell(page, 'set DATABASE_POOL_SIZE in dev').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: /^DATABASE_POOL_SIZE/ }).waitFor();
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'detached' });
    await page.keyboard.press('End');
    await page.waitForFunction(() => document.activeElement?.textContent?.startsWith('missing Set'));
    await page.keyboard.press('Enter');
    await page.getByLabel('New value', { exact: true }).last().fill('set from the grid');
    await press(page, 'Stage', 'Review production');
    await page.getByText('1 key: 1 added').waitFor();
    await fill(page, { 'Type production to change production': 'production' });
    await button(page, 'Apply as one revision').click();
    await toast(page, /^Applied as revision \d+ of production/);
    await cell(page, 'set DATABASE_POOL_SIZE in production').waitFor();

    await page.getByRole('checkbox', { name: 'PAYMENT_API_KEY' }).check();
    await page.getByRole('checkbox', { name: 'SESSION_SIGNING_KEY' }).click({ modifiers: ['Shift'] });
    await page.getByText('5 keys selected').waitFor();
    await button(page, 'Promote 5 keys').click();
    await fill(dialog(page), { From: 'dev', To: 'staging' });
    await page.getByText('4 keys: 2 added, 2 changed').waitFor();
    await page.getByText('1 key not in dev.').waitFor();
    await expectFineLooks(page, 'grid-promote', { fullPage: false });
    await press(dialog(page), 'Promote 4 keys');
    await toast(page, /^Promoted 4 keys: staging is at revision/);
    await cell(page, 'set SESSION_SIGNING_KEY in staging').waitFor();
  });

  it('hands over what a comparison and the template suggest: promoting what is missing, and setting a key', async () => {
    await world.owner('PUT', world.path('dev'), { key: 'ONLY_IN_DEV', value: 'here' });
    const page = await openAt(`${overview()}/compare/dev/production`, world.people.owner);
    await button(page, /^Promote (this one|these \d+) to production$/)
      .first()
      .click();
    await page.getByRole('checkbox', { name: 'Promote ONLY_IN_DEV' }).waitFor();
    await fill(dialog(page), { 'Type production to change production': 'production' });
    await button(dialog(page), /^Promote \d+ keys?$/).click();
    await toast(page, /^Promoted \d+ keys?: production/);
    await page.getByRole('heading', { name: /^Only in dev/ }).waitFor({ state: 'detached' });
    await page.goto(`${overview()}/template`);
    await link(page, 'Set SENTRY_DSN in staging').click();
    await page.getByRole('dialog', { name: /^SENTRY_DSN/ }).waitFor();
    await page.getByLabel('New value', { exact: true }).last().fill('https://sentry.example');
    await button(page, 'Stage').click();
    await page.getByText('1 change staged').waitFor();
    expect(new URL(page.url()).search).toBe('');
  });

  it('shows 800 keys in 12 environments at once, and its last cell by keyboard', async () => {
    const page = await come(world.people.owner);
    const { body } = await world.api.get(`/projects/${world.organization.id}/web-shop`, world.people.owner.session);
    const [template] = body.project.environments;
    const environments = Array.from({ length: 12 }, (_, index) => ({
      ...template,
      id: template.id.replace(/^../, `${10 + index}`),
      slug: `stage-${index}`,
      name: `Stage ${index}`,
      type: (['development', 'staging', 'production'] as const)[index % 3],
    }));
    const at = '2026-01-31T09:26:53.589Z';
    const names = Array.from({ length: 800 }, (_, index) => `KEY_${String(index).padStart(3, '0')}_OF_A_SERVICE`);
    const updatedBy = { id: world.people.owner.user.id, email: world.people.owner.email };
    const keys = names.map(key => ({ key, version: 1, createdAt: at, updatedAt: at, updatedBy }));
    // The test measures the page, so it provides the responses.
    await page.route('**/v1/projects/*/web-shop', route =>
      route.fulfill({ json: { project: { ...body.project, environments } } }),
    );
    await page.route('**/v1/templates/**', route => route.fulfill({ json: { keys: [] } }));
    await page.route('**/keys', route => route.fulfill({ json: { keys, revision: 3 } }));
    await page.route('**/compare?with=*', route =>
      route.fulfill({ json: { same: names.slice(0, 700), different: names.slice(700).map(key => ({ key })) } }),
    );
    await page.addInitScript(() => {
      const record = globalThis as unknown as { answeredAt: number; rowsAt: number };
      const original = globalThis.fetch;
      globalThis.fetch = async (...given) => {
        const answer = await original(...given);
        if (new Request(...given).url.endsWith('/keys')) record.answeredAt = performance.now();
        return answer;
      };
      new MutationObserver((_, observer) => {
        if (document.querySelector('.matrix tbody tr') === null) return;
        observer.disconnect();
        record.rowsAt = performance.now();
      }).observe(document, { childList: true, subtree: true });
    });
    await page.goto(overview());
    await settled(page);
    await cell(page, 'set KEY_000_OF_A_SERVICE in stage-0').waitFor();
    const milliseconds = await page.evaluate(() => {
      const { rowsAt, answeredAt } = globalThis as unknown as { rowsAt: number; answeredAt: number };
      return rowsAt - answeredAt;
    });
    const rows = await page.locator('.matrix tbody tr').count();
    process.stdout.write(`800 keys × 12: ${milliseconds.toFixed(0)} ms after the last answer, ${rows} rows drawn\n`);
    expect(rows).toBeLessThan(60);
    await page.getByLabel('Compare with').selectOption('stage-0');
    await cell(page, 'same KEY_000_OF_A_SERVICE in stage-11').waitFor();
    await button(page, 'Select all 800').click();
    await page.getByText('800 keys selected').waitFor();
    await expectFineLooks(page, 'grid-large', { fullPage: false });
    await page.getByLabel('Filter').fill('key_79');
    await page.getByText('10 keys selected').waitFor();
    await page.getByLabel('Filter').fill('');
    await cell(page, 'same KEY_000_OF_A_SERVICE in stage-2').focus();
    await page.keyboard.press('Control+End');
    await page.waitForFunction(
      () => document.activeElement?.textContent === '≠ different KEY_799_OF_A_SERVICE in stage-11',
    );
    const header = await link(grid(page), 'stage-11').boundingBox();
    const last = await cell(page, 'different KEY_799_OF_A_SERVICE in stage-11').boundingBox();
    expect(Math.abs((header?.x ?? 0) - (last?.x ?? 99))).toBeLessThan(24);
    expect(header?.y ?? 0).toBeLessThan(last?.y ?? 0);
  });
});
