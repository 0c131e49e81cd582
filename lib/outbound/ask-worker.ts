import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { callLimits } from '../core/call-limits.ts';
import type { Log } from '../core/logger.ts';
import { oncePerProcess } from '../core/process-memory.ts';
import { requiredSetting } from '../core/settings.ts';

/** A request to an identity provider. It holds secrets, so it is never logged. */
export interface ProviderRequest {
  target: string;
  /** Sent in a POST; without a form, the request is a GET. */
  form?: Readonly<Record<string, string>>;
  authorization?: string;
}

type Members = Readonly<Record<string, unknown>>;

/** Fetch an issuer's keys, ask an identity provider, or look up a domain's TXT records. */
export type OutboundRequest = { issuer: string } | { asked: ProviderRequest } | { domain: string };

/** From the name lookup to the last byte, in the worker. */
export const requestTimeoutMs = 5000;
/** The request, plus a cold start of the worker. */
export const workerTimeoutMs = requestTimeoutMs + 3000;
/** 64 KB of JSON, with the worker's own escapes. */
const maximumAnswerBytes = 400 * 1024;

/** The process's Lambda client. Only this file uses it; tests import it to count its calls. */
export const lambdaClient = /* @__PURE__ */ oncePerProcess('lambda-client', () => {
  const { connectionTimeout } = callLimits.requestHandler;
  return new LambdaClient({ maxAttempts: 3, requestHandler: { connectionTimeout } });
});

/**
 * Has the worker send a request, possibly more than once; the timeout is for all attempts together. Don't trust the
 * answer.
 * @throws Error if the worker failed, didn't answer in time, or returned too large an answer
 */
export async function askWorker(
  request: OutboundRequest,
  { timeoutMs = workerTimeoutMs, maximumBytes = maximumAnswerBytes } = {},
): Promise<Members> {
  const { FunctionError, Payload } = await lambdaClient().send(
    new InvokeCommand({ FunctionName: requiredSetting('OUTBOUND_FUNCTION'), Payload: JSON.stringify(request) }),
    { abortSignal: AbortSignal.timeout(timeoutMs) },
  );
  if (FunctionError !== undefined || Payload === undefined) throw new Error('The function failed.');
  if (Payload.length > maximumBytes) throw new Error("The function's answer is too large.");
  return JSON.parse(Buffer.from(Payload).toString('utf8')) ?? {};
}

/** The JSON object, not verified yet, that an identity provider returned; undefined if the log has the reason. */
export async function providerAnswer(asked: ProviderRequest, log: Log): Promise<Members | undefined> {
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
