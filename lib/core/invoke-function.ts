import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';

let client: LambdaClient | undefined;

/** The process's Lambda client. Only this file uses it; tests import it to count its calls. */
export function lambdaClient(): LambdaClient {
  client ??= new LambdaClient({ maxAttempts: 3, requestHandler: { connectionTimeout: 1000 } });
  return client;
}

interface Invocation {
  /** Its name or ARN. */
  functionName: string;
  event: object;
  /** The limit for all attempts together. The function may have run more than once. */
  timeoutMs: number;
  maximumAnswerBytes: number;
}

/**
 * Invokes one of the service's own functions and waits for its result.
 * @throws Error if the function failed, didn't answer in time, or returned too large a result
 */
export async function invokeFunction({
  functionName,
  event,
  timeoutMs,
  maximumAnswerBytes,
}: Invocation): Promise<unknown> {
  const { FunctionError, Payload } = await lambdaClient().send(
    new InvokeCommand({ FunctionName: functionName, Payload: JSON.stringify(event) }),
    { abortSignal: AbortSignal.timeout(timeoutMs) },
  );
  if (FunctionError !== undefined || Payload === undefined) throw new Error('The function failed.');
  if (Payload.length > maximumAnswerBytes) throw new Error("The function's answer is too large.");
  return JSON.parse(Buffer.from(Payload).toString('utf8'));
}
