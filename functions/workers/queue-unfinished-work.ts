import type { Context } from 'aws-lambda';
import { openLog } from '#lib/core/logger.ts';
import { queueUnfinishedWork } from '#lib/jobs/queue-unfinished-work.ts';

/** Runs on a schedule. */
export async function handler(_event: unknown, context?: Pick<Context, 'awsRequestId'>): Promise<void> {
  const log = openLog({ requestId: context?.awsRequestId, operation: 'queue-unfinished-work' });
  try {
    await queueUnfinishedWork(log);
  } catch (error) {
    log.error('could not queue unfinished work', error);
    throw error;
  }
}
