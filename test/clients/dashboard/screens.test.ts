import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectQuiet, settled, startBrowser, type Visit, visit, withoutBrowser } from './browser.ts';
import { looks, wideAndNarrow, wrongsOf } from './looks.ts';
import { buildWorld, type RoleName, screensOf, type World } from './world.ts';

describe.skipIf(withoutBrowser)('every screen', () => {
  let browser: Browser;
  let world: World;
  let screens: ReturnType<typeof screensOf>;
  beforeAll(async () => {
    [browser, world] = await Promise.all([startBrowser(), buildWorld()]);
    const { api, organization, people } = world;
    const [{ body: hooks }, { body: trusted }, { body: listed }] = await Promise.all([
      api.get(`/webhooks/${organization.id}`, people.owner.session),
      api.get(`/identities/${organization.id}`, people.owner.session),
      api.get(`/projects/${organization.id}`, people.owner.session),
    ]);
    screens = screensOf(world, {
      webhook: hooks.webhooks[0].id,
      identity: trusted.identities[0].id,
      environment: listed.projects[0].environments[0].id,
    });
  });
  afterAll(async () => {
    await browser?.close();
    await world?.api.stop();
  });

  async function look(
    seen: Visit,
    list: Record<string, string>,
    prefix: string,
    which: readonly (typeof looks)[number][],
  ): Promise<void> {
    const wrong: Record<string, string[]> = {};
    for (const [name, address] of Object.entries(list)) {
      await seen.page.goto(address);
      await settled(seen.page);
      Object.assign(wrong, await wrongsOf(seen.page, `${name}-${prefix}`, { as: which }));
    }
    expect(wrong).toEqual({});
    expectQuiet(seen.heard);
  }

  it('has no accessibility violation, overflow or console output, signed out', async () => {
    const seen = await visit(browser, world.origin);
    await look(seen, screens.signedOut, 'nobody', looks);
    await seen.close();
  });

  it('has none as the owner', async () => {
    const seen = await visit(browser, world.origin, { as: world.people.owner });
    await look(seen, screens.signedIn, 'owner', looks);
    await seen.close();
  }, 600_000);

  it('has none as an administrator of the platform', async () => {
    const seen = await visit(browser, world.origin, { as: world.platform });
    await look(seen, screens.platform, 'platform', looks);
    await seen.close();
  });

  it.each(['admin', 'developer', 'viewer'] satisfies RoleName[])(
    'has none as %s, and shows what they may do and why not',
    async role => {
      const seen = await visit(browser, world.origin, { as: world.people[role] });
      await look(seen, { ...screens.signedIn, admin: '/admin' }, role, looks.slice(0, 1));
      await seen.close();
    },
  );

  it('has none in any dialog or menu', async () => {
    const seen = await visit(browser, world.origin, { as: world.people.owner });
    const { page } = seen;
    const press = (name: string | RegExp) =>
      page
        .getByRole('button', { name, exact: typeof name === 'string' })
        .first()
        .click();
    const values = async () => {
      await press('Show values');
      await page.getByText('Values are hidden again').waitFor();
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
      'new-identity': [signedIn.identities, () => press('New identity')],
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
      Object.assign(wrong, await wrongsOf(page, `dialog-${name}`, { as: wideAndNarrow, fullPage: false }));
    }
    expect(wrong).toEqual({});
    expectQuiet(seen.heard);
    await seen.close();
  });

  it('explains what a viewer may not do, and offers none of it', async () => {
    const seen = await visit(browser, world.origin, { as: world.people.viewer });
    const { page } = seen;
    const said: Record<string, string> = {
      projects: 'Only owners and admins can do this.',
      webhooks: 'Only owners and admins can see webhooks.',
      identities: 'Only owners and admins can see identities.',
      audit: 'Only owners and admins can see the audit log.',
      exposure: 'Only owners and admins can see what a credential saw.',
      members: 'Only owners and admins can see what a member saw.',
      'environment-dev': 'As a viewer, you can’t change dev.',
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
    // Neither a click nor Enter submits a form that this role may not submit.
    await page.getByRole('button', { name: 'Save', exact: true }).first().click({ force: true });
    await page.getByLabel('Description').press('Enter');
    await page.getByRole('button', { name: 'Rotate the key' }).click({ force: true });
    expect(sent).toEqual([]);
    const usable = page.locator('main button:not([aria-disabled])');
    expect(await usable.count()).toBe(0);
    await seen.close();
  });
});
