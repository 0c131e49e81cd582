import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { phraseOf, sentences } from '#clients/dashboard/src/screens/organization/audit/phrase.ts';
import { clientName } from '#clients/dashboard/src/ui/client-name.ts';
import { closeNames } from '#clients/dashboard/src/ui/close-names.ts';
import { auditActions } from '#lib/contracts/fields/audit-action.ts';
import { chunksOf } from '#lib/core/chunks-of.ts';
import { shared } from '#test/support/fixtures.ts';
import { seedPerson } from '#test/support/people.ts';
import { expectStatus } from '#test/support/sample-requests.ts';
import { auditEntry, seedAudit } from '#test/support/seed-audit.ts';
import { button, settled, withoutBrowser } from './browser.ts';
import { expectFineLooks, wideAndNarrow } from './looks.ts';
import { useWorld } from './world.ts';

const { world, openAt, usePage } = useWorld();
const page = usePage(() => world.people.owner);
const auditOf = ({ slug }: { slug: string }) => `/organizations/${slug}/audit`;
const hourMs = 3_600_000;
const entries = () => page.locator('.journal > li');
const chips = () => page.getByRole('list', { name: 'Filters in use' });
const chip = (text: string) => chips().getByRole('link', { name: text });
const parameters = () => Object.fromEntries(new URL(page.url()).searchParams);
const expectEntries = (number: number) => expect.poll(() => entries().count()).toBe(number);

describe.skipIf(withoutBrowser)('the filters of the audit log', () => {
  let token: { id: string; caller: { token: string } };
  beforeAll(async () => {
    const made = await world.owner('POST', '/auth/token', { name: 'nightly', access: 'read' });
    token = { id: made.cliToken.id, caller: { token: made.token } };
    await expectStatus(world.api.get(world.path('dev'), token.caller), 200);
    await expectStatus(world.api.get(`${world.path('staging')}?keys=MAIL_FROM`, token.caller), 200);
  });

  it('are set by clicking what an entry says, and narrow the log step by step', async () => {
    await page.goto(auditOf(world.organization));
    await entries().first().waitFor();
    await page.getByRole('link', { name: '“nightly”' }).first().click();
    await chip('token “nightly”').waitFor();
    expect(parameters()).toEqual({ tokenId: token.id });
    await expectEntries(2);
    await page.getByRole('link', { name: 'MAIL_FROM' }).first().click();
    // The pull of everything in dev had the key too, without naming it.
    await chip('key MAIL_FROM').waitFor();
    await expectEntries(2);
    await page.getByRole('link', { name: 'staging', exact: true }).click();
    await chip('environment web-shop/staging').waitFor();
    await expectEntries(1);
    expect(await entries().first().textContent()).toContain('secret.pulled');
    expect(await page.content()).not.toContain('hello@shop.example');
    await expectFineLooks(page, 'audit-narrowed');
  });

  it('are a link that shows a colleague the same, and that the back button undoes', async () => {
    const colleague = await openAt(page.url(), world.people.admin);
    await colleague.getByRole('list', { name: 'Filters in use' }).getByText(token.id).waitFor();
    await colleague.locator('.journal > li').first().waitFor();
    expect(await colleague.locator('.journal > li').count()).toBe(1);
    await page.goBack();
    await chip('environment').waitFor({ state: 'detached' });
    await expectEntries(2);
  });

  it('are chips that remove them', async () => {
    await chip('token').click();
    await chip('token').waitFor({ state: 'detached' });
    expect(parameters()).toEqual({ key: 'MAIL_FROM' });
    await page.getByRole('link', { name: world.people.owner.email }).first().click();
    await chip(`by ${world.people.owner.email}`).waitFor();
    await page.getByRole('link', { name: 'web-shop', exact: true }).first().click();
    await chip('project web-shop').waitFor();
    await page.getByRole('link', { name: 'Remove all' }).click();
    await chips().waitFor({ state: 'detached' });
    expect(parameters()).toEqual({});
  });

  it('are chosen and typed too, with a period in the reader’s time zone', async () => {
    await page.getByLabel('Action').selectOption('secret.pulled');
    await chip('action secret.pulled').waitFor();
    await page.getByLabel('Project or environment').selectOption('web-shop/dev');
    await chip('environment web-shop/dev').waitFor();
    await page.getByLabel('Key').fill('LOG_LEVEL');
    await page.getByText('Period: all time').click();
    await page.getByRole('textbox', { name: 'From' }).fill('2020-02-03T04:05');
    await page.getByLabel('Key').press('Enter');
    await chip('key LOG_LEVEL').waitFor();
    await expectEntries(1);
    expect(parameters()).toMatchObject({
      action: 'secret.pulled',
      key: 'LOG_LEVEL',
      since: new Date('2020-02-03T04:05').toISOString(),
    });
    await page.reload();
    await expectEntries(1);
    expect(await page.getByRole('textbox', { name: 'From' }).inputValue()).toBe('2020-02-03T04:05');
    expect(await page.getByLabel('Action').inputValue()).toBe('secret.pulled');
    await page.getByRole('textbox', { name: 'Until' }).fill('2020-02-04T00:00');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('No entry matches the filters.').waitFor();
    await expectFineLooks(page, 'audit-nothing', { as: wideAndNarrow });
  });

  it('show what the service says about a filter that is none', async () => {
    await page.goto(`${auditOf(world.organization)}?tokenId=nothing`);
    await page.getByRole('alert').waitFor();
    await chip('token nothing').click();
    await entries().first().waitFor();
  });
});

describe.skipIf(withoutBrowser)('the audit log of an organization', () => {
  it('is filtered by a person and by a token, each by name', async () => {
    await page.goto(auditOf(world.organization));
    const who = page.getByLabel('Who');
    await who.selectOption(`Grace Hopper, ${world.people.admin.email}`);
    await chip(`by ${world.people.admin.email}`).waitFor();
    expect(parameters()).toEqual({ actor: world.people.admin.user.id });
    await who.selectOption('token: nightly');
    await chip('token “nightly”').waitFor();
    await expectEntries(2);
    await who.selectOption('Everyone');
    await chips().waitFor({ state: 'detached' });
  });

  it('is downloaded with its filters, and no cell is a formula', async () => {
    await world.owner('PUT', world.path('dev'), {
      key: 'LOG_LEVEL',
      value: 'info',
      message: '=HYPERLINK("https://evil")',
    });
    await page.goto(`${auditOf(world.organization)}?key=LOG_LEVEL&action=secret.updated`);
    const [file] = await Promise.all([page.waitForEvent('download'), button(page, 'Download CSV').click()]);
    expect(file.suggestedFilename()).toMatch(/^audit-.+-\d{4}-\d\d-\d\d\.csv$/);
    const [header, newest] = readFileSync(await file.path(), 'utf8').split('\r\n');
    expect(header).toMatch(/^createdAt,action,actor.type/);
    expect(newest).toContain(`"'=HYPERLINK(""https://evil"")"`);
  });

  it('folds away checks that showed no value, and says how many they are', async () => {
    // Only a pattern looks at values.
    const { slug } = world.organization;
    await world.owner('POST', `/templates/${slug}/web-shop`, { key: 'LOG_LEVEL', pattern: '.+' });
    await page.goto(`/organizations/${slug}/projects/web-shop/template`);
    await settled(page);
    await page.goto(auditOf(world.organization));
    const folded = page.getByText('3 checks that showed no value');
    await folded.waitFor();
    expect(await page.getByText('validated LOG_LEVEL').first().isVisible()).toBe(false);
    await folded.click();
    await expectFineLooks(page, 'audit-folded', { as: wideAndNarrow });
    await page.getByLabel('Action').selectOption('environment.validated');
    await page.getByText('validated LOG_LEVEL').first().waitFor();
    expect(await folded.count()).toBe(0);
  });

  it('shows a developer who changed the secrets that they may read, in the history of each environment', async () => {
    const developer = await openAt(auditOf(world.organization), world.people.developer);
    await developer.getByText('Only owners and admins can see the audit log.').waitFor();
    expect(await developer.getByRole('link', { name: 'web-shop/production' }).count()).toBe(0);
    await developer.getByRole('link', { name: 'web-shop/dev' }).click();
    await developer.getByText(world.people.owner.email).first().waitFor();
  });
});

describe('an entry in words', () => {
  const target = { type: 'member' as const, id: 'x', name: 'ada@example.com' };
  it.each([...auditActions])('is a sentence for %s', action => {
    expect(sentences[action]).toMatch(/^[a-z]/);
  });

  it.each([
    [
      'member.role_changed',
      { from: 'viewer', to: 'developer' },
      'changed the role of {target} from viewer to developer',
    ],
    ['secret.promoted', { from: { slug: 'dev', revision: 3 } }, 'promoted {keys} from dev@3 to {place}'],
    ['secret.restored', {}, 'restored {keys} in {place}'],
    ['member.joined', { role: 'viewer', via: 'provider' }, 'joined the organization as viewer through the provider'],
  ] as const)('has the details of %s', (action, details, text) => {
    const entry = { ...auditEntry(action, 0), target, details };
    expect(phraseOf(entry)).toEqual({ text, unsaid: {} });
  });

  it('names the program that was used', () => {
    const names = Object.entries({
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36': 'Chrome on Linux',
      'holdfast-cli/0.1.0': 'the command line 0.1.0',
      'holdfast-run.sh/0.1.0': 'run.sh 0.1.0',
      'curl/8.5.0': 'curl 8.5.0',
      'terraform (linux)': 'terraform (linux)',
    });
    for (const [userAgent, name] of names) expect(clientName(userAgent)).toBe(name);
  });
});

describe('names that somebody may have meant', () => {
  it.each([
    ['web-shp', ['web-shop']],
    ['prod', ['production']],
    ['staging2', ['staging']],
    ['x', []],
  ])('are for %s %j', (wrong, close) => {
    expect(closeNames(wrong, ['dev', 'staging', 'production', 'web-shop', 'billing'])).toEqual(close);
  });
});

describe.skipIf(withoutBrowser)('the chart of the audit log', () => {
  const owner = shared(() => seedPerson({ name: 'Dorothy Vaughan' }));
  const visitor = usePage(() => owner);
  const at = (hoursAgo: number, minute: number) =>
    Math.floor(Date.now() / hourMs - hoursAgo) * hourMs + minute * 60_000;
  beforeAll(async () => {
    await seedAudit(owner.organization.id, [
      ...Array.from({ length: 40 }, (_, n) => auditEntry('secret.pulled', at(3, n))),
      ...Array.from({ length: 10 }, (_, n) => auditEntry('secret.updated', at(3, n))),
      ...Array.from({ length: 5 }, (_, n) => auditEntry('secret.compared', at(7, n))),
      auditEntry('secret.pulled', at(48, 0)),
    ]);
  });
  it('counts reads and changes of the last day by hour, and has a table with the same numbers', async () => {
    await visitor.goto(auditOf(owner.organization));
    // The organization’s creation is a change too.
    await visitor.getByRole('img', { name: /^45 reads and 11 changes by hour, from / }).waitFor();
    await visitor.getByText('As a table').click();
    const table = visitor.getByRole('table', { name: 'Reads and changes by hour' });
    const rows = (await table.getByRole('row').allTextContents()).slice(1);
    expect(rows.map(text => text.replace(/^.*[AP]M/, ''))).toEqual(['01', '4010', '50']);
    await expectFineLooks(visitor, 'audit-chart', { fullPage: false });
    await table.getByRole('link').nth(2).click();
    await visitor.getByRole('img', { name: /^5 reads and 0 changes/ }).waitFor();
    expect(await visitor.locator('.journal > li').count()).toBe(5);
  });

  it('says which part of the period it covers if there is more than one request returns', async () => {
    const busy = await seedPerson({ name: 'Mary Jackson' });
    const start = Date.now() - 2 * hourMs;
    await seedAudit(
      busy.organization.id,
      Array.from({ length: 700 }, (_, n) => auditEntry('secret.pulled', start + n * 1000)),
    );
    const other = await openAt(`${auditOf(busy.organization)}?action=secret.pulled`, busy);
    await other.getByText('of the newest 500 entries: there are more before').waitFor();
    const label = await other.getByRole('img', { name: /by hour/ }).getAttribute('aria-label');
    const since = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' }).format(start + 200_000);
    expect(label).toContain(`500 reads and 0 changes by hour, from ${since}`);
  });
});

describe.skipIf(withoutBrowser)('a log that one request can’t count', () => {
  it('says so instead of a total, and is searched further on request', async () => {
    const owner = await seedPerson({ name: 'Annie Easley' });
    const actor = { id: randomUUID(), email: 'ada@example.com', type: 'token' as const, tokenId: randomUUID() };
    // Names that can't be packed: a page of 1 MB has some five of such entries, and a request reads eleven pages to
    // count them.
    const keys = Array.from({ length: 1000 }, () => randomBytes(188).toString('base64url').slice(0, 250));
    const long = Array.from({ length: 70 }, (_, n) =>
      auditEntry('secret.updated', Date.now() - 5 * 24 * hourMs + n * 1000, { keys, actor }),
    );
    for (const some of chunksOf(20, long)) await seedAudit(owner.organization.id, some);
    const visitor = await openAt(`${auditOf(owner.organization)}?action=secret.updated&actor=${actor.id}`, owner);
    const uncounted = visitor.getByText('50 entries so far. There are too many to count at once.');
    await uncounted.waitFor();
    const found = visitor.locator('.journal > li');
    expect(await found.count()).toBe(50);
    expect(await visitor.getByRole('navigation', { name: 'Pages' }).count()).toBe(0);
    await expectFineLooks(visitor, 'audit-uncounted', { as: wideAndNarrow, fullPage: false });
    await visitor.getByRole('button', { name: 'Search further' }).click();
    await found.nth(69).waitFor();
    expect(await found.count()).toBe(70);
    expect(await uncounted.count()).toBe(0);
    expect(await visitor.getByRole('button', { name: 'Search further' }).count()).toBe(0);
  }, 120_000);
});
