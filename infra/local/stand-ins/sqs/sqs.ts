import { type AwsServer, callOperation, startAwsServer } from '../aws-server.ts';
import { messageOperations } from './message-operations.ts';
import { queueOperations } from './queue-operations.ts';
import { openQueueStore } from './queue-store.ts';

/**
 * A stand-in for Amazon SQS: standard queues with visibility timeouts, delays, long polling and dead-letter queues. A
 * message is on disk (`sqs.db` in the directory) before it is acknowledged.
 */
export async function startSqs(directory: string | undefined, region: string): Promise<AwsServer> {
  const store = openQueueStore(directory);
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
