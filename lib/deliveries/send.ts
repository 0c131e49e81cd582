import type { Dispatcher } from 'undici';
import { guardedRequest, readBody, type Sending, withinTime } from '../outbound/guarded-request.ts';
import type { Outcome } from './log-delivery.ts';

/** From name resolution to the last byte of the response (specification, Events 4). */
export const deliveryTimeoutMs = 5000;

/** At most this much of a response body is read, and none of it is kept. */
const maximumAnswerBytes = 64 * 1024;

/**
 * Makes one POST, at most once, and waits for the whole response, so that an endless body times out. Never throws: every
 * failure is an outcome.
 */
export async function send(
  target: string,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array,
  sending?: Sending,
): Promise<Outcome> {
  const startedAt = performance.now();
  const sent = await withinTime(deliveryTimeoutMs, signal =>
    guardedRequest(target, { method: 'POST', headers, body, signal }, readStatus, sending),
  );
  return {
    statusCode: 'result' in sent ? sent.result : null,
    responseTimeMs: Math.round(performance.now() - startedAt),
    error: 'result' in sent ? statusProblem(sent.result) : sent.problem,
  };
}

async function readStatus(response: Dispatcher.ResponseData): Promise<number> {
  await readBody(response, maximumAnswerBytes);
  return response.statusCode;
}

function statusProblem(statusCode: number): string | null {
  if (statusCode >= 200 && statusCode <= 299) return null;
  const redirect = statusCode >= 300 && statusCode <= 399 ? ' (redirects are not followed)' : '';
  return `answered ${statusCode}${redirect}`;
}
