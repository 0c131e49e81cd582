import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { sign } from '#infra/local/stand-ins/payment/events.ts';
import { routedFunctions } from '#infra/plan/functions.ts';
import { type Answer, createProject } from '#test/support/api.ts';
import { shared } from '#test/support/fixtures.ts';
import { recordRequest, startObservedApi } from '#test/support/observed-api.ts';
import { seedPerson } from '#test/support/people.ts';
import { actionsOf, roundTripsOf } from '#test/support/record-calls.ts';

const api = shared(startObservedApi);
const admin = shared(() => seedPerson({ isAdmin: true }));
beforeAll(async () => {
  await createProject(api, admin);
});

describe('each billing and admin endpoint', () => {
  type Headers = Record<string, string>;
  const organizationPath = (area: string) => `/${area}/${admin.organization.id}`;
  const works: [string, number, (headers: Headers) => Promise<Answer>][] = [
    ['get-billing', 4, headers => api.get(organizationPath('billing'), admin.session, headers)],
    [
      'start-checkout',
      4,
      headers => api.post(`${organizationPath('billing')}/checkout`, { plan: 'pro' }, admin.session, headers),
    ],
    ['open-portal', 3, headers => api.post(`${organizationPath('billing')}/portal`, undefined, admin.session, headers)],
    ['receive-provider-event', 4, deliverEvent],
    ['get-statistics', 2, headers => api.get('/admin/stats', admin.session, headers)],
    ['list-organizations', 4, headers => api.get('/admin/orgs', admin.session, headers)],
    ['inspect-organization', 3, headers => api.get(organizationPath('admin/orgs'), admin.session, headers)],
    [
      'update-organization',
      3,
      headers => api.patch(organizationPath('admin/orgs'), { plan: 'pro' }, admin.session, headers),
    ],
    ['list-plans', 2, headers => api.get('/admin/plans', admin.session, headers)],
    ['update-plan', 3, headers => api.put('/admin/plans/pro', { limits: { maxWebhooks: 51 } }, admin.session, headers)],
    ['summarize-metrics', 2, headers => api.get('/admin/metrics/summary?hours=168', admin.session, headers)],
  ];

  it.each(works)(
    '%s takes at most %d round trips of AWS calls, and uses only the rights in its contract',
    async (operationId, roundTrips, work) => {
      const { calls, answer } = await recordRequest(work);

      expect(answer.status).toBe(200);
      expect(calls.length).toBeGreaterThan(0);
      expect(roundTripsOf(calls)).toBeLessThanOrEqual(roundTrips);
      const allowed: readonly string[] = routedFunctions.find(({ name }) => name === operationId)?.uses.table ?? [];
      expect(calls.flatMap(actionsOf).filter(action => !allowed.includes(action))).toEqual([]);
    },
  );

  function deliverEvent(headers: Headers): Promise<Answer> {
    const body = JSON.stringify({
      id: `evt_${randomUUID()}`,
      type: 'customer.subscription.updated',
      created: Math.floor(Date.now() / 1000),
      data: {
        object: {
          id: 'sub_1',
          status: 'active',
          customer: `cus_${randomUUID()}`,
          metadata: { organizationId: admin.organization.id, plan: 'enterprise' },
        },
      },
    });
    return api.call('POST', '/billing/webhook', {
      body,
      headers: { ...headers, 'stripe-signature': sign(body, process.env.STRIPE_WEBHOOK_SECRET ?? '') },
    });
  }
});
