import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadFromFunctions } from '../../../infra/local/lambda/invoke.ts';
import { sign } from '../../../infra/local/stand-ins/payment/events.ts';
import { routes } from '../../../lib/contracts/routes.ts';
import { userRecord } from '../../../lib/table/records/user.ts';
import { at, transact, update } from '../../../lib/table/store.ts';
import { type Answer, type Api, createProject, type Person, registerPerson, startApi } from '../../support/api.ts';
import { recordCalls, wavesOf } from '../../support/aws-calls.ts';

let api: Api;
let admin: Person;

beforeAll(async () => {
  // Without the roll-up, whose calls would be counted along.
  api = await startApi({}, async name => {
    if (name.name === 'roll-up-metrics') return async () => undefined;
    return loadFromFunctions(name);
  });
  admin = await registerPerson(api);
  await transact([update(at(userRecord, admin.user.id), { set: { isAdmin: true } })]);
  await createProject(api, admin);
});
afterAll(() => api.stop());

describe('each billing and admin endpoint', () => {
  const organizationPath = (area: string) => `/${area}/${admin.organization.id}`;
  const works: [string, number, () => Promise<Answer>][] = [
    ['get-billing', 4, () => api.get(organizationPath('billing'), admin.session)],
    ['start-checkout', 4, () => api.post(`${organizationPath('billing')}/checkout`, { plan: 'pro' }, admin.session)],
    ['open-portal', 3, () => api.post(`${organizationPath('billing')}/portal`, undefined, admin.session)],
    ['receive-provider-event', 4, () => deliverEvent()],
    ['get-statistics', 2, () => api.get('/admin/stats', admin.session)],
    ['list-organizations', 4, () => api.get('/admin/orgs', admin.session)],
    ['inspect-organization', 3, () => api.get(organizationPath('admin/orgs'), admin.session)],
    ['update-organization', 3, () => api.patch(organizationPath('admin/orgs'), { plan: 'pro' }, admin.session)],
    ['list-plans', 2, () => api.get('/admin/plans', admin.session)],
    ['update-plan', 3, () => api.put('/admin/plans/pro', { limits: { maxWebhooks: 51 } }, admin.session)],
    ['summarize-metrics', 2, () => api.get('/admin/metrics/summary?hours=168', admin.session)],
  ];

  it.each(works)(
    '%s takes %d waves of AWS calls at most, and no right that its contract does not name',
    // Measured by the clock: a busy machine may show more waves than there are, never fewer, so the least of three counts.
    { retry: 2 },
    async (operationId, waves, work) => {
      const { calls, result } = await recordCalls(work);

      expect(result.status).toBe(200);
      expect(wavesOf(calls)).toBeLessThanOrEqual(waves);
      const allowed: readonly string[] = routes.find(route => route.operationId === operationId)?.uses.table ?? [];
      expect(calls.flatMap(({ actions }) => actions).filter(action => !allowed.includes(action))).toEqual([]);
    },
  );

  function deliverEvent(): Promise<Answer> {
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
      headers: { 'stripe-signature': sign(body, process.env.STRIPE_WEBHOOK_SECRET ?? '') },
    });
  }
});
