import { describe, expect, it } from 'vitest';
import { seedPerson } from '#test/support/people.ts';
import { expectStatus } from '#test/support/sample-requests.ts';
import { button, dialog, fill, toast, withoutBrowser } from './browser.ts';
import { expectFineLooks } from './looks.ts';
import { join, useWorld } from './world.ts';

const { world, come, usePage } = useWorld();

describe.skipIf(withoutBrowser)('temporary access', () => {
  const page = usePage(() => world.people.owner);

  it('is asked for on the environment’s page, given and ended on the members page, and seen while it lasts', async () => {
    const { api, organization, people, project } = world;
    const guest = await seedPerson({ name: 'Alan' });
    await join(api, people.owner, guest, 'viewer');
    const own = await come(guest);
    const base = `/organizations/${organization.slug}`;
    const production = `${base}/projects/${project.slug}/environments/production`;
    const mayRead = async () => (await api.get(world.path('production'), guest.session)).status === 200;

    await own.goto(production);
    await own.getByText('You can’t read production.').waitFor();
    await button(own, 'Ask for access').click();
    await fill(dialog(own), { Reason: 'Payments fail' });
    await expectFineLooks(own, 'dialog-ask-for-access', { fullPage: false });
    await button(dialog(own), 'Ask').click();
    await toast(own, 'were notified');
    await own.getByText('Nobody has answered yet').waitFor();

    await page.goto(`${base}/members`);
    await page.getByRole('table', { name: 'Requests' }).getByText('Payments fail').waitFor();
    await expectFineLooks(page, 'temporary-access');
    await button(page, `Give access to ${guest.email}`).click();
    await toast(page, 'Access given');
    await button(page, `End the access of ${guest.email}`).waitFor();
    expect(await mayRead()).toBe(true);

    await own.goto(production);
    await own.getByText(/You can read the secrets of production for a limited time/).waitFor();
    await expectFineLooks(own, 'environment-granted');

    await button(page, `End the access of ${guest.email}`).click();
    await toast(page, 'Access ended');
    expect(await mayRead()).toBe(false);
    await own.goto(production);
    await own.getByText('You can’t read production.').waitFor();
    await expectStatus(api.get(`/grants/${organization.id}`, guest.session), 200);
  });
});
