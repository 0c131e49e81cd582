import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { seedPerson } from '#test/support/people.ts';
import { expectStatus } from '#test/support/sample-requests.ts';
import { button, dialog, link, press, settled, stageValue, submit, toast, withoutBrowser } from './browser.ts';
import { expectFineLooks, wideAndNarrow } from './looks.ts';
import { join, useWorld, type World } from './world.ts';

const { world, openAt: openPageAt } = useWorld();
type Who = keyof World['people'];
const openAt = (address: string, as: Who) => openPageAt(address, world.people[as]);

const call = async (method: string, path: string, as: Who, body?: unknown) =>
  (await expectStatus(world.api.call(method, path, { as: world.people[as].session, body }), 200, 201)).body;

const requireApprovals = (approvals: number, environment: string) =>
  call('PATCH', `/projects/${world.organization.id}/${world.project.slug}/environments/${environment}`, 'owner', {
    approvals,
  });

const propose = async (as: Who, values: Record<string, string>, message?: string): Promise<{ id: string }> => {
  const set = Object.entries(values).map(([key, value]) => ({ key, value }));
  const { proposal } = await call('POST', `${world.path('production')}/proposals`, as, { set, message });
  return proposal;
};

const proposalScreen = ({ id }: { id: string }) => `${world.screen('production')}/proposals/${id}`;

async function currentValue(environment: string, key: string): Promise<string | undefined> {
  const { secrets } = await world.owner('GET', world.path(environment));
  return secrets.find((secret: { key: string }) => secret.key === key)?.value;
}

const currentRevision = async (environment: string): Promise<number> =>
  (await world.owner('GET', `${world.path(environment)}/keys`)).revision;

const typeSlug = (page: Page) => page.getByLabel('Type production to change production').fill('production');

describe.skipIf(withoutBrowser)('an environment whose changes need approval', () => {
  it('is set up by an owner, says so at its title, and only an owner may lower the number', async () => {
    const page = await openAt(
      `/organizations/${world.organization.slug}/projects/${world.project.slug}/settings`,
      'owner',
    );
    const form = page.getByRole('form', { name: 'production' });
    await form.getByLabel('Approvals').selectOption('1');
    await form
      .getByText('Each change of its secrets is proposed, and applied once one other person approves it.')
      .waitFor();
    await button(form, 'Save production').click();
    await toast(page, 'Environment production saved.');
    await page.goto(world.screen('production'));
    await page.getByText('1 approval needed').waitFor();
    await expectFineLooks(page, 'environment-approvals', { as: wideAndNarrow });
    const admin = await openAt(new URL(page.url()).pathname.replace(/environments.*/, 'settings'), 'admin');
    const approvals = admin.getByRole('form', { name: 'production' }).getByLabel('Approvals');
    await admin.getByText('Only owners can lower the number.').waitFor();
    expect(await approvals.locator('option').allTextContents()).toEqual(['1', '2', '3']);
    await expectFineLooks(admin, 'approvals-settings', { as: wideAndNarrow });
  });

  it('lets one person propose and another one see the values, approve and so apply the change', async () => {
    const author = await openAt(world.screen('production'), 'admin');
    await stageValue(author, 'LOG_LEVEL', 'proposed value');
    await stageValue(author, 'ADDED', 'another one');
    await button(author, 'Review').click();
    await author.getByText('production stays as it is until one other person approves it.').waitFor();
    expect(await button(author, 'Apply as one revision').count()).toBe(0);
    expect(await button(author, 'Apply without approval …').count()).toBe(0);
    await author.locator('.apply button:not([aria-disabled])').waitFor();
    await expectFineLooks(author, 'review-proposing', { as: wideAndNarrow, fullPage: false });
    await submit(author, { 'Why? (optional)': 'Quieter logs' }, 'Propose');
    await toast(author, 'Proposed: waiting for 1 approval. Nothing has changed yet.');
    await author.getByText('Waiting for approval: 0 of 1.').waitFor();
    expect(await author.getByText(/saved|Applied/).count()).toBe(0);
    expect(await button(author, /^Approve/).count()).toBe(0);
    await link(author, /^Production ?1 open proposal$/).waitFor();
    expect(await currentValue('production', 'LOG_LEVEL')).toBe('info ');
    await expectFineLooks(author, 'proposal-author');

    const page = await openAt(`${world.screen('production')}/proposals`, 'owner');
    await page.getByText('“Quieter logs”').waitFor();
    await expectFineLooks(page, 'proposals');
    await link(page, 'Change of 2 keys').click();
    await page.getByText('2 keys: 1 added, 1 changed').waitFor();
    expect(await page.content()).not.toContain('proposed value');
    await button(page, 'Show values').click();
    const line = page.locator('.proof li', { hasText: 'LOG_LEVEL' });
    await line.locator('del', { hasText: 'info' }).waitFor();
    await line.locator('ins', { hasText: 'proposed value' }).waitFor();
    await expectFineLooks(page, 'proposal-values');
    await button(page, 'Hide values').click();
    await button(page, 'Approve and apply').click({ force: true });
    expect(await currentValue('production', 'LOG_LEVEL')).toBe('info ');
    await typeSlug(page);
    await button(page, 'Approve and apply').click();
    await toast(page, /Approved, and applied as revision \d+\./);
    await page.getByText(/Applied as revision \d+ by/).waitFor();
    expect(await currentValue('production', 'LOG_LEVEL')).toBe('proposed value');
    await expectFineLooks(page, 'proposal-applied', { as: wideAndNarrow });
    await link(page, 'History').click();
    await page.getByText(`and approved by ${world.people.owner.email}`).waitFor();
  });

  it('counts each approval, and tells whoever has approved what is missing', async () => {
    await requireApprovals(2, 'production');
    const proposal = await propose('developer', { COUNTED: '1' });
    const page = await openAt(proposalScreen(proposal), 'admin');
    await button(page, 'Approve').click();
    await toast(page, 'Approved. It waits for 1 more approval.');
    await page.getByText('Waiting for approval: 1 of 2.').waitFor();
    await page.getByText('You approved it.').waitFor();
    expect(await currentValue('production', 'COUNTED')).toBeUndefined();
    await requireApprovals(1, 'production');
    await page.reload();
    await page.getByText('Ready to be applied.').waitFor();
    await typeSlug(page);
    await button(page, 'Apply as one revision').click();
    await toast(page, /Applied as revision \d+ of production\./);
    expect(await currentValue('production', 'COUNTED')).toBe('1');
  });

  it('shows whoever is late what became of the proposal', async () => {
    const proposal = await propose('developer', { RACED: '1' });
    const late = await openAt(proposalScreen(proposal), 'owner');
    await typeSlug(late);
    const page = await openAt(proposalScreen(proposal), 'admin');
    await button(page, 'Reject …').click();
    await submit(dialog(page), { 'Why? (optional)': 'Not before Monday' }, 'Reject');
    await toast(page, 'Rejected. Nothing in production changed.');
    await button(late, 'Approve and apply').click();
    await late.getByText('It was closed while you looked').waitFor();
    await late.getByText('“Not before Monday”').waitFor();
    expect(await currentValue('production', 'RACED')).toBeUndefined();
    await expectFineLooks(late, 'proposal-late', { as: wideAndNarrow });
    const author = await openAt(proposalScreen(proposal), 'developer');
    await author.getByText('Not before Monday').waitFor();
    await link(author, 'All proposals of production').click();
    await author.getByRole('heading', { name: 'Closed' }).waitFor();
    await author.getByText(`Rejected by ${world.people.admin.email}: “Not before Monday”`).waitFor();
    await expectFineLooks(author, 'proposals-closed', { as: wideAndNarrow });
  });

  it('can be changed by an owner without approval, with a reason; then a proposal is stale until it is proposed again', async () => {
    const proposal = await propose('admin', { MAIL_FROM: 'proposed', RELEASE: '2' });
    const owner = await openAt(world.screen('production'), 'owner');
    await stageValue(owner, 'MAIL_FROM', 'in an emergency');
    await press(owner, 'Review', 'Apply without approval …');
    const question = dialog(owner, 'Apply without approval');
    await question.getByLabel('Type production to confirm').fill('production');
    await question.getByLabel('Reason').fill('Mail is down');
    await expectFineLooks(owner, 'bypass', { as: wideAndNarrow, fullPage: false });
    await button(question, 'Apply without approval').click();
    await toast(owner, /Applied as revision \d+ of production\./);
    expect(await currentValue('production', 'MAIL_FROM')).toBe('in an emergency');

    await owner.goto(proposalScreen(proposal));
    await owner.getByText('One of its keys has changed in production since it was proposed').waitFor();
    await owner.locator('.proof li', { hasText: 'MAIL_FROM' }).getByText('changed since it was proposed').waitFor();
    await owner.getByText('Keys have changed since: its author has to propose it again first.').waitFor();
    await expectFineLooks(owner, 'proposal-stale');
    const author = await openAt(proposalScreen(proposal), 'admin');
    await settled(author);
    await expectFineLooks(author, 'proposal-stale-author', { as: wideAndNarrow });
    await button(author, 'Propose again on the present values').click();
    await toast(author, /Proposed again on revision \d+\. Approvals start over\./);
    await owner.reload();
    await typeSlug(owner);
    await button(owner, 'Approve and apply').click();
    await toast(owner, /Approved, and applied/);
    expect(await currentValue('production', 'MAIL_FROM')).toBe('proposed');
  });

  it('applies nothing that an approver has not seen: what was proposed again is shown first', async () => {
    const proposal = await propose('admin', { SEEN: 'first' });
    const page = await openAt(proposalScreen(proposal), 'owner');
    await typeSlug(page);
    await world.owner('PUT', `${world.path('production')}?bypass=Down`, { key: 'SEEN', value: 'by the owner' });
    await call('POST', `${world.path('production')}/proposals/${proposal.id}/rebase`, 'admin');
    await button(page, 'Approve and apply').click();
    await page.getByText('Its author proposed it again while you looked').waitFor();
    await page.getByText('1 key: 1 changed').waitFor();
    expect(await currentValue('production', 'SEEN')).toBe('by the owner');
    await typeSlug(page);
    await button(page, 'Approve and apply').click();
    await toast(page, /Approved, and applied/);
    expect(await currentValue('production', 'SEEN')).toBe('first');
  });

  it('proposes promotions and restores too', async () => {
    await requireApprovals(1, 'staging');
    await world.owner('PUT', world.path('dev'), { key: 'PROMOTED', value: 'from dev' });
    const revision = await currentRevision('staging');
    const page = await openAt(`${world.screen('dev').replace(/environments.*/, 'promote')}`, 'admin');
    await page.getByLabel('From', { exact: true }).selectOption('dev');
    await page.getByLabel('To', { exact: true }).selectOption('staging');
    await page.getByText('staging stays as it is until one other person approves it.').waitFor();
    await expectFineLooks(page, 'promote-proposing', { as: wideAndNarrow });
    await button(page, 'Propose').click();
    await page.getByText(/^Promotion of \d+ keys from dev at \d+$/).waitFor();
    await press(page, 'Withdraw …');
    await button(dialog(page), 'Withdraw').click();
    await toast(page, 'Withdrawn. Nothing in staging changed.');
    await page.goto(`${world.screen('staging')}/revisions`);
    await button(page, 'Restore revision 0, the empty environment …').click();
    await button(dialog(page), 'Propose').click();
    await page.getByText(/^Restore of revision 0: \d+ keys$/).waitFor();
    expect(await currentRevision('staging')).toBe(revision);
  });

  it('offers to propose if approvals became necessary while somebody worked', async () => {
    const page = await openAt(world.screen('dev'), 'admin');
    await stageValue(page, 'LOG_LEVEL', 'staged before');
    await button(page, 'Delete DATABASE_URL').click();
    await button(page, 'Review').click();
    await page.locator('.apply button:not([aria-disabled])').waitFor();
    await requireApprovals(1, 'dev');
    await button(page, 'Apply as one revision').click();
    await page.getByText('Changes of this environment need approval: propose it instead.').waitFor();
    await button(page, 'Propose').click();
    await page.getByText('Waiting for approval: 0 of 1.').waitFor();
    await page.getByText('DATABASE_URL is required, and would be deleted').waitFor();
    await expectFineLooks(page, 'proposal-template', { as: wideAndNarrow });
    expect(await currentValue('dev', 'LOG_LEVEL')).toBe('debug');
    await requireApprovals(0, 'dev');
  });

  it('shows proposals and values to those whom a grant lets in', async () => {
    const proposal = await propose('admin', { GRANTED: 'value' });
    const guest = await seedPerson({ name: 'Alan' });
    await join(world.api, world.people.owner, guest, 'viewer');
    const { members } = await call('GET', `/members/${world.organization.id}`, 'owner');
    const { id } = members.find(({ userId }: { userId: string }) => userId === guest.user.id);
    const environment = world.project.environments.find(({ slug }: { slug: string }) => slug === 'production');
    for (const access of ['read', 'write']) {
      const body = { environmentId: environment?.id, access, minutes: 5, reason: 'An incident' };
      await call('POST', `/members/${world.organization.id}/${id}/grants`, 'owner', body);
    }
    const page = await openPageAt(proposalScreen(proposal), guest);
    await button(page, 'Show values').click();
    await page.locator('.proof li', { hasText: 'GRANTED' }).locator('ins', { hasText: 'value' }).waitFor();
    await page.goto(`${world.screen('production')}/revisions`);
    await page.getByRole('heading', { name: /^History of/ }).waitFor();
  });

  it('hides proposals from those who can’t change it, and values from those who can’t read it', async () => {
    const proposal = await propose('admin', { HIDDEN: 'value' });
    const viewer = await openAt(proposalScreen(proposal), 'viewer');
    await viewer.getByText('As a viewer, you can’t change production, nor see what others propose.').waitFor();
    const developer = await openAt(proposalScreen(proposal), 'developer');
    await developer.getByText('You can’t read production, so its values can’t be shown.').waitFor();
    expect(await button(developer, 'Show values').count()).toBe(0);
    await developer.goto(`${world.screen('production')}/proposals/01943c8e-5a10-7c3d-9f42-6b8e2d7a1c05`);
    await developer.getByText('production has no such proposal.').waitFor();
  });

  it('of a rotation is neither applied without its scripts nor rejected while its author can go on', async () => {
    await requireApprovals(0, 'staging');
    const path = `${world.path('staging')}/proposals`;
    const body = { set: [{ key: 'ROTATED', value: 'new' }], purpose: 'rotation' };
    const { proposal } = await call('POST', path, 'developer', body);
    await call('PUT', `${path}/${proposal.id}/progress`, 'developer', { progress: 'started' });
    const screen = `${world.screen('staging')}/proposals/${proposal.id}`;
    const author = await openAt(screen, 'developer');
    await author.getByText('Go on with it, with its scripts: holdfast rotate --resume').waitFor();
    await button(author, 'Withdraw …').waitFor();
    expect(await button(author, 'Apply as one revision').count()).toBe(0);

    const admin = await openAt(screen, 'admin');
    await button(admin, 'Reject …').click();
    await dialog(admin).getByText('It can only be rejected once its author may no longer write here.').waitFor();
    await submit(dialog(admin), {}, 'Reject');
    await admin.getByText('Only its author can end it.').waitFor();
    expect((await call('GET', `${path}/${proposal.id}`, 'admin')).proposal.state).toBe('open');
    await call('POST', `${path}/${proposal.id}/withdraw`, 'developer');
  });
});
