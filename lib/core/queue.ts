import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { callLimits } from './call-limits.ts';
import type { Job } from './job.ts';
import { oncePerProcess } from './process-memory.ts';
import { requiredSetting } from './settings.ts';

/** The process's SQS client, shared by all queues. */
export const sqsClient = /* @__PURE__ */ oncePerProcess('sqs-client', () => new SQSClient(callLimits));

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
