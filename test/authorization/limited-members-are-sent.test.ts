import { expect, it } from 'vitest';
import type { Grant } from '#lib/contracts/fields/grant.ts';
import { at } from '#lib/table/read.ts';
import { organizationRecord } from '#lib/table/records/organization.ts';
import { transact, update } from '#lib/table/write.ts';
import { startApi, useApi } from '../support/api.ts';
import { openWorkplace, type Workplace } from '../support/environments.ts';
import { eventually } from '../support/eventually.ts';
import { shared } from '../support/fixtures.ts';
import { type Person, seedPerson } from '../support/people.ts';
import { startReceiver } from '../support/receiver.ts';
import { expectStatus, join } from '../support/sample-requests.ts';
import { auditEntry, seedAudit, seedPulls } from '../support/seed-audit.ts';

/* What happens in another project reaches no limited member by mail, by a webhook or by the log. */

const api = useApi(() => startApi({ REQUESTS_PER_MINUTE: '-1' }));
const receiver = shared(startReceiver);

interface Member extends Person {
  memberId: string;
}

/** Two projects of one organization, and people who are limited to one of them. */
const scene = shared(async () => {
  const shop = await openWorkplace(api);
  const { owner } = shop;
  const { id, slug } = owner.organization;
  const limitOverrides = { maxProjects: -1, maxMembers: -1, maxWebhooks: -1 };
  await transact([update(at(organizationRecord, slug), { set: { limitOverrides } })]);
  const ledger = await openWorkplace(api, owner);
  const add = async (role: string, limitedTo?: string): Promise<Member> => {
    const person = await seedPerson({ name: role });
    const member = { ...person, memberId: (await join(api, owner, person, 'developer')).id };
    if (limitedTo === undefined) return member;
    const rights = { limited: true, projectRoles: [{ projectId: limitedTo, role }] };
    await expectStatus(api.put(`/members/${id}/${member.memberId}/projects`, rights, owner.session), 200);
    return member;
  };
  const limited = {
    admin: await add('admin', shop.project.id),
    developer: await add('developer', shop.project.id),
    viewer: await add('viewer', shop.project.id),
  };
  return { owner, shop, ledger, limited, colleague: await add('developer') };
});

/** Everything about a project that mails people: a proposal, a change without approval, and a request for access. */
async function makeMails({ at: pathTo, environmentId, projectPath, set }: Workplace, note: string): Promise<void> {
  const { owner, colleague } = scene;
  const proposal = { set: [{ key: 'PROPOSED', value: 'x' }], message: note };
  for (const env of ['staging', 'production']) {
    await expectStatus(api.patch(`${projectPath}/environments/${env}`, { approvals: 1 }, owner.session), 200);
  }
  await expectStatus(api.post(pathTo('staging', '/proposals'), proposal, colleague.session), 201);
  await expectStatus(set('production', 'URGENT', 'x', { query: `?bypass=${note}` }), 201);
  const asked = { environmentId: environmentId('production'), access: 'read', minutes: 60, reason: note };
  await expectStatus(api.post(`/grants/${owner.organization.id}/requests`, asked, colleague.session), 201);
}

/** The subjects of somebody's mails about a project, in order. */
const subjectsOf = async ({ email }: Person, note: string): Promise<string[]> =>
  (await api.mails())
    .filter(({ to, text }) => to === email && text.includes(note))
    .map(({ subject }) => subject)
    .toSorted();

const proposed = 'A change waits for your approval';
const bypassed = 'Secrets were changed without approval';
const requested = 'Somebody asks for access to secrets';

it('a mail goes to those who work in its project', async () => {
  const { owner, shop, ledger, limited } = scene;

  // First the other project: a mail about it would also use up the one that each person gets in an hour.
  await makeMails(ledger, 'about-ledger');
  await eventually(async () =>
    expect(await subjectsOf(owner, 'about-ledger')).toEqual([proposed, bypassed, requested]),
  );
  await makeMails(shop, 'about-shop');

  const all = [proposed, bypassed, requested];
  await eventually(async () => expect(await subjectsOf(limited.admin, 'about-shop')).toEqual(all));
  await eventually(async () => expect(await subjectsOf(limited.developer, 'about-shop')).toEqual([proposed]));
  const emails = Object.values(limited).map(({ email }) => email);
  const told = (await api.mails()).filter(({ to }) => emails.includes(to));
  expect(told.filter(({ text }) => /about-ledger/.test(text) || text.includes(ledger.project.slug))).toEqual([]);
  expect(await subjectsOf(limited.viewer, 'about-shop')).toEqual([]);
});

it('a webhook of a project is sent nothing of another one', async () => {
  const { owner, shop, ledger } = scene;
  const hook = async (path: string, limits: object) => {
    const body = { url: `${receiver.url}/${path}`, events: ['secret.created', 'secret.updated'], ...limits };
    await expectStatus(api.post(`/webhooks/${owner.organization.id}`, body, owner.session), 201);
  };
  await hook('all', {});
  await hook('shop', { projectId: shop.project.id });
  const sentTo = (path: string) =>
    receiver.received.filter(one => one.path === `/${path}`).map(({ body }) => JSON.parse(body.toString()));

  await expectStatus(ledger.set('dev', 'IN_LEDGER', 'x'), 201);
  await expectStatus(shop.set('dev', 'IN_SHOP', 'x'), 201);

  await eventually(() => {
    expect(sentTo('all')).toHaveLength(2);
    expect(sentTo('shop')).not.toEqual([]);
  });
  expect(sentTo('shop')).toHaveLength(1);
  expect(JSON.stringify(sentTo('shop'))).not.toContain(ledger.project.id);
});

it('a grant or request in another project is not shown', async () => {
  const { owner, shop, ledger, limited, colleague } = scene;
  const { id } = owner.organization;
  for (const place of [ledger, shop]) {
    const body = { environmentId: place.environmentId('dev'), access: 'write', minutes: 60, reason: 'x' };
    await expectStatus(api.post(`/members/${id}/${colleague.memberId}/grants`, body, owner.session), 201);
  }

  const { grants, requests } = (await api.get(`/grants/${id}`, limited.admin.session)).body;

  expect([...grants, ...requests].map(({ projectId }: Grant) => projectId)).toEqual(Array(2).fill(shop.project.id));
});

it('no position in the log is that of an entry of another project', async () => {
  const { owner, shop, limited } = scene;
  const { id } = owner.organization;
  const startMs = Date.now() - 3_600_000;
  // So many that a scan reads several pages of them, with a few of the own project in the first and the last one.
  const pulls = await seedPulls(id, 600, startMs);
  const target = { type: 'project', id: shop.project.id, name: shop.project.slug } as const;
  await seedAudit(
    id,
    [10, 20, 280, 290].map(ms => auditEntry('secret.pulled', startMs + ms, { target })),
  );
  const pages = async (path: string, first: string): Promise<{ entries: object[]; next: string }[]> => {
    const found: { entries: object[]; next: string }[] = [];
    for (let after = first; found.length < 10; ) {
      const url = `/audit/${id}${path}?action=secret.pulled&project=${shop.project.id}&limit=2${after}`;
      const { body } = await expectStatus(api.get(url, limited.admin.session), 200);
      if (body.next === undefined) break;
      found.push(body);
      if (after === `&after=${body.next}`) break;
      after = `&after=${body.next}`;
    }
    return found;
  };
  const from = Buffer.from(JSON.stringify({ from: new Date(startMs + 400).toISOString() })).toString('base64url');

  const found = [...(await pages('/feed', '')), ...(await pages('', `&after=${from}`))];

  expect(found.flatMap(({ entries }) => entries).length).toBeGreaterThanOrEqual(6);
  const positions = found.map(({ next }) => JSON.parse(Buffer.from(next, 'base64url').toString()).from as string);
  const hidden = new Set(pulls.flatMap(({ id: entryId, createdAt }) => [entryId, createdAt]));
  const seen = new Set(found.flatMap(({ entries }) => entries.map(entry => JSON.stringify(entry))));
  const isOwn = (part: string) => [...seen].some(entry => entry.includes(part));
  expect(positions.filter(position => position.split('#').some(part => hidden.has(part) && !isOwn(part)))).toEqual([]);
});
