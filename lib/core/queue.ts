import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Job } from './job.ts';
import { requiredSetting } from './settings.ts';

let client: SQSClient | undefined;

/** The process's SQS client, shared by all queues. */
export function sqsClient(): SQSClient {
  client ??= new SQSClient({
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 1000, requestTimeout: 5000, throwOnRequestTimeout: true },
  });
  return client;
}

/**
 * Queues a job. A job that follows a change is queued *before* the change is committed. If the change then fails, the
 * job finds nothing to do; if queueing fails, nothing has changed. No crash can leave a change without its job. A change
 * that commits after its job has given up waiting is found by `lib/jobs/queue-unfinished-work.ts`.
 */
export async function queueJob(job: Job, delaySeconds = 0): Promise<void> {
  await sqsClient().send(
    new SendMessageCommand({
      QueueUrl: requiredSetting('JOB_QUEUE_URL'),
      MessageBody: JSON.stringify(job),
      DelaySeconds: delaySeconds,
    }),
  );
}
