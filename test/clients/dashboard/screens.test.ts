import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Person, seedPerson } from '#test/support/people.ts';
import { expectStatus } from '#test/support/sample-requests.ts';
import { button, dialog, keyboardOf, press, settled, stageValue, toast, withoutBrowser } from './browser.ts';
import { expectFineLooks, looks, wideAndNarrow } from './looks.ts';
import { join, screensOf, useWorld } from './world.ts';

const { world, come } = useWorld();

const inDays = (days: number) => new Date(Date.now() + days * 24 * 60 * 60 * 1000).toISOString();

describe.skipIf(withoutBrowser)('every screen', () => {
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
          await page.getByText('As it was set', { exact: true }).waitFor();
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

describe.skipIf(withoutBrowser)('where changes need approval and people ask for access', () => {
  /** Limited to the project, whose admin they are. */
  let guest: Person;
  let proposal: string;
  const base = () => `/organizations/${world.organization.slug}`;
  const members = () => `/members/${world.organization.id}`;

  const call = async (method: string, path: string, as: Person, body: unknown) =>
    (await expectStatus(world.api.call(method, path, { as: as.session, body }), 200, 201)).body;
  const propose = async (environment: string, key: string) => {
    const body = { set: [{ key, value: 'proposed' }], message: 'Move the mail' };
    return (await call('POST', `${world.path(environment)}/proposals`, world.people.admin, body)).proposal.id;
  };
  const memberOf = async ({ email }: Person) => {
    const { members: all } = await world.owner('GET', members());
    return all.find((one: { email: string }) => one.email === email);
  };
  const access = (environment: string, kind: 'read' | 'write') => ({
    environmentId: world.project.environments.find(({ slug }) => slug === environment)?.id,
    access: kind,
    minutes: 60,
    reason: 'Payments fail',
  });

  beforeAll(async () => {
    const { owner, viewer } = world.people;
    for (const environment of ['staging', 'production'])
      await world.owner(
        'PATCH',
        `/projects/${world.organization.id}/${world.project.slug}/environments/${environment}`,
        {
          approvals: 1,
        },
      );
    proposal = await propose('production', 'MAIL_FROM');
    guest = await seedPerson({ name: 'Katherine Johnson' });
    await join(world.api, owner, guest, 'viewer');
    const projectRoles = [{ projectId: world.project.id, role: 'admin' }];
    await world.owner('PUT', `${members()}/${(await memberOf(guest)).id}/projects`, { limited: true, projectRoles });
    await world.owner('POST', `${members()}/${(await memberOf(viewer)).id}/grants`, access('staging', 'read'));
    await call('POST', `/grants/${world.organization.id}/requests`, viewer, access('production', 'read'));
  });

  it('has no accessibility violation, overflow or console output either, for whoever is concerned', async () => {
    const { owner, admin, viewer } = world.people;
    const environments = world.screen('');
    const concerned: [string, Person, string, string | RegExp][] = [
      ['proposals-open', owner, `${environments}production/proposals`, 'Waiting for approval: 0 of 1'],
      ['proposal-to-approve', owner, `${environments}production/proposals/${proposal}`, 'Approve and apply'],
      ['proposal-own', admin, `${environments}production/proposals/${proposal}`, 'Withdraw …'],
      ['settings-of-approvals', owner, environments.replace(/environments.$/, 'settings'), 'once one other person'],
      ['members-with-requests', owner, `${base()}/members`, 'Payments fail'],
      ['requests-for-project-admin', guest, `${base()}/members`, 'Payments fail'],
      ['member-with-a-grant', owner, `${base()}/members/${(await memberOf(viewer)).id}`, 'role: viewer, grant'],
      ['matrix-with-a-grant', owner, `${base()}/members/access?type=staging`, /grant/],
      ['people-with-a-grant', owner, environments.replace(/environments.$/, 'people'), 'role: viewer, grant'],
      ['granted', viewer, `${environments}staging`, 'for a limited time: it ends'],
      ['asked', viewer, `${environments}production`, 'Nobody has answered yet'],
    ];
    for (const [name, person, address, shows] of concerned) {
      const page = await come(person);
      await page.goto(address);
      await settled(page);
      await page.getByText(shows).first().waitFor();
      await expectFineLooks(page, name);
    }
  });

  it('has none in any dialog', async () => {
    const { owner, admin, developer } = world.people;
    const production = world.screen('production');
    const dialogs: [string, Person, string, (page: Page) => Promise<void>][] = [
      [
        'bypass',
        owner,
        production,
        async page => {
          await stageValue(page, 'LOG_LEVEL', 'new');
          await press(page, 'Review', 'Apply without approval …');
        },
      ],
      ['reject', owner, `${production}/proposals/${proposal}`, page => press(page, 'Reject …')],
      ['withdraw', admin, `${production}/proposals/${proposal}`, page => press(page, 'Withdraw …')],
      ['ask-for-access', developer, production, page => press(page, 'Ask for access')],
      ['change-email', developer, '/account', page => press(page, 'Change e-mail…')],
      ['close-account', developer, '/account', page => press(page, 'Close account…')],
    ];
    for (const [name, person, address, open] of dialogs) {
      const page = await come(person);
      await page.goto(address);
      await settled(page);
      await open(page);
      await dialog(page).last().waitFor();
      await expectFineLooks(page, `team-dialog-${name}`, { fullPage: false });
    }
  });

  it('needs only the keyboard to propose, approve and reject, and never loses the focus', async () => {
    const author = await come(world.people.admin);
    await author.goto(world.screen('staging'));
    await settled(author);
    const keys = keyboardOf(author);
    await keys.pressOn(/Paste .env/);
    await dialog(author).waitFor();
    await keys.keyboard.type('BY_KEYBOARD=1');
    await keys.pressOn(/Stage 1 key/);
    await author.getByText('1 change staged').waitFor();
    await keys.pressOn(/^BUTTON Review/, 60);
    await author.locator('.apply button:not([aria-disabled])').waitFor();
    await keys.keyboard.type('Without a mouse');
    await keys.keyboard.press('Enter');
    await author.getByText('Waiting for approval: 0 of 1.').waitFor();
    await keys.inContent();

    const page = await come(world.people.owner);
    const { keyboard, pressOn, inContent } = keyboardOf(page);
    await page.goto(world.screen('staging'));
    await settled(page);
    await pressOn(/^A Proposals/);
    await page.getByText('“Without a mouse”').waitFor();
    await inContent();
    await pressOn(/^A Change of 1 key/);
    await page.getByText('1 key: 1 added').waitFor();
    await inContent();
    await pressOn(/^BUTTON Show values/);
    await page.locator('.proof ins').waitFor();
    await pressOn(/^BUTTON Approve and apply/);
    await toast(page, /Approved, and applied as revision/);
    await page
      .getByText(/^Applied as revision/)
      .first()
      .waitFor();
    await inContent();

    await page.goto(`${world.screen('staging')}/proposals/${await propose('staging', 'REJECTED')}`);
    await settled(page);
    await pressOn(/^BUTTON Reject/);
    await dialog(page).waitFor();
    await keyboard.type('Not today');
    await keyboard.press('Enter');
    await page.getByText('“Not today”').waitFor();
    await inContent();
  });

  it('needs only the keyboard to ask for access, and to give and end it', async () => {
    const { developer } = world.people;
    const asking = await come(developer);
    await asking.goto(world.screen('production'));
    await settled(asking);
    const keys = keyboardOf(asking);
    await keys.pressOn(/^BUTTON Ask for access/);
    await dialog(asking).waitFor();
    await keys.tabTo(/^INPUT Reason/);
    await keys.keyboard.type('Payments fail');
    await keys.keyboard.press('Enter');
    await asking.getByText('Nobody has answered yet').waitFor();
    await expect.poll(keys.focused).toBe('BUTTON Ask for access');

    const page = await come(guest);
    const { focused, pressOn, inContent } = keyboardOf(page);
    await page.goto(base());
    await settled(page);
    await pressOn(/^A Temporary access/);
    await page.getByRole('heading', { name: 'Temporary access' }).first().waitFor();
    // The tab is still there, and keeps the focus.
    expect(await focused()).toBe('A Temporary access');
    await button(page, `Give access to ${developer.email}`).waitFor();
    await pressOn(new RegExp(`^BUTTON Give access to ${developer.email}`));
    await toast(page, 'Access given');
    await button(page, `End the access of ${developer.email}`).waitFor();
    await inContent();
    await pressOn(new RegExp(`^BUTTON End the access of ${developer.email}`));
    await toast(page, 'Access ended');
    await button(page, `End the access of ${developer.email}`).waitFor({ state: 'detached' });
    await inContent();
  });
});
