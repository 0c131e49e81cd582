import type { Context } from 'aws-lambda';
import { openLog } from '#lib/core/logger.ts';
import { mailDue } from '#lib/jobs/mail-due.ts';

/** Runs on a schedule. */
export async function handler(event: unknown, context?: Pick<Context, 'awsRequestId'>): Promise<void> {
  const log = openLog({ requestId: context?.awsRequestId, operation: 'mail-due' });
  try {
    await mailDue(event, log);
  } catch (error) {
    log.error('not everybody was mailed what is due', error);
    throw error;
  }
}
