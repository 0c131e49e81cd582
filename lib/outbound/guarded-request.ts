import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction, connect as tcpConnect } from 'node:net';
import { connect as tlsConnect } from 'node:tls';
import { type buildConnector, Client, type Dispatcher } from 'undici';
import { addressProblem, hostOf, isLocalhost, type TargetRules, targetProblem, targetRules } from './target.ts';

/** All addresses of a name; empty if it does not resolve. Must stop when the signal aborts. */
type ResolveName = (name: string, signal: AbortSignal) => Promise<readonly string[]>;

/** Queries the name servers, because the system's resolver can't be aborted and reads local files. */
const resolveName: ResolveName = async (name, signal) => {
  // RFC 6761, section 6.3.
  if (isLocalhost(name)) return ['127.0.0.1', '::1'];
  const resolver = new Resolver({ timeout: 2000, tries: 2 });
  signal.addEventListener('abort', () => resolver.cancel(), { once: true });
  // A trailing dot denotes the DNS root. Dropping it changes nothing, because the resolver adds no search domain.
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  return answers.flatMap(answer => (answer.status === 'fulfilled' ? answer.value : []));
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
 * Sends one request, at most once, to a customer-supplied address. Only public addresses are allowed, each is checked
 * before and after the connection opens, and redirects are not followed.
 * @throws RequestFailed, the signal's reason, or an error from Node or undici
 */
export async function guardedRequest<T>(
  target: string,
  request: GuardedRequest,
  read: (response: Dispatcher.ResponseData) => Promise<T>,
  sending: Sending = targetRules(),
): Promise<T> {
  requireAllowed(targetProblem(target, sending));
  const url = new URL(target);
  const host = hostOf(url);
  const { signal } = request;
  const { resolve = resolveName, trustedCertificates } = sending;
  const addresses = isIP(host) === 0 ? await untilAborted(resolve(host, signal), signal) : [host];
  if (addresses.length === 0) throw new RequestFailed('the name does not resolve');
  // If one address is not allowed, none is used: the name of an honest receiver has no such address.
  for (const address of addresses) requireAllowed(addressProblem(address, sending));
  const connect = connectorTo(addresses, sending, signal, trustedCertificates);
  const client = new Client(url.origin, { connect, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 });
  try {
    return await read(await client.request({ ...request, path: url.pathname + url.search }));
  } finally {
    client.destroy().catch(() => undefined);
  }
}

function requireAllowed(problem: string | undefined): void {
  if (problem !== undefined) throw new RequestFailed(problem);
}

async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  return Promise.race([work, aborted]);
}

/**
 * Opens undici's one connection, only to addresses that were already checked: a DNS answer that changes between check
 * and use has no effect. The peer's address is checked a second time before any byte of the request is sent.
 */
export function connectorTo(
  addresses: readonly string[],
  rules: TargetRules,
  signal: AbortSignal,
  trustedCertificates?: string,
): buildConnector.connector {
  return ({ hostname, protocol, port }, callback) => {
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    const isSecure = protocol === 'https:';
    const lookup: LookupFunction = (_name, { all }, respond) => {
      const resolved = addresses.map(address => ({ address, family: isIP(address) }));
      const [first = { address: '', family: 0 }] = resolved;
      if (all === true) respond(null, resolved);
      else respond(null, first.address, first.family);
    };
    const options = { host, port: Number(port) || (isSecure ? 443 : 80), autoSelectFamily: true, lookup };
    const socket = isSecure
      ? tlsConnect({
          ...options,
          // RFC 6066: the server name is never an IP address; the certificate is then checked against `host`.
          ...(isIP(host) === 0 ? { servername: host.replace(/\.$/, '') } : {}),
          ca: trustedCertificates,
          ALPNProtocols: ['http/1.1'],
          minVersion: 'TLSv1.2',
          rejectUnauthorized: true,
        })
      : tcpConnect(options);
    signal.addEventListener('abort', () => socket.destroy(new RequestFailed('timed out')), { once: true });
    const settle = (error: Error | null) => {
      socket.removeListener('error', settle);
      if (error === null) callback(null, socket);
      else callback(error, null);
    };
    socket.once('error', settle);
    socket.once(isSecure ? 'secureConnect' : 'connect', () => {
      const problem = addressProblem(socket.remoteAddress ?? 'unknown', rules);
      if (problem === undefined) settle(null);
      else socket.destroy(new RequestFailed(problem));
    });
  };
}

/** Reads a response's body; undefined if it is longer, without reading the rest. */
export async function readBody({ body }: Dispatcher.ResponseData, maximumBytes: number): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > maximumBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** A request was not sent or got no usable response. The message is a plain-language reason for customers. */
export class RequestFailed extends Error {
  override readonly name = 'RequestFailed';
}

/** Never throws: a failure is a plain-language reason with nothing of the response. */
export async function withinTime<T>(
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<{ result: T } | { problem: string }> {
  const controller = new AbortController();
  const timedOut = new RequestFailed(`timed out after ${timeoutMs / 1000} s`);
  const timer = setTimeout(() => controller.abort(timedOut), timeoutMs);
  try {
    return { result: await work(controller.signal) };
  } catch (error) {
    return { problem: controller.signal.aborted ? timedOut.message : failureReason(error) };
  } finally {
    clearTimeout(timer);
  }
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed before the response was complete',
  EPIPE: 'the connection was closed before the response was complete',
  UND_ERR_SOCKET: 'the connection was closed before the response was complete',
  ETIMEDOUT: 'the connection could not be opened in time',
  EHOSTUNREACH: 'the address cannot be reached',
  ENETUNREACH: 'the address cannot be reached',
  EADDRNOTAVAIL: 'the address cannot be reached',
  UND_ERR_HEADERS_OVERFLOW: 'the response headers are too long',
  UND_ERR_INVALID_ARG: 'requests cannot be sent to this URL',
};

function failureReason(error: unknown): string {
  if (error instanceof RequestFailed) return error.message;
  // If several addresses were tried, each has its own error.
  const single = error instanceof AggregateError ? error.errors[0] : error;
  const { name, code, cause } = single as { name?: unknown; code?: unknown; cause?: unknown };
  if (name === 'HTTPParserError') return 'the response is not HTTP';
  if (typeof code !== 'string') return cause === undefined ? 'the exchange failed' : failureReason(cause);
  const reason = reasons[code];
  if (reason !== undefined) return reason;
  if (code.startsWith('ERR_SSL_') || code === 'EPROTO') return `the TLS handshake failed (${code})`;
  if (/CERT|SIGNATURE|ISSUER|ALTNAME/.test(code)) return `the certificate is not valid (${code})`;
  return `the exchange failed (${code})`;
}
