import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { Client, type Dispatcher } from 'undici';
import { connectorTo } from './open-connection.ts';
import { SendingFailed } from './sending-failed.ts';
import { addressProblem, hostOf, isLocalhost, type TargetRules, targetProblem } from './target.ts';

/** Resolves all addresses of a name; empty if it does not resolve. Must stop when the signal aborts. */
type ResolveName = (name: string, signal: AbortSignal) => Promise<readonly string[]>;

/**
 * Queries the name servers once for IPv4 and IPv6 addresses. The system's resolver can't be aborted and reads local
 * files. `localhost` is answered as RFC 6761 requires.
 */
const resolveName: ResolveName = async (name, signal) => {
  if (isLocalhost(name)) return ['127.0.0.1', '::1'];
  const resolver = new Resolver({ timeout: 2000, tries: 2 });
  const giveUp = () => resolver.cancel();
  signal.addEventListener('abort', giveUp);
  try {
    // A trailing dot denotes the DNS root. Dropping it changes nothing, because the resolver adds no search domain.
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    return answers.flatMap(answer => (answer.status === 'fulfilled' ? answer.value : []));
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
};

export interface Sending extends TargetRules {
  resolve?: ResolveName;
  /** Trusted certificates in PEM, instead of the default ones; for tests. */
  trustedCertificates?: string;
}

interface GuardedRequest {
  method: 'GET' | 'POST';
  headers: Readonly<Record<string, string>>;
  body?: Uint8Array;
  /** Aborts the request; the only deadline. */
  signal: AbortSignal;
}

/**
 * Makes one request, at most once, to a customer-supplied address. Only public addresses are allowed, each is checked
 * before and after the connection opens, and redirects are not followed. Anything that
 * `read` leaves unread is discarded.
 * @throws SendingFailed, the signal's reason, or an error from Node or undici
 */
export async function guardedRequest<T>(
  target: string,
  request: GuardedRequest,
  sending: Sending,
  read: (answer: Dispatcher.ResponseData) => Promise<T>,
): Promise<T> {
  const problem = targetProblem(target, sending);
  if (problem !== undefined) throw new SendingFailed(problem);
  const url = new URL(target);
  const { signal } = request;
  const addresses = await allowedAddresses(hostOf(url), sending, signal);
  const client = new Client(url.origin, {
    connect: connectorTo(addresses, sending, signal, sending.trustedCertificates),
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  try {
    return await read(await client.request({ ...request, path: url.pathname + url.search }));
  } finally {
    client.destroy().catch(() => undefined);
  }
}

/**
 * All addresses of the host. If one of them is not allowed, none is used: the name of an honest receiver has no such
 * address.
 */
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
