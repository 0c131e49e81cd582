import type { Dispatcher } from 'undici';
import { guardedRequest, type Sending } from './guarded-request.ts';
import type { Outcome } from './log-delivery.ts';
import { failureReason, SendingFailed } from './sending-failed.ts';

/** From name resolution to the last byte of the response (specification, Events 4). */
export const deliveryTimeoutMs = 5000;

/** At most this much of a response body is read. None of it is kept. */
const maximumAnswerBytes = 64 * 1024;

/**
 * Makes one POST, at most once, and waits for the response. Never throws: every failure is an outcome. A response that
 * is not complete in time counts as a timeout; redirects count as ordinary responses.
 */
export async function send(
  target: string,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array,
  sending: Sending,
): Promise<Outcome> {
  const startedAt = performance.now();
  const controller = new AbortController();
  const timeOut = new SendingFailed(`timed out after ${deliveryTimeoutMs / 1000} s`);
  const timer = setTimeout(() => controller.abort(timeOut), deliveryTimeoutMs);
  const finished = (statusCode: number | null, error: string | null): Outcome => ({
    statusCode,
    responseTimeMs: Math.round(performance.now() - startedAt),
    error,
  });
  try {
    const request = { method: 'POST', headers, body, signal: controller.signal } as const;
    const statusCode = await guardedRequest(target, request, sending, async answer => {
      await discard(answer.body);
      return answer.statusCode;
    });
    return finished(statusCode, statusCode >= 200 && statusCode <= 299 ? null : unsuccessful(statusCode));
  } catch (error) {
    return finished(null, controller.signal.aborted ? timeOut.message : failureReason(error));
  } finally {
    clearTimeout(timer);
  }
}

function unsuccessful(statusCode: number): string {
  const redirect = statusCode >= 300 && statusCode <= 399 ? ' (redirects are not followed)' : '';
  return `answered ${statusCode}${redirect}`;
}

/** Reads the rest of the response, so that a status line followed by an endless body times out. */
async function discard(body: Dispatcher.ResponseData['body']): Promise<void> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += (chunk as Uint8Array).length;
    if (bytes > maximumAnswerBytes) return;
  }
}
