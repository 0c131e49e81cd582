import type { SQSEvent } from 'aws-lambda';
import { deliverRecords } from '#lib/deliveries/deliver.ts';

/** The webhook sender. The queue delivers one message at a time, so that no slow receiver delays another. */
export async function handler(event: SQSEvent): Promise<void> {
  await deliverRecords(event.Records);
}
