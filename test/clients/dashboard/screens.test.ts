import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectQuiet, keepScreenshot, settled, startBrowser, type Visit, visit, withoutBrowser } from './browser.ts';
import { buildWorld, type RoleName, screensOf, type World } from './world.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds, with the places, so that a failure says where to look. */
async function violations(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const { violations: found } = await (globalThis as unknown as { axe: { run: (options: unknown) => Promise<{ violations: { id: string; nodes: { target: unknown[]; failureSummary: string }[] }[] }> } }).axe.run({
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    });
    return found.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary.split('\n').slice(1).join(' ').trim()}`),
    );
  });
}

/** Elements that stick out of the page, and controls whose words are cut off. */
async function overflows(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const wrong: string[] = [];
    const width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth > width) wrong.push(`the page is ${document.documentElement.scrollWidth} wide`);
    for (const element of document.querySelectorAll<HTMLElement>('button, a, input, select, h1, h2')) {
      if (!element.checkVisibility() || element.closest('.matrix-frame, .skip, .visually-hidden') !== null) continue;
      const box = element.getBoundingClientRect();
      const name = `${element.tagName} "${(element.textContent ?? '').slice(0, 30)}"`;
      if (box.left < -0.5 || box.right > width + 0.5) wrong.push(`${name} sticks out`);
      if (element.matches('button, a') && element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).overflow !== 'visible')
        wrong.push(`${name} is clipped`);
    }
    return wrong;
  });
}

const sizes = [
  { width: 1280, colorScheme: 'light' },
  { width: 1280, colorScheme: 'dark' },
  { width: 360, colorScheme: 'light' },
  { width: 360, colorScheme: 'dark' },
] as const;

describe.skipIf(withoutBrowser)('every screen', () => {
  let browser: Browser;
  let world: World;
  let screens: ReturnType<typeof screensOf>;
  beforeAll(async () => {
    [browser, world] = await Promise.all([startBrowser(), buildWorld()]);
    const { body } = await world.api.get(`/webhooks/${world.organization.id}`, world.people.owner.session);
    screens = screensOf(world, body.webhooks[0].id, world.organization.id);
  });
  afterAll(async () => {
    await browser?.close();
    await world?.api.stop();
  });

  async function look(seen: Visit, list: Record<string, string>, prefix: string): Promise<void> {
    const wrong: Record<string, string[]> = {};
    for (const [name, address] of Object.entries(list)) {
      await seen.page.goto(address);
      await settled(seen.page);
      await seen.page.evaluate(axe);
      const found = [...(await violations(seen.page)), ...(await overflows(seen.page))];
      if (found.length > 0) wrong[name] = found;
      await keepScreenshot(seen.page, `${name}-${prefix}`);
    }
    expect(wrong).toEqual({});
    expectQuiet(seen.heard);
  }

  describe.each(sizes)('at $width px, $colorScheme', size => {
    const suffix = `${size.width}-${size.colorScheme}`;
    it('has no accessibility violation, nothing that overflows and a quiet console, signed out', async () => {
      const seen = await visit(browser, world.origin, size);
      await look(seen, screens.signedOut, suffix);
      await seen.close();
    });
    it('nor as the owner', async () => {
      const seen = await visit(browser, world.origin, { ...size, as: world.people.owner });
      await look(seen, screens.signedIn, suffix);
      await seen.close();
    });
    it('nor as an administrator of the platform', async () => {
      const seen = await visit(browser, world.origin, { ...size, as: world.platform });
      await look(seen, screens.platform, suffix);
      await seen.close();
    });
  });

  it.each(['admin', 'developer', 'viewer'] satisfies RoleName[])('shows a %s what they may do, and says why not', async role => {
    const seen = await visit(browser, world.origin, { as: world.people[role] });
    await look(seen, { ...screens.signedIn, ...screens.platform }, role);
    await seen.close();
  });
});
