import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { renewAccess } from '#lib/organizations/change-counts.ts';
import { at, type Read } from '#lib/table/read.ts';
import { environmentRecord, environmentStateRecord } from '#lib/table/records/environment.ts';
import { organizationRecord } from '#lib/table/records/organization.ts';
import { projectRecord } from '#lib/table/records/project.ts';
import { remove, transact, update } from '#lib/table/write.ts';
import { createProject, startApi } from '#test/support/api.ts';
import { shared } from '#test/support/fixtures.ts';
import { gate } from '#test/support/gate.ts';
import { conductedHandlers } from '#test/support/observe-calls.ts';
import { type Person, seedPerson } from '#test/support/people.ts';

/** Called before a request reads something after a transaction: it has found out that the slug is taken. */
let onWait: (() => unknown) | undefined;

const api = shared(() =>
  startApi(
    {},
    conductedHandlers(({ name }) => {
      let hasWritten = false;
      return {
        call: async (call, send) => {
          if (call.operation === 'TransactWriteItems') hasWritten = true;
          if (call.operation === 'GetItem' && hasWritten && name.startsWith('create-')) await onWait?.();
          return send();
        },
      };
    }),
  ),
);

type Holder = Read<{ id: string; status: 'active' | 'deleting' }>;

/** Resources whose erasure has begun and that nothing erases until the test does. */
async function beginErasures(owner: Person) {
  const orgSlug = owner.organization.slug;
  const [shop, kept] = [await createProject(api, owner, 'Shop'), await createProject(api, owner, 'Kept')];
  const old = `old-${randomUUID().slice(0, 8)}`;
  expect((await api.post('/orgs', { name: 'Old', slug: old }, owner.session)).status).toBe(201);
  const projects = `/projects/${owner.organization.id}`;
  const path = { orgSlug, project: kept.slug, env: 'dev' };
  const cases: { route: string; slug: string; holder: Holder; below: Holder[] }[] = [
    { route: '/orgs', slug: old, holder: at(organizationRecord, old), below: [] },
    {
      route: projects,
      slug: shop.slug,
      holder: at(projectRecord, orgSlug, shop.slug),
      below: shop.environments.flatMap(({ slug }) => [
        at(environmentRecord, orgSlug, shop.slug, slug),
        at(environmentStateRecord, { orgSlug, project: shop.slug, env: slug }),
      ]),
    },
    {
      route: `${projects}/${kept.slug}/environments`,
      slug: 'dev',
      holder: at(environmentRecord, orgSlug, kept.slug, 'dev'),
      below: [at(environmentStateRecord, path)],
    },
  ];
  for (const { holder } of cases) {
    const renewals = holder.entity.kind === 'project' ? [renewAccess(owner.organization)] : [];
    await transact([update(holder, { set: { status: 'deleting' } }), ...renewals]);
  }
  return cases;
}

describe('creating something under a slug whose last holder is being erased', () => {
  it('waits until the slug is free', async () => {
    const owner = await seedPerson();
    for (const { route, slug, holder, below } of await beginErasures(owner)) {
      const waiting = gate();
      onWait = waiting.open;
      const creation = api.post(route, { name: 'New', slug }, owner.session);
      await Promise.race([waiting.opened, creation]);
      const renewals = holder.entity.kind === 'project' ? [renewAccess(owner.organization)] : [];
      await transact([...[holder, ...below].map(item => remove(item)), ...renewals]);
      const { status, body } = await creation;
      expect([route, status, body.error]).toEqual([route, 201, undefined]);
    }
  });

  it('says that the erasure is still going on, except of organizations, however slow its reads are', async () => {
    onWait = () => sleep(2000);
    const owner = await seedPerson();
    const answers = await Promise.all(
      (await beginErasures(owner)).map(({ route, slug }) => api.post(route, { name: 'New', slug }, owner.session)),
    );
    expect(answers.map(({ status, body }) => [status, body.error.code, body.error.details])).toEqual([
      [409, 'slug_taken', undefined],
      [409, 'slug_taken', { beingErased: true, retryAfterSeconds: 10 }],
      [409, 'slug_taken', { beingErased: true, retryAfterSeconds: 10 }],
    ]);
  });
});
