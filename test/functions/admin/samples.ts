import type { Api } from '#test/support/api.ts';
import { type Samples, sample } from '#test/support/derive-sample.ts';
import { seedPerson } from '#test/support/people.ts';
import { lostOrganization, seedRecovery, storedRecovery } from '#test/support/recovery.ts';
import { expectStatus, join } from '#test/support/sample-requests.ts';

/** An administrator, and the organization that they help. */
async function withLostOrganization(api: Api) {
  const [admin, { lost, heir }] = await Promise.all([seedPerson({ isAdmin: true }), lostOrganization(api, join)]);
  return { ...admin, organization: lost.organization, lost, heir };
}

/** The same, and another administrator’s recovery of it. */
async function withRecovery(api: Api, isApproved: boolean) {
  const [{ lost, heir, ...admin }, other] = await Promise.all([
    withLostOrganization(api),
    seedPerson({ isAdmin: true }),
  ]);
  const { id } = await seedRecovery(lost, heir, other, isApproved ? { approvedBy: admin } : {});
  return { ...admin, id };
}

export const samples: Samples = {
  'list-organizations': sample({ query: ({ organization }) => `?search=${organization.slug}` }),
  'update-organization': sample({
    body: () => ({ plan: 'pro', limitOverrides: { maxProjects: 7 } }),
    isDone: async ({ organization, session }, api) => {
      const path = `/admin/orgs/${organization.id}`;
      const { plan, limitOverrides } = (await expectStatus(api.get(path, session), 200)).body.organization;
      if ((plan === 'pro') !== (limitOverrides.maxProjects === 7)) throw new Error('Half of a change is there.');
      return plan === 'pro';
    },
  }),
  // Always the same value, because concurrent samples share the one item of all plans.
  'update-plan': sample({
    values: () => ({ planName: 'enterprise' }),
    body: () => ({ limits: { maxProjects: -1 } }),
    isDone: async ({ session }, api) => (await api.get('/admin/plans', session)).status === 200,
  }),
  'start-recovery': sample({
    world: withLostOrganization,
    body: ({ heir }) => ({ email: heir.email, reason: 'Ticket 4711' }),
    isDone: async there => (await storedRecovery(there)) !== undefined,
  }),
  'advance-recovery approve': sample({
    world: api => withRecovery(api, false),
    body: ({ id }) => ({ id, step: 'approve' }),
    isDone: async there => (await storedRecovery(there))?.approvedBy !== null,
  }),
  'advance-recovery complete': sample({
    world: api => withRecovery(api, true),
    body: ({ id }) => ({ id, step: 'complete' }),
    isDone: async there => (await storedRecovery(there))?.state === 'completed',
  }),
  // 25 hours touch two days at any time of day, so the counts do not depend on the clock.
  'summarize-metrics': sample({ query: '?hours=25' }),
};
