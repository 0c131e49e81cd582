import { type Samples, sample } from '#test/support/derive-sample.ts';
import { expectStatus } from '#test/support/sample-requests.ts';

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
  // 25 hours touch two days at any time of day, so the counts do not depend on the clock.
  'summarize-metrics': sample({ query: '?hours=25' }),
};
