import { isIP } from 'node:net';
import { Client, type Dispatcher } from 'undici';
import { connectorTo } from './open-connection.ts';
import { type ResolveName, resolveName } from './resolve-name.ts';
import { SendingFailed } from './sending-failed.ts';
import { addressProblem, hostOf, type TargetRules, targetProblem } from './target.ts';

export interface Sending extends TargetRules {
  resolve?: ResolveName;
  /** Trusted certificates in PEM, instead of the default ones; for tests. */
  trustedCertificates?: string;
}

interface GuardedRequest {
  method: 'GET' | 'POST';
  headers: Readonly<Record<string, string>>;
  body?: Uint8Array;
}

/**
 * Makes one request, at most once, to a customer-supplied address. Only public addresses are allowed, each is checked
 * before and after the connection opens, and redirects are not followed. The signal aborts the request. Anything that
 * `read` leaves unread is discarded.
 * @throws SendingFailed, the signal's reason, or an error from Node or undici
 */
export async function guardedRequest<T>(
  target: string,
  request: GuardedRequest,
  sending: Sending,
  signal: AbortSignal,
  read: (answer: Dispatcher.ResponseData) => Promise<T>,
): Promise<T> {
  const problem = targetProblem(target, sending);
  if (problem !== undefined) throw new SendingFailed(problem);
  const url = new URL(target);
  const addresses = await allowedAddresses(hostOf(url), sending, signal);
  const client = new Client(url.origin, {
    connect: connectorTo(addresses, sending, signal, sending.trustedCertificates),
    pipelining: 1,
    // The signal is the only deadline.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  try {
    return await read(await client.request({ ...request, path: url.pathname + url.search, signal }));
  } finally {
    client.destroy().catch(() => undefined);
  }
}

/** All addresses of the host. If one is not allowed, none is used: an honest receiver's name has no such address. */
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
