import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { button, settled, withoutBrowser } from './browser.ts';
import { expectFineLooks, looks, wideAndNarrow } from './looks.ts';
import { screensOf, useWorld } from './world.ts';

const inDays = (days: number) => new Date(Date.now() + days * 24 * 60 * 60 * 1000).toISOString();

describe.skipIf(withoutBrowser)('every screen', () => {
  const { world, come } = useWorld();
  let screens: ReturnType<typeof screensOf>;
  beforeAll(async () => {
    const [{ webhooks }, { identities }, { projects }, { members }] = await Promise.all(
      ['webhooks', 'identities', 'projects', 'members'].map(kind =>
        world.owner('GET', `/${kind}/${world.organization.id}`),
      ),
    );
    const [dev, staging] = projects[0].environments.map(({ id }: { id: string }) => id);
    const environment = dev;
    await describeKeys({ [dev]: inDays(-3), [staging]: inDays(9) });
    screens = screensOf(world, {
      webhook: webhooks[0].id,
      identity: identities[0].id,
      environment,
      member: members[0].id,
    });
  });

  /** Keys with everything that the template can say, and one whose value names others. */
  async function describeKeys(expiresAt: Record<string, string>): Promise<void> {
    const { organization, project, people } = world;
    const facts = { required: false, tags: ['payments', 'rotated-by-hand'], owner: people.admin.user.id };
    await world.owner('POST', `/templates/${organization.slug}/${project.slug}`, {
      key: 'PAYMENT_API_KEY',
      ...facts,
      description: 'Charges cards.',
      renewUrl: 'https://dashboard.example.com/a-long-path-to-the-page/where-keys-are-made?of=web-shop',
      maxAgeDays: 20,
      expiresAt,
      note: 'Ask the payments team before you renew it.\n\nThe old key works for a day.',
    });
    const value = `https://search.internal/?key=\${${'PAYMENT_API_KEY'}}`;
    await world.owner('PUT', world.path('dev'), { key: 'SEARCH_URL', value, expand: true });
  }

  async function look(
    page: Page,
    list: Record<string, string>,
    prefix: string,
    which: readonly (typeof looks)[number][],
  ): Promise<void> {
    for (const [name, address] of Object.entries(list)) {
      await page.goto(address);
      await settled(page);
      await expectFineLooks(page, `${name}-${prefix}`, { as: which });
    }
  }

  it('has no accessibility violation, overflow or console output, signed out', async () => {
    await look(await come(), screens.signedOut, 'nobody', looks);
  });

  it('has none as the owner', async () => {
    await look(await come(world.people.owner), screens.signedIn, 'owner', looks);
  }, 600_000);

  it('has none as an administrator of the platform', async () => {
    await look(await come(world.platform), screens.platform, 'platform', looks);
  });

  it.each(['admin', 'developer', 'viewer'] as const)(
    'has none as %s, and shows what they may do and why not',
    async role => {
      await look(await come(world.people[role]), { ...screens.signedIn, admin: '/admin' }, role, looks.slice(0, 1));
    },
  );

  it('has none in any dialog or menu', async () => {
    const page = await come(world.people.owner);
    const press = (name: string | RegExp) => button(page, name).first().click();
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
      'member-projects': [signedIn.members, () => press(/^Change projects of /)],
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
      described: [
        signedIn['environment-dev'],
        async () => {
          await press('PAYMENT_API_KEY');
          await page.getByText('was due 3 days ago').last().waitFor();
        },
      ],
      describe: [
        signedIn['environment-dev'],
        async () => {
          await press('PAYMENT_API_KEY');
          await press('Change the description');
          await page.getByRole('option', { name: 'Mary Shelley' }).waitFor({ state: 'attached' });
        },
      ],
      'names-others': [
        signedIn['environment-dev'],
        async () => {
          await press('Reveal SEARCH_URL');
          await page.getByText('As it was set').waitFor();
        },
      ],
      secret: [
        signedIn['environment-dev'],
        async () => {
          await press('Reveal SESSION_SIGNING_KEY');
          await page.locator('pre.value').waitFor();
          await values();
        },
      ],
      'secret-edit': [
        signedIn['environment-dev'],
        async () => {
          await press('SESSION_SIGNING_KEY');
          await press('Edit the value');
          await page.getByText('Generate a value').click();
        },
      ],
      'secret-empty': [
        signedIn['environment-dev'],
        async () => {
          await press('New value for LOG_LEVEL');
          await press('Stage');
          await page.getByText('Stage an empty value?').waitFor();
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
    for (const [name, [address, open]] of Object.entries(dialogs)) {
      await page.goto(address);
      await settled(page);
      await open();
      await page.locator('dialog[open], .menu:popover-open').first().waitFor();
      await expectFineLooks(page, `dialog-${name}`, { as: wideAndNarrow, fullPage: false });
    }
  });

  it('explains what a viewer may not do, and offers none of it', async () => {
    const page = await come(world.people.viewer);
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
    expect(await page.locator('main button:not([aria-disabled])').count()).toBe(0);
  });
});
