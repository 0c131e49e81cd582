import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { createProject, createToken } from '#test/support/api.ts';
import { identityOf } from '#test/support/issuer.ts';
import { type Person, seedPerson } from '#test/support/people.ts';
import { expectStatus } from '#test/support/sample-requests.ts';
import { button, dialog, keepScreenshot, link, press, settled, toast, withoutBrowser } from './browser.ts';
import { expectFineLooks } from './looks.ts';
import { join, useWorld } from './world.ts';

const { world, come, usePage } = useWorld();
const base = () => `/organizations/${world.organization.slug}`;

/** A member by e-mail address. */
async function memberOf({ email }: Person): Promise<{ id: string; userId: string }> {
  const { members } = await world.owner('GET', `/members/${world.organization.id}`);
  return members.find((one: { email: string }) => one.email === email);
}

/** A new member who is limited to the project. */
async function addLimited(role: string, name: string): Promise<Person> {
  const person = await seedPerson({ name, emailVerified: true });
  await join(world.api, world.people.owner, person, 'viewer');
  const { id } = await memberOf(person);
  const body = { limited: true, projectRoles: [{ projectId: world.project.id, role }] };
  await world.owner('PUT', `/members/${world.organization.id}/${id}/projects`, body);
  return person;
}

const rowOf = (page: Page, text: string) => page.getByRole('row', { name: text });

describe.skipIf(withoutBrowser)('the page of a member', () => {
  const page = usePage(() => world.people.owner);

  it('shows an owner what the member holds, and changes it', async () => {
    const { organization, project, api } = world;
    const person = await seedPerson({ name: 'Katherine Johnson', emailVerified: true });
    await join(api, world.people.owner, person, 'admin');
    const deploys = identityOf({ url: 'https://issuer.example.com' }, { name: 'orbit deploy' });
    await expectStatus(api.post(`/identities/${organization.id}`, deploys, person.session), 201);
    await createToken(api, person, { name: 'laptop' });
    await createToken(api, person, { name: 'private', organizationId: person.organization.id });
    const scope = { organizationId: organization.id, projectId: project.id };
    await createToken(api, person, { name: 'deploys the shop', ...scope, access: 'read', expiresInDays: 30 });
    await page.goto(`${base()}/members`);

    await link(page, 'Katherine Johnson').click();
    await page.getByRole('heading', { name: 'Katherine Johnson' }).waitFor();

    await rowOf(page, 'laptop').getByText('all organizations').waitFor();
    await rowOf(page, 'deploys the shop').getByText(project.slug).waitFor();
    expect(await page.getByText('private').count()).toBe(0);
    expect(await button(page, /^Revoke/).count()).toBe(0);
    await page.getByText(`Only ${person.email} can revoke them.`).waitFor();
    await rowOf(page, project.slug).filter({ hasText: 'role: admin' }).getByText('all environments').first().waitFor();
    await link(page, 'orbit deploy').waitFor();
    await link(page, `What they saw: ${person.email}`).waitFor();
    await link(page, 'What it saw: laptop').waitFor();
    await expectFineLooks(page, 'member-of-owner');

    await page.getByLabel(`Role of ${person.email}`).selectOption('viewer');
    await toast(page, 'Role changed');
    await rowOf(page, project.slug).filter({ hasText: 'role: viewer' }).getByText('dev').first().waitFor();
    await press(page, 'Change projects');
    await dialog(page).getByLabel(new RegExp(project.slug)).selectOption('developer');
    await button(dialog(page), 'Save').click();
    await rowOf(page, project.slug).filter({ hasText: 'project role: developer' }).waitFor();
    await press(page, 'Remove member');
    await button(dialog(page), 'Remove').click();
    await page.getByRole('heading', { name: 'Members' }).waitFor();
    expect(await page.getByText(person.email, { exact: true }).count()).toBe(0);
  });

  it('shows others only themselves, with their tokens to revoke', async () => {
    const { people } = world;
    const own = await come(people.viewer);
    await createToken(world.api, people.viewer, { name: 'reading' });
    await own.goto(`${base()}/members`);
    expect(await link(own, 'Ada Lovelace').count()).toBe(0);

    await link(own, 'Mary Shelley').click();
    await own.getByRole('heading', { name: 'You' }).waitFor();
    await press(own, 'Revoke reading');
    await button(dialog(own), 'Revoke').click();
    await toast(own, 'Token reading revoked');
    await own.getByText('None.').waitFor();

    const { id } = await memberOf(people.owner);
    await own.goto(`${base()}/members/${id}`);
    await own.getByText('Only owners and admins can see what another member holds.').waitFor();
  });

  it('is a tab of a limited member, who can leave there', async () => {
    const guest = await addLimited('viewer', 'Guest');
    const own = await come(guest);
    await own.goto(base());
    await own.locator('.tabs').getByRole('link', { name: 'You' }).click();
    await own.getByRole('heading', { name: 'You' }).waitFor();
    expect(await own.locator('.tabs').getByRole('link').allTextContents()).toEqual(['Projects', 'You']);
    await rowOf(own, world.project.slug).getByText('project role: viewer').waitFor();
    await expectFineLooks(own, 'member-limited');
    await own.goto(`${base()}/members`);
    await own.getByText('Only owners and admins can see who asks for access.').waitFor();
    await own.locator('.tabs').getByRole('link', { name: 'You' }).click();

    await press(own, 'Leave organization');
    await button(dialog(own), 'Leave').click();
    await toast(own, /^You left /);
    expect((await world.api.get(`/projects/${world.organization.id}`, guest.session)).status).toBe(404);
  });
});

describe.skipIf(withoutBrowser)('a project’s admin', () => {
  it('reads the log of the project, and manages its identities', async () => {
    const { project, organization } = world;
    const other = await createProject(world.api, world.people.owner, 'Ledger');
    const guest = await addLimited('admin', 'Project admin');
    const page = await come(guest);
    await page.goto(base());
    await page.locator('.tabs').getByRole('link', { name: 'Audit' }).waitFor();
    expect(await page.locator('.tabs').getByRole('link').allTextContents()).toEqual([
      'Projects',
      'Temporary access',
      'Identities',
      'Audit',
      'You',
    ]);

    await page.locator('.tabs').getByRole('link', { name: 'Audit' }).click();
    await page.locator('.journal li').first().waitFor();
    const place = page.getByLabel('Project or environment');
    expect(await place.locator('option').allTextContents()).toEqual([
      project.slug,
      ...['dev', 'staging', 'production'].map(env => `${project.slug}/${env}`),
    ]);
    await place.selectOption({ label: `${project.slug}/staging` });
    await page.waitForURL(/environment=/);
    await page.locator('.journal li').first().waitFor();
    expect(await page.locator('.journal .narrow', { hasText: 'production' }).count()).toBe(0);
    await page.goto(`${base()}/audit?project=${other.id}`);
    await page.locator('.journal li').first().waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await expectFineLooks(page, 'audit-of-project-admin');

    await page.locator('.tabs').getByRole('link', { name: 'Identities' }).click();
    await link(page, 'web-shop deploy').waitFor();
    await link(page, 'New identity').click();
    await page.getByLabel('Role').selectOption('viewer');
    expect(await page.getByLabel('Project', { exact: true }).locator('option').allTextContents()).toEqual([
      'Choose a project',
      project.slug,
    ]);
    await page.getByLabel(/repository_id/).fill('123');
    await page.getByLabel(/repository_owner_id/).fill('456');
    await button(page, 'Create identity').click();
    await toast(page, /^Identity .* created/);
    const { identities } = (await world.api.get(`/identities/${organization.id}`, guest.session)).body;
    expect(identities.every(({ projectId }: { projectId: string }) => projectId === project.id)).toBe(true);
    await page.goto(`${base()}/identities`);
    await settled(page);
    await expectFineLooks(page, 'identities-of-project-admin');
  });
});

describe.skipIf(withoutBrowser)('who can read what', () => {
  const page = usePage(() => world.people.owner);

  it('shows who can read production in each project, and why', async () => {
    await addLimited('admin', 'Contractor');
    await createProject(world.api, world.people.owner, 'Vault');
    await page.goto(`${base()}/members`);
    await link(page, 'Who can read what').click();
    await page.getByRole('heading', { name: 'Who can read what' }).waitFor();

    await rowOf(page, 'Ada Lovelace').getByText('reads, changes').first().waitFor();
    await rowOf(page, 'Ada Lovelace').getByText('role: owner').first().waitFor();
    await rowOf(page, 'Contractor').getByText('project role: admin').waitFor();
    await rowOf(page, 'Contractor').getByText('no access').first().waitFor();
    const developer = rowOf(page, 'Alan Turing');
    expect(await developer.getByRole('cell').first().textContent()).toBe('changesrole: developer');
    await expectFineLooks(page, 'access-production');

    await page.getByLabel('Environments').selectOption('staging');
    await developer.getByText('reads, changes').first().waitFor();
    await page.getByLabel('Person').fill('contractor');
    expect(await page.locator('table.access tbody tr').count()).toBe(1);
  });

  describe('for 200 people and 50 projects', () => {
    let large: Page;
    beforeAll(async () => {
      large = page;
      const at = '2026-01-31T09:26:53.589Z';
      const projects = Array.from({ length: 50 }, (_, index) => ({
        id: `p${index}`,
        slug: `project-${index}`,
        name: `Project ${index}`,
        description: '',
        keyVersion: 1,
        rotation: null,
        createdAt: at,
        environments: (['dev', 'staging', 'production'] as const).map(slug => ({
          id: `p${index} ${slug}`,
          slug,
          name: slug,
          revision: 1,
          secretCount: 1,
          createdAt: at,
          type: slug === 'dev' ? 'development' : slug,
        })),
      }));
      const members = Array.from({ length: 200 }, (_, index) => ({
        id: `m${index}`,
        userId: `u${index}`,
        email: `person-${index}@example.com`,
        name: `Person ${index}`,
        joinedAt: at,
        limited: index % 5 === 4,
        role: ['owner', 'admin', 'developer', 'viewer', 'viewer'][index % 5],
        projectRoles: index % 5 === 4 ? [{ projectId: `p${index % 50}`, slug: '', role: 'admin' }] : [],
      }));
      // The test measures the page, so it provides the responses: no plan limit is involved.
      await page.route(`**/v1/members/${world.organization.id}`, route =>
        route.fulfill({ json: { members, invitations: [] } }),
      );
      await page.route(`**/v1/projects/${world.organization.id}`, route => route.fulfill({ json: { projects } }));
    });

    it('renders only the rows in sight, and the last one when it is scrolled to', async () => {
      await large.goto(`${base()}/members/access`);
      await settled(large);
      await large
        .getByText('120 of 200 people can read production in at least one of 50 projects, 160 can change it.')
        .waitFor();
      expect(await large.locator('table.access tbody tr:not(.spacer)').count()).toBeLessThan(60);
      expect(await large.locator('table.access thead th').count()).toBe(51);
      await large.locator('.matrix-frame').evaluate(frame => frame.scrollTo(frame.scrollWidth, frame.scrollHeight));
      await rowOf(large, 'Person 198').waitFor();
      // The rows that are not rendered have the height that the page assumes.
      expect(await large.locator('.matrix-frame').evaluate(frame => frame.scrollHeight)).toBe(200 * 56 + 56);
      await keepScreenshot(large, 'access-large-end', false);
      await large.getByRole('searchbox', { name: 'Project' }).fill('project-49');
      await large.getByText('at least one of 1 project').waitFor();
      await expectFineLooks(large, 'access-large');
    });

    it('goes by person on a phone', async () => {
      const phone = await come(world.people.owner, { width: 360 });
      await phone.goto(`${base()}/members/access`);
      await settled(phone);
      const contractor = phone.locator('details', { hasText: 'Contractor' });
      await contractor.locator('summary').click();
      await contractor.getByText('project role: admin').waitFor();
      await expectFineLooks(phone, 'access-by-person');
    });
  });
});
