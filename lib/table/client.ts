import { DynamoDBClient, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { isRefusal, noteLostAnswer, reauthorize } from './retry.ts';

/** The middleware around each of the SDK's attempts. Exported for tests, which inject faults below it. */
export const reauthorizedRetries = 'reauthorizedRetries';

let client: DynamoDBDocumentClient | undefined;

export function tableClient(): DynamoDBDocumentClient {
  client ??= newClient();
  return client;
}

/**
 * The table's client, one per process so that its connections stay warm. It makes up to three attempts with the SDK's
 * jittered back-off; an attempt that hangs ends after 5 s.
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
 * Re-authorizes the caller after the SDK has waited because of throttling, as after every other wait. A call whose answer
 * was lost is repeated without: it may have been executed, and only the answer tells.
 */
function reauthorizeRetries<Input, Output>(next: (args: Input) => Promise<Output>): (args: Input) => Promise<Output> {
  let wasRefused = false;
  return async args => {
    if (wasRefused) await reauthorize();
    try {
      return await next(args);
    } catch (error) {
      wasRefused = isRefusal(error);
      if (!wasRefused && !isAnswer(error)) noteLostAnswer();
      throw error;
    }
  };
}

/** Whether DynamoDB answered with a refusal. After any other error, the attempt may have been executed. */
function isAnswer(error: unknown): boolean {
  if (error instanceof TransactionCanceledException) return true;
  const { $metadata } = error as { $metadata?: { httpStatusCode?: number } };
  const status = $metadata?.httpStatusCode ?? 0;
  return status >= 400 && status < 500;
}
