import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { callLimits } from './call-limits.ts';
import type { Job } from './job.ts';
import { oncePerProcess } from './process-memory.ts';
import { requiredSetting } from './settings.ts';

export const sqsClient = /* @__PURE__ */ oncePerProcess('sqs-client', () => new SQSClient(callLimits));

/**
 * Queues a job. A change queues its job *before* it commits: if it then fails, the job finds nothing to do, and no
 * crash leaves it without a job. `lib/jobs/queue-unfinished-work.ts` finds changes that commit after their job gave up.
 */
export async function queueJob(job: Job, delaySeconds = 0): Promise<void> {
  const QueueUrl = requiredSetting('JOB_QUEUE_URL');
  const message = { QueueUrl, MessageBody: JSON.stringify(job), DelaySeconds: delaySeconds };
  await sqsClient().send(new SendMessageCommand(message));
}
