import type { Context } from 'aws-lambda';
import { openLog } from '../../lib/core/logger.ts';
import { checkService, readCheckAccount } from '../../lib/metrics/service-check.ts';

/** The schedule passes the name of the SSM parameter with the check account. */
export async function handler(event: { parameter: string }, context?: Pick<Context, 'awsRequestId'>): Promise<void> {
  const log = openLog({ requestId: context?.awsRequestId, operation: 'check-service' });
  try {
    log.info('the service works', { milliseconds: await checkService(await readCheckAccount(event.parameter)) });
  } catch (error) {
    log.error('the service check failed', error);
    throw error;
  }
}
