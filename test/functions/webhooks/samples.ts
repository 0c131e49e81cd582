import { randomUUID } from 'node:crypto';
import { vi } from 'vitest';
import { done, type Samples, sample } from '#test/support/derive-sample.ts';
import { seedPerson } from '#test/support/people.ts';
import { expectStatus, makeWebhook, place } from '#test/support/sample-requests.ts';

export const samples: Samples = {
  'create-webhook': sample({
    world: place,
    body: ({ project: { id: projectId } }) => ({
      url: `http://127.0.0.1:9/${randomUUID()}`,
      events: ['secret.created'],
      projectId,
    }),
  }),
  'update-webhook': sample({ body: () => ({ active: false }) }),
  'test-webhook': sample({ isDone: done }),
  'redeliver-webhook': sample({
    world: async api => {
      const person = await seedPerson();
      const { id: webhookId } = await makeWebhook(api, person);
      const webhook = `/webhooks/${person.organization.id}/${webhookId}`;
      const { deliveryId } = (await expectStatus(api.post(`${webhook}/test`, {}, person.session), 202)).body;
      // The log has a delivery once it was made or has failed.
      await vi.waitFor(async () => {
        if ((await api.get(webhook, person.session)).body.deliveries.length === 0)
          throw new Error('The delivery is not logged yet.');
      }, 10_000);
      return { ...person, webhookId, deliveryId: deliveryId as string };
    },
    values: ({ webhookId, deliveryId }) => ({ webhookId, deliveryId }),
    isDone: done,
  }),
};
