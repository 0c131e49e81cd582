import { randomUUID } from 'node:crypto';
import type { Context } from 'aws-lambda';

/** A function of the system, by the folder and file name it has under `functions/`. */
export interface FunctionName {
  area: string;
  name: string;
}

export type Handler = (event: unknown, context: Context) => unknown;
export type LoadHandler = (functionName: FunctionName) => Promise<Handler>;

/** Lambda's bound on the request and on the response of a synchronous invocation: 6 MB, and 100 bytes of courtesy. */
const maximumPayloadBytes = 6 * 1024 * 1024 + 100;

/** Runs one function once. Rejects when it throws, and when it takes longer than `timeoutMs`, as Lambda does. */
export type Invoke = (functionName: FunctionName, event: unknown, timeoutMs: number) => Promise<unknown>;

/** Invokes functions in this process. The work of one that timed out goes on unheard, where Lambda would freeze it. */
export function createInvoke(loadHandler: LoadHandler): Invoke {
  return async (functionName, event, timeoutMs) => {
    const handler = await loadHandler(functionName);
    const deadline = Date.now() + timeoutMs;
    let timer: NodeJS.Timeout | undefined;
    const timedOut = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new InvocationTimeout()), timeoutMs);
    });
    try {
      return await Promise.race([handler(event, contextOf(functionName, deadline)), timedOut]);
    } finally {
      clearTimeout(timer);
    }
  };
}

export class InvocationTimeout extends Error {
  override readonly message = 'The function did not answer in time.';
}

/** Whether a value as JSON exceeds Lambda's bound; serialized only where its size leaves doubt. */
export function exceedsPayload(value: object, bodyLength: number): boolean {
  // JSON.stringify makes at most six bytes of a UTF-16 unit; all but the body is bounded by the header limits.
  const undoubtedLength = 900_000;
  return bodyLength > undoubtedLength && Buffer.byteLength(JSON.stringify(value)) > maximumPayloadBytes;
}

/** Loads handlers from `functions/`, each module once. */
export async function loadFromFunctions({ area, name }: FunctionName): Promise<Handler> {
  const module = await import(new URL(`../../functions/${area}/${name}.ts`, import.meta.url).href);
  return module.handler;
}

function contextOf({ area, name }: FunctionName, deadline: number): Context {
  const functionName = `${area}-${name}`;
  return {
    callbackWaitsForEmptyEventLoop: true,
    functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:local:000000000000:function:${functionName}`,
    memoryLimitInMB: '512',
    awsRequestId: randomUUID(),
    logGroupName: `/aws/lambda/${functionName}`,
    logStreamName: 'local',
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
    done: () => undefined,
    fail: () => undefined,
    succeed: () => undefined,
  };
}
