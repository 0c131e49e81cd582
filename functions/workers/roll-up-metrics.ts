import type { CloudWatchLogsEvent, Context } from 'aws-lambda';
import { openLog } from '#lib/core/logger.ts';
import { rollUp } from '#lib/metrics/roll-up.ts';

/** Counts the requests in the gateway's access log, batch by batch. */
export async function handler(event: CloudWatchLogsEvent, context?: Pick<Context, 'awsRequestId'>): Promise<void> {
  await rollUp(event.awslogs.data, openLog({ requestId: context?.awsRequestId, operation: 'roll-up-metrics' }));
}
