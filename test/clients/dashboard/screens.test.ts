import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectQuiet, keepScreenshot, settled, startBrowser, type Visit, visit, withoutBrowser } from './browser.ts';
import { buildWorld, type RoleName, screensOf, type World } from './world.ts';

/** What axe finds, with the places, so that a failure says where to look. */
async function violations(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const { violations: found } = await (
      globalThis as unknown as {
        axe: {
          run: (
            options: unknown,
          ) => Promise<{ violations: { id: string; nodes: { target: unknown[]; failureSummary: string }[] }[] }>;
        };
      }
    ).axe.run({
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    });
    return found.flatMap(({ id, nodes }) =>
      nodes.map(
        ({ target, failureSummary }) =>
          `${id}: ${target.join(' ')}: ${failureSummary.split('\n').slice(1).join(' ').trim()}`,
      ),
    );
  });
}

/** Elements that stick out of the page, and controls whose words are cut off. */
async function overflows(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const wrong: string[] = [];
    const width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth > width)
      wrong.push(`the page is ${document.documentElement.scrollWidth} wide`);
    for (const element of document.querySelectorAll<HTMLElement>('button, a, input, select, h1, h2')) {
      if (!element.checkVisibility() || element.closest('.matrix-frame, .skip, .visually-hidden') !== null) continue;
      const box = element.getBoundingClientRect();
      const name = `${element.tagName} "${(element.textContent ?? '').slice(0, 30)}"`;
      if (box.left < -0.5 || box.right > width + 0.5) wrong.push(`${name} sticks out`);
      if (
        element.matches('button, a') &&
        element.scrollWidth > element.clientWidth + 1 &&
        getComputedStyle(element).overflow !== 'visible'
      )
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

  async function look(
    seen: Visit,
    list: Record<string, string>,
    prefix: string,
    looks: readonly (typeof sizes)[number][],
  ): Promise<void> {
    const wrong: Record<string, string[]> = {};
    for (const [name, address] of Object.entries(list)) {
      await seen.page.goto(address);
      await settled(seen.page);
      await seen.page.evaluate(axe.source);
      for (const { width, colorScheme } of looks) {
        await seen.page.setViewportSize({ width, height: 900 });
        await seen.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        const found = [...(await violations(seen.page)), ...(await overflows(seen.page))];
        if (found.length > 0) wrong[`${name} ${width} ${colorScheme}`] = found;
        await keepScreenshot(seen.page, `${name}-${prefix}-${width}-${colorScheme}`);
      }
    }
    expect(wrong).toEqual({});
    expectQuiet(seen.heard);
  }

  it('has no accessibility violation, nothing that overflows and a quiet console, signed out', async () => {
    const seen = await visit(browser, world.origin);
    await look(seen, screens.signedOut, 'nobody', sizes);
    await seen.close();
  });

  it('nor as the owner', async () => {
    const seen = await visit(browser, world.origin, { as: world.people.owner });
    await look(seen, screens.signedIn, 'owner', sizes);
    await seen.close();
  });

  it('nor as an administrator of the platform', async () => {
    const seen = await visit(browser, world.origin, { as: world.platform });
    await look(seen, screens.platform, 'platform', sizes);
    await seen.close();
  });

  it.each(['admin', 'developer', 'viewer'] satisfies RoleName[])(
    'nor as %s, who sees what they may do and why not',
    async role => {
      const seen = await visit(browser, world.origin, { as: world.people[role] });
      await look(seen, { ...screens.signedIn, admin: '/admin' }, role, sizes.slice(0, 1));
      await seen.close();
    },
  );

  it('nor in any dialog or menu', async () => {
    const seen = await visit(browser, world.origin, { as: world.people.owner });
    const { page } = seen;
    const press = (name: string | RegExp) =>
      page
        .getByRole('button', { name, exact: typeof name === 'string' })
        .first()
        .click();
    const values = async () => {
      await press('Show values');
      await page.getByText('They are hidden again').waitFor();
      await page.waitForLoadState('networkidle');
    };
    const { signedIn } = screens;
    const dialogs: Record<string, [address: string, open: () => Promise<void>]> = {
      'new-project': [signedIn.projects, () => press('New project')],
      organizations: [signedIn.projects, () => press(/switch organization/)],
      person: [signedIn.projects, () => press('You and your settings')],
      palette: [signedIn.projects, () => page.keyboard.press('Control+k')],
      invite: [signedIn.members, () => press('Invite')],
      'remove-member': [signedIn.members, () => press(/^Remove /)],
      'new-webhook': [signedIn.webhooks, () => press('New webhook')],
      'delete-organization': [signedIn['organization-settings'], () => press('Delete organization')],
      'new-environment': [signedIn.project, () => press('New environment')],
      'paste-problem': [
        signedIn['environment-dev'],
        async () => {
          await press('Paste .env');
          await page.getByLabel('KEY=value lines').fill('GOOD=1\nno equals sign\nOPEN="');
        },
      ],
      'add-secret': [signedIn['environment-dev'], () => press('Add secret')],
      shortcuts: [signedIn['environment-dev'], () => press(/^Keyboard/)],
      'secret-history': [
        signedIn['environment-dev'],
        async () => {
          await press('History of SESSION_SIGNING_KEY');
          await values();
        },
      ],
      'review-mixed': [
        signedIn['environment-production'],
        async () => {
          await press('Delete LOG_LEVEL');
          await press('New value for MAIL_FROM');
          await page.getByLabel('New value', { exact: true }).last().fill('new');
          await press('Stage');
          await press('Paste .env');
          await page
            .getByLabel('KEY=value lines')
            .fill(`${'LONG_'.repeat(30)}KEY=1\nPAYMENT_API_KEY="sk_example_0000 "`);
          await press('Stage 2 keys');
          await press('Review');
          await page.getByText('4 keys: 1 added, 1 changed, 1 deleted, 1 unchanged').waitFor();
        },
      ],
      diff: [
        signedIn.revisions,
        async () => {
          await press(/^Diff of/);
          await values();
        },
      ],
      restore: [
        signedIn.revisions,
        async () => {
          await press('Restore revision 1');
          await page.getByText('1 changed').waitFor();
        },
      ],
      'template-key': [signedIn.template, () => press('Add key')],
      rotate: [signedIn['project-settings'], () => press('Rotate the key')],
      'delete-environment': [signedIn['project-settings'], () => press('Delete dev')],
      'new-token': [signedIn.tokens, () => press('New token')],
    };
    const wrong: Record<string, string[]> = {};
    for (const [name, [address, open]] of Object.entries(dialogs)) {
      await page.setViewportSize({ width: 1280, height: 900 });
      await page.goto(address);
      await settled(page);
      await open();
      await page.locator('dialog[open], .menu:popover-open').waitFor();
      await page.evaluate(axe.source);
      for (const { width, colorScheme } of sizes) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        const found = [...(await violations(page)), ...(await overflows(page))];
        if (found.length > 0) wrong[`${name} ${width} ${colorScheme}`] = found;
        await keepScreenshot(page, `dialog-${name}-${width}-${colorScheme}`, false);
      }
    }
    expect(wrong).toEqual({});
    expectQuiet(seen.heard);
    await seen.close();
  });

  it('names what a viewer may not do, and offers nothing of it', async () => {
    const seen = await visit(browser, world.origin, { as: world.people.viewer });
    const { page } = seen;
    const said: Record<string, string> = {
      projects: 'Only owners and admins can do this.',
      webhooks: 'Only owners and admins can see webhooks.',
      audit: 'Only owners and admins can see the audit log.',
      'environment-dev': 'As a viewer you can’t change dev.',
      'environment-production': 'You can’t read production.',
      template: 'Only owners and admins can do this.',
    };
    for (const [name, sentence] of Object.entries(said)) {
      await page.goto(screens.signedIn[name as keyof typeof screens.signedIn]);
      await settled(page);
      await page.getByText(sentence).first().waitFor();
    }
    await page.goto(screens.signedIn['project-settings']);
    await settled(page);
    const sent: string[] = [];
    page.on('request', request => sent.push(request.method()));
    // Neither a click nor the Enter key sends a form that this role may not send.
    await page.getByRole('button', { name: 'Save', exact: true }).first().click({ force: true });
    await page.getByLabel('Description').press('Enter');
    await page.getByRole('button', { name: 'Rotate the key' }).click({ force: true });
    expect(sent).toEqual([]);
    const usable = page.locator('main button:not([aria-disabled])');
    expect(await usable.count()).toBe(0);
    await seen.close();
  });
});
