import { beforeAll, describe, expect, it } from 'vitest';
import { type Answer, createProject } from '#test/support/api.ts';
import { shared } from '#test/support/fixtures.ts';
import { recordRequest, startObservedApi } from '#test/support/observed-api.ts';
import { seedPerson } from '#test/support/people.ts';
import { roundTripsOf } from '#test/support/record-calls.ts';
import { providerEvent } from './samples.ts';

const api = shared(startObservedApi);
const admin = shared(() => seedPerson({ isAdmin: true }));
beforeAll(async () => {
  await createProject(api, admin);
});

describe('each billing and admin endpoint', () => {
  type Headers = Record<string, string>;
  const pathOf = (area: string) => `/${area}/${admin.organization.id}`;
  const get = (path: () => string) => (headers: Headers) => api.get(path(), admin.session, headers);
  const post = (name: string, body: unknown, headers: Headers) =>
    api.post(`${pathOf('billing')}/${name}`, body, admin.session, headers);
  const works: [string, number, (headers: Headers) => Promise<Answer>][] = [
    ['get-billing', 4, get(() => pathOf('billing'))],
    ['start-checkout', 4, headers => post('checkout', { plan: 'pro' }, headers)],
    ['open-portal', 3, headers => post('portal', undefined, headers)],
    ['receive-provider-event', 4, deliverEvent],
    ['get-statistics', 2, get(() => '/admin/stats')],
    ['list-organizations', 4, get(() => '/admin/orgs')],
    ['inspect-organization', 3, get(() => pathOf('admin/orgs'))],
    ['update-organization', 3, headers => api.patch(pathOf('admin/orgs'), { plan: 'pro' }, admin.session, headers)],
    ['list-plans', 2, get(() => '/admin/plans')],
    ['update-plan', 3, headers => api.put('/admin/plans/pro', { limits: { maxWebhooks: 51 } }, admin.session, headers)],
    ['summarize-metrics', 2, get(() => '/admin/metrics/summary?hours=168')],
  ];

  it.each(works)('%s takes at most %d round trips of AWS calls', async (_, roundTrips, work) => {
    const { calls, answer } = await recordRequest(work);

    expect(answer.status).toBe(200);
    expect(calls.length).toBeGreaterThan(0);
    expect(roundTripsOf(calls)).toBeLessThanOrEqual(roundTrips);
  });

  function deliverEvent(headers: Headers): Promise<Answer> {
    const secret = process.env.STRIPE_WEBHOOK_SECRET ?? '';
    const event = providerEvent(admin.organization.id, 'enterprise', secret);
    return api.call('POST', '/billing/webhook', { body: event.body, headers: { ...headers, ...event.headers } });
  }
});
