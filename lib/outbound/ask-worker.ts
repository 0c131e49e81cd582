import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import type { Log } from '../core/logger.ts';
import { oncePerProcess } from '../core/process-memory.ts';
import { requiredSetting } from '../core/settings.ts';

/** A request to a provider. It holds secrets, so it is never logged. */
export interface ProviderRequest {
  /** The address from the provider's discovery document. */
  target: string;
  /** Posted as a form; without one, the target is only read. */
  form?: Readonly<Record<string, string>>;
  authorization?: string;
}

/** What the worker does: fetch an issuer's keys, ask a provider, or look up a domain's TXT records. */
export type OutboundRequest = { issuer: string } | { asked: ProviderRequest } | { domain: string };

/** From the name lookup to the last byte, in the worker. */
export const requestTimeoutMs = 5000;
/** The request, plus a cold start of the worker. */
export const workerTimeoutMs = requestTimeoutMs + 3000;
/** 64 KB of JSON, which the worker writes again with its own escapes. */
const maximumAnswerBytes = 400 * 1024;

/** The process's Lambda client. Only this file uses it; tests import it to count its calls. */
export const lambdaClient = /* @__PURE__ */ oncePerProcess(
  'lambda-client',
  () => new LambdaClient({ maxAttempts: 3, requestHandler: { connectionTimeout: 1000 } }),
);

/**
 * Has the worker, the only function that connects to customers' hosts for others, send a request. Its answer is not
 * trusted. The limits apply to all attempts together, and the worker may have run more than once.
 * @throws Error if the worker failed, didn't answer in time, or returned too large an answer
 */
export async function askWorker(
  request: OutboundRequest,
  { timeoutMs = workerTimeoutMs, maximumBytes = maximumAnswerBytes } = {},
): Promise<Readonly<Record<string, unknown>>> {
  const { FunctionError, Payload } = await lambdaClient().send(
    new InvokeCommand({ FunctionName: requiredSetting('OUTBOUND_FUNCTION'), Payload: JSON.stringify(request) }),
    { abortSignal: AbortSignal.timeout(timeoutMs) },
  );
  if (FunctionError !== undefined || Payload === undefined) throw new Error('The function failed.');
  if (Payload.length > maximumBytes) throw new Error("The function's answer is too large.");
  return JSON.parse(Buffer.from(Payload).toString('utf8')) ?? {};
}

/**
 * A provider's response: a JSON object, none of it verified yet.
 * @returns undefined if there is none; the log has the reason
 */
export async function providerAnswer(
  asked: ProviderRequest,
  log: Log,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    const { answer, problem } = await askWorker({ asked });
    if (typeof answer === 'object' && answer !== null && !Array.isArray(answer)) return { ...answer };
    const reason = typeof problem === 'string' ? problem.slice(0, 200) : 'it is not a JSON object';
    log.warn('a sign-in provider gave no answer', { reason });
  } catch (error) {
    log.error('could not ask a sign-in provider', error);
  }
  return undefined;
}

/** A domain's TXT records; undefined if no name server answered. @throws Error if the worker can't be reached */
export async function lookUpRecords(domain: string): Promise<readonly unknown[] | undefined> {
  const { records } = await askWorker({ domain }, { timeoutMs: 10_000 });
  return Array.isArray(records) ? records : undefined;
}
