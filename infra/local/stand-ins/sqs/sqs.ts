import { type AwsServer, callOperation, startAwsServer } from '../aws-server.ts';
import { messageOperations } from './message-operations.ts';
import { queueOperations } from './queue-operations.ts';
import { openQueueStore } from './queue-store.ts';

/**
 * A stand-in for Amazon SQS: standard queues with visibility timeouts, delays, long polling and dead-letter queues. A
 * message is on disk (`sqs.db` in the directory) before it is acknowledged. Tests shorten delays with
 * `delaySecondMs`; the visibility timeouts of queues keep their length.
 */
export async function startSqs(
  directory: string | undefined,
  region: string,
  { delaySecondMs }: { delaySecondMs?: number } = {},
): Promise<AwsServer> {
  const store = openQueueStore(directory, delaySecondMs);
  const operations = { ...queueOperations(store, region, () => server.url), ...messageOperations(store) };
  const server = await startAwsServer(request => callOperation('AmazonSQS', operations, request));
  return {
    url: server.url,
    async stop() {
      await server.stop();
      store.close();
    },
  };
}
