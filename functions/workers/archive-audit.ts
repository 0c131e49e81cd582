import type { Context } from 'aws-lambda';
import { archiveAudit } from '#lib/audit/archive-entries.ts';
import { openLog } from '#lib/core/logger.ts';

/** Runs on a schedule. */
export async function handler(_event: unknown, context?: Pick<Context, 'awsRequestId'>): Promise<void> {
  const log = openLog({ requestId: context?.awsRequestId, operation: 'archive-audit' });
  try {
    await archiveAudit(log);
  } catch (error) {
    log.error('the audit archive is late', error);
    throw error;
  }
}
