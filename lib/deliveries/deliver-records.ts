import type { SQSRecord } from 'aws-lambda';
import { openLog } from '../core/logger.ts';
import { deliver } from './deliver.ts';
import { DeliveryMessage } from './message.ts';

/**
 * Delivers the messages of a batch in parallel.
 * @throws the first failure, so that the queue redelivers the batch; webhooks that were already called are not called
 * again
 */
export async function deliverRecords(records: readonly SQSRecord[]): Promise<void> {
  const results = await Promise.allSettled(records.map(deliverRecord));
  const failed = results.find(result => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

async function deliverRecord({ body, attributes }: SQSRecord): Promise<void> {
  const message = DeliveryMessage.parse(JSON.parse(body));
  const { deliveryId, webhookId, orgSlug, event } = message;
  const log = openLog({ operation: 'deliver-webhooks', deliveryId, webhookId, orgSlug, event });
  try {
    await deliver(message, Number(attributes.ApproximateReceiveCount), log);
  } catch (error) {
    log.error('a webhook delivery failed before it was sent', error);
    throw error;
  }
}
