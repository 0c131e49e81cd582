import { createHmac, randomUUID } from 'node:crypto';
import { done, type Samples, sample } from '#test/support/derive-sample.ts';
import { seedPerson } from '#test/support/people.ts';
import { expectStatus, place } from '#test/support/sample-requests.ts';

/** A signed event of the payment provider: the organization's subscription is active. */
export function providerEvent(organizationId: string, plan: string, secret: string, id = `evt_${randomUUID()}`) {
  const created = Math.floor(Date.now() / 1000);
  const object = {
    id: `sub_${organizationId}`,
    object: 'subscription',
    status: 'active',
    customer: `cus_${organizationId}`,
    metadata: { organizationId, plan },
    items: { data: [{ current_period_end: created + 2_592_000, price: { id: 'price_local_pro' } }] },
  };
  const type = 'customer.subscription.updated';
  const body = JSON.stringify({ id, object: 'event', type, created, data: { object } });
  const signature = createHmac('sha256', secret).update(`${created}.${body}`).digest('hex');
  return { body, headers: { 'stripe-signature': `t=${created},v1=${signature}` } };
}

export const samples: Samples = {
  'get-billing': sample({ world: place }),
  'start-checkout': sample({ isDone: done }),
  'open-portal': sample({ isDone: done }),
  'receive-provider-event': sample({
    world: async () => {
      const person = await seedPerson();
      const event = providerEvent(person.organization.id, 'pro', process.env.STRIPE_WEBHOOK_SECRET ?? '');
      return { ...person, event };
    },
    body: ({ event }) => event.body,
    headers: ({ event }) => event.headers,
    isDone: async ({ organization, session }, api) =>
      (await expectStatus(api.get(`/billing/${organization.id}`, session), 200)).body.plan === 'pro',
  }),
};
