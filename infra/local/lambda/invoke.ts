import { randomUUID } from 'node:crypto';
import type { Context } from 'aws-lambda';
import pLimit, { type LimitFunction } from 'p-limit';

/** A function of the system: its file is `functions/<area>/<name>.ts`. */
export interface FunctionName {
  area: string;
  name: string;
}

export type Handler = (event: unknown, context: Context) => unknown;
export type LoadHandler = (functionName: FunctionName) => Promise<Handler>;

/** Lambda's limit for the request and response of a synchronous invocation: 6 MB, plus a tolerance of 100 bytes. */
const maximumPayloadBytes = 6 * 1024 * 1024 + 100;

/**
 * How often one function runs at once; further invocations wait. On Lambda each invocation has a process, and so
 * connections, of its own. Here all share one process, whose AWS clients have 50 connections each.
 */
const maximumAtOnce = 48;

/** Invokes one function once. Like Lambda, it rejects if the function throws or takes longer than `timeoutMs`. */
export type Invoke = (functionName: FunctionName, event: unknown, timeoutMs: number) => Promise<unknown>;

/**
 * Invokes functions in this process. A function that timed out keeps running and its result is ignored; Lambda would
 * freeze it.
 */
export function createInvoke(loadHandler: LoadHandler): Invoke {
  const places = new Map<string, LimitFunction>();
  return async (functionName, event, timeoutMs) => {
    const handler = await loadHandler(functionName);
    const name = `${functionName.area}/${functionName.name}`;
    const place = places.get(name) ?? pLimit(maximumAtOnce);
    places.set(name, place);
    const deadline = Date.now() + timeoutMs;
    let timer: NodeJS.Timeout | undefined;
    const timedOut = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new InvocationTimeout()), timeoutMs);
    });
    try {
      return await Promise.race([place(() => handler(event, contextOf(functionName, deadline))), timedOut]);
    } finally {
      clearTimeout(timer);
    }
  };
}

export class InvocationTimeout extends Error {
  override readonly message = 'The function did not answer in time.';
}

/**
 * Whether a value exceeds Lambda's limit as JSON. It is serialized only if the body's length doesn't settle the
 * question.
 */
export function exceedsPayload(value: object, bodyLength: number): boolean {
  // JSON.stringify produces at most six bytes per UTF-16 code unit. The header limits cover everything but the body.
  const undoubtedLength = 900_000;
  return bodyLength > undoubtedLength && Buffer.byteLength(JSON.stringify(value)) > maximumPayloadBytes;
}

/** Loads a handler from `functions/`. Each module is loaded once. */
export async function loadFromFunctions({ area, name }: FunctionName): Promise<Handler> {
  const module = await import(new URL(`../../../functions/${area}/${name}.ts`, import.meta.url).href);
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
