import { isIP } from 'node:net';
import { Client, type Dispatcher } from 'undici';
import type { Outcome } from './log-delivery.ts';
import { connectorTo } from './open-connection.ts';
import { type ResolveName, resolveName } from './resolve-name.ts';
import { failureReason, SendingFailed } from './sending-failed.ts';
import { addressProblem, hostOf, type TargetRules, targetProblem } from './target.ts';

/** From the look-up of the name to the last byte of the answer (specification, Events 4). */
export const deliveryTimeoutMs = 5000;

/** At most this much of an answer's body is read. None of it is kept. */
const maximumAnswerBytes = 64 * 1024;

export interface Sending extends TargetRules {
  resolve?: ResolveName;
  /** Certificates to trust instead of the usual ones, in PEM; for tests. */
  trustedCertificates?: string;
}

/**
 * Makes one POST, at most once, and waits for its answer. Never throws: every failure is an outcome. An answer that
 * is not complete in time counts as none; redirects are answers like any other.
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
    const statusCode = await exchange(target, headers, body, sending, controller.signal);
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

/** @throws SendingFailed, or an error of node or undici */
async function exchange(
  target: string,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array,
  sending: Sending,
  signal: AbortSignal,
): Promise<number> {
  const problem = targetProblem(target, sending);
  if (problem !== undefined) throw new SendingFailed(problem);
  const url = new URL(target);
  const addresses = await allowedAddresses(hostOf(url), sending, signal);
  const client = new Client(url.origin, {
    connect: connectorTo(addresses, sending, signal, sending.trustedCertificates),
    pipelining: 1,
    // The one deadline is the signal's.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  try {
    const answer = await client.request({
      method: 'POST',
      path: url.pathname + url.search,
      headers,
      body,
      signal,
    });
    await discard(answer.body);
    return answer.statusCode;
  } finally {
    client.destroy().catch(() => undefined);
  }
}

/** All addresses of the host. If one is not allowed, none is used: an honest receiver has no such name. */
async function allowedAddresses(host: string, sending: Sending, signal: AbortSignal): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host];
  const addresses = await untilAborted((sending.resolve ?? resolveName)(host, signal), signal);
  if (addresses.length === 0) throw new SendingFailed('the name does not resolve');
  for (const address of addresses) {
    const problem = addressProblem(address, sending);
    if (problem !== undefined) throw new SendingFailed(problem);
  }
  return addresses;
}

async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const giveUp = () => reject(signal.reason);
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

/** Reads the rest of the answer, so that a status with an endless body does not count as an answer in time. */
async function discard(body: Dispatcher.ResponseData['body']): Promise<void> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += (chunk as Uint8Array).length;
    if (bytes > maximumAnswerBytes) return;
  }
}
