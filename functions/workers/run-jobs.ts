import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { runJob } from '#lib/jobs/run-job.ts';

/** The background worker: one step of a job per message. */
export async function handler(event: SQSEvent): Promise<SQSBatchResponse> {
  const done = await Promise.all(event.Records.map(runJob));
  const failed = event.Records.filter((_, index) => !done[index]);
  return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
}
