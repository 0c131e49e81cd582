import { DynamoDBClient, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { isThrottle, noteLostAnswer, reauthorize } from './retry.ts';

/** The middleware around each attempt of the SDK. Exported for tests, which disturb attempts below it. */
export const reauthorizedRetries = 'reauthorizedRetries';

let client: DynamoDBDocumentClient | undefined;

export function tableClient(): DynamoDBDocumentClient {
  client ??= newClient();
  return client;
}

/**
 * The table's client, one per process so that its connections stay warm. Three attempts in all, with the SDK's
 * jittered back-off; a call that hangs ends after 5 s and counts as an attempt.
 */
function newClient(): DynamoDBDocumentClient {
  const made = DynamoDBDocumentClient.from(
    new DynamoDBClient({
      maxAttempts: 3,
      requestHandler: { connectionTimeout: 1000, requestTimeout: 5000, throwOnRequestTimeout: true },
    }),
    { marshallOptions: { removeUndefinedValues: true } },
  );
  made.middlewareStack.addRelativeTo(reauthorizeRetries, {
    name: reauthorizedRetries,
    relation: 'after',
    toMiddleware: 'retryMiddleware',
  });
  return made;
}

/**
 * The SDK waits before it sends a throttled call again, so the caller is authorized again as after every wait. Not so
 * before a call is sent again because its answer was lost: it may have been executed, and only the answer tells.
 */
function reauthorizeRetries<Input, Output>(next: (args: Input) => Promise<Output>): (args: Input) => Promise<Output> {
  let wasThrottled = false;
  return async args => {
    if (wasThrottled) await reauthorize();
    try {
      return await next(args);
    } catch (error) {
      wasThrottled = isThrottle(error);
      if (!wasThrottled && !isAnswer(error)) noteLostAnswer();
      throw error;
    }
  };
}

/** Whether DynamoDB has refused the attempt. Everything else leaves open whether it was executed. */
function isAnswer(error: unknown): boolean {
  if (error instanceof TransactionCanceledException) return true;
  const { $metadata } = error as { $metadata?: { httpStatusCode?: number } };
  const status = $metadata?.httpStatusCode ?? 0;
  return status >= 400 && status < 500;
}
