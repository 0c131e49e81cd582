import { ConnectionError, errorOfAnswer, errorOfFetch, GatewayError, HoldfastError, TimeoutError } from './errors.ts';

export type Method = 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';

export type TokenFunction = (rejected?: string) => string | Promise<string>;

export interface TransportOptions {
  /** Address of the service, with or without `/v1`. */
  url: string;
  /**
   * A bearer token, or a function that returns one before each attempt. After a 401 the function is called with the
   * token that was rejected; if it returns another one, the request is sent once more.
   */
  token: string | TokenFunction;
  /** For one call with all attempts and pauses; 30,000 by default. */
  timeoutMs?: number;
  /** For one attempt, once there is a token; 10,000 by default. */
  attemptTimeoutMs?: number;
  /** For one call of the token function, which does not count towards the other limits; `timeoutMs` by default. */
  tokenTimeoutMs?: number;
  /** Attempts after the first; 3 by default. */
  retries?: number;
  /**
   * For all pauses of one call that the service asks for: after a 429, or by `Retry-After`. They don't count towards
   * `timeoutMs` and `retries` then. By default they do; 0 fails at once. All calls of clients with the same `WaitBudget`
   * share it.
   */
  waitMs?: number | WaitBudget | undefined;
  /** Used instead of the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
  /** Called before the pause of each retry. */
  onRetry?: (retry: Retry) => void;
  /** Shown in audit entries; `holdfast-sdk/<version>` by default. A browser sends its own. */
  userAgent?: string | undefined;
}

/** The time for the pauses of several calls. Pauses at the same time count once. */
export interface WaitBudget {
  leftMs: number;
  /** The end of the latest pause, as a `performance.now()` time; 0 at first. */
  pausedUntil: number;
}

export interface Retry {
  method: Method;
  /** The path with its parameters, without the query. */
  path: string;
  /** The number of the coming attempt, from 2. */
  attempt: number;
  delayMs: number;
  error: HoldfastError;
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Operation {
  method: Method;
  /** Begins with `/v1`; parameters are encoded. */
  path: string;
  query?: Query | undefined;
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
  /** Whether it may be sent again if an earlier attempt may have been applied. */
  repeatable: boolean;
  /** Instead of the client's. */
  limits?: { attemptTimeoutMs: number } | undefined;
  signal?: AbortSignal | undefined;
  /** `timeoutMs` from now by default. */
  deadline?: Deadline | undefined;
}

/** The end of a call. Waiting for a token moves it. */
export interface Deadline {
  /** A `performance.now()` time. */
  at: number;
}

export interface Answer {
  status: number;
  headers: Headers;
  /** The parsed JSON; undefined for 304. */
  body: unknown;
}

export interface Transport {
  send(operation: Operation): Promise<Answer>;
  deadline(): Deadline;
  /** Counts finished writes, so that a read that began before one is not taken for the latest state. */
  writes(): number;
}

/** The longest delay that JavaScript timers support. */
const maxTimerMs = 2_147_483_647;
/** The version in `package.json`, which not every runtime can import. A test compares them. */
const sdkUserAgent = 'holdfast-sdk/0.1.0';
const firstPauseMs = 200;
const longestPauseMs = 5_000;

/** The checked options. */
interface Connection {
  /** Without `/v1`. */
  base: string;
  origin: string;
  token: string | TokenFunction | undefined;
  timeoutMs: number;
  attemptTimeoutMs: number;
  tokenTimeoutMs: number;
  retries: number;
  waitMs: number | WaitBudget | undefined;
  fetch: typeof globalThis.fetch;
  onRetry: ((retry: Retry) => void) | undefined;
  /** The headers of every request. */
  headers: Readonly<Record<string, string>>;
}

interface Message {
  url: string;
  method: Method;
  headers: Readonly<Record<string, string>>;
  body: string | undefined;
  token?: string | undefined;
}

/** Without a token, requests are sent without one. */
export function createTransport(options: Omit<TransportOptions, 'token'> & Partial<TransportOptions>): Transport {
  const connection = connectionOf(options);
  let writes = 0;
  return {
    async send(operation) {
      try {
        return await sendWithRetries({ ...connection, ...operation.limits }, operation);
      } finally {
        if (operation.method !== 'GET') writes += 1;
      }
    },
    deadline: () => deadlineOf(connection),
    writes: () => writes,
  };
}

function connectionOf(options: Omit<TransportOptions, 'token'> & Partial<TransportOptions>): Connection {
  const { token, onRetry, userAgent = sdkUserAgent } = options;
  const base = baseOf(options.url);
  if (typeof token === 'string') checkToken(token);
  const timeoutMs = bounded('timeoutMs', options.timeoutMs ?? 30_000, 1, maxTimerMs);
  // In a browser this header would cost a preflight request.
  const named = globalThis.process?.versions?.node === undefined ? {} : { 'user-agent': userAgent };
  return {
    base,
    origin: new URL(base).origin,
    token,
    timeoutMs,
    attemptTimeoutMs: bounded('attemptTimeoutMs', options.attemptTimeoutMs ?? 10_000, 1, maxTimerMs),
    tokenTimeoutMs: bounded('tokenTimeoutMs', options.tokenTimeoutMs ?? timeoutMs, 1, maxTimerMs),
    retries: bounded('retries', options.retries ?? 3, 0, 100),
    waitMs: typeof options.waitMs === 'number' ? bounded('waitMs', options.waitMs, 0, maxTimerMs) : options.waitMs,
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    onRetry,
    headers: { accept: 'application/json', ...named },
  };
}

const deadlineOf = ({ timeoutMs }: Connection): Deadline => ({ at: performance.now() + timeoutMs });

async function sendWithRetries(connection: Connection, operation: Operation): Promise<Answer> {
  const { method, path, signal, deadline = deadlineOf(connection) } = operation;
  const isRead = method === 'GET' || operation.query?.dryRun === true;
  const message = messageOf(connection, operation);
  let mayHaveApplied = false;
  let failures = 0;
  const { waitMs } = connection;
  const budget = typeof waitMs === 'number' ? { leftMs: waitMs, pausedUntil: 0 } : waitMs;
  const tokenAfter = async (rejected?: string) => {
    const begun = performance.now();
    const token = await tokenInTime(connection, signal, rejected);
    deadline.at += performance.now() - begun;
    return token;
  };
  for (let number = 1; ; number += 1) {
    signal?.throwIfAborted();
    try {
      const token = await tokenAfter();
      try {
        return await attemptInTime(connection, { ...message, token }, signal, deadline.at);
      } catch (error) {
        // The service rejects a token before it does anything else, so any request can be sent again.
        if (!(error instanceof HoldfastError) || error.status !== 401) throw error;
        const renewed = typeof connection.token === 'function' ? await tokenAfter(token) : token;
        if (renewed === token) throw error;
        return await attemptInTime(connection, { ...message, token: renewed }, signal, deadline.at);
      }
    } catch (error) {
      if (!(error instanceof HoldfastError)) throw error;
      mayHaveApplied ||= error.outcomeUnknown && !isRead;
      error.outcomeUnknown = mayHaveApplied;
      const mayRepeat = error.retryable && (isRead || operation.repeatable || !mayHaveApplied);
      if (!mayRepeat) throw error;
      let delayMs = pauseMs(number, error.retryAfterMs);
      if (budget !== undefined && isAskedToWait(error)) {
        const { retryAfterMs = 0 } = error;
        // Clients that were limited at the same moment don't come back at the same moment.
        delayMs = takeWait(budget, retryAfterMs, delayMs + (Math.random() * retryAfterMs) / 4);
        if (delayMs === 0) throw error;
        deadline.at += delayMs;
      } else {
        failures += 1;
        // A pause beyond the call's time limit would only delay the same error.
        if (failures > connection.retries || performance.now() + delayMs >= deadline.at) throw error;
      }
      connection.onRetry?.({ method, path, attempt: number + 1, delayMs, error });
      await pause(delayMs, signal);
    }
  }
}

/** Takes a pause from the budget, shortened to what is left. @returns 0 if not even the shortest pause is left */
function takeWait(budget: WaitBudget, shortestMs: number, delayMs: number): number {
  const now = performance.now();
  const countedUntil = Math.max(now, budget.pausedUntil);
  const availableMs = countedUntil - now + budget.leftMs;
  if (availableMs <= shortestMs) return 0;
  const takenMs = Math.min(availableMs, delayMs);
  budget.pausedUntil = Math.max(countedUntil, now + takenMs);
  budget.leftMs -= budget.pausedUntil - countedUntil;
  return takenMs;
}

function messageOf({ base, headers }: Connection, { method, path, query, body, headers: own }: Operation): Message {
  const content = body === undefined ? {} : { 'content-type': 'application/json' };
  return {
    url: base + path + queryOf(query),
    method,
    headers: { ...headers, ...content, ...own },
    body: body === undefined ? undefined : JSON.stringify(body),
  };
}

/** @throws TimeoutError if the token function takes too long */
async function tokenInTime(
  { token, tokenTimeoutMs }: Connection,
  signal: AbortSignal | undefined,
  rejected: string | undefined,
): Promise<string | undefined> {
  if (typeof token !== 'function') return token?.trim();
  const late = () => {
    const message = `The token was not available within ${tokenTimeoutMs} ms.`;
    return new TimeoutError(message, { code: 'timeout', retryable: true });
  };
  return checkToken(await inTime(async () => token(rejected), tokenTimeoutMs, signal, late));
}

/** Sends the request and reads the whole response. */
function attemptInTime(
  connection: Connection,
  message: Message,
  signal: AbortSignal | undefined,
  deadline: number,
): Promise<Answer> {
  const limitMs = Math.max(0, Math.min(connection.attemptTimeoutMs, deadline - performance.now()));
  const late = () => timeoutAfter(limitMs, connection.origin);
  return inTime(own => attempt(connection, message, own), limitMs, signal, late);
}

/** Ends with the work, the caller's signal or the time limit, even if the work ignores its own signal. */
function inTime<T>(
  work: (own: AbortSignal) => Promise<T>,
  limitMs: number,
  signal: AbortSignal | undefined,
  late: () => HoldfastError,
): Promise<T> {
  const controller = new AbortController();
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const end = (settle: () => void) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      settle();
      controller.abort();
    };
    const abort = () => end(() => reject(signal?.reason));
    const timer = setTimeout(() => end(() => reject(late())), limitMs);
    signal?.addEventListener('abort', abort, { once: true });
    work(controller.signal).then(
      result => end(() => resolve(result)),
      error => end(() => reject(error)),
    );
  });
}

async function attempt(connection: Connection, message: Message, signal: AbortSignal): Promise<Answer> {
  const { origin, fetch: doFetch } = connection;
  const authorization = message.token === undefined ? {} : { authorization: `Bearer ${message.token}` };
  let response: Response;
  let text: string;
  try {
    response = await doFetch(message.url, {
      method: message.method,
      headers: { ...authorization, ...message.headers },
      ...(message.body === undefined ? {} : { body: message.body }),
      // Following a redirect would send the body, with its values, to an address that nobody configured.
      redirect: 'manual',
      signal,
    });
    text = await response.text();
  } catch (failure) {
    throw errorOfFetch(origin, failure);
  }
  const { status, headers } = response;
  if (status === 304) return { status, headers, body: undefined };
  if (status < 200 || status > 299) throw errorOfAnswer(status, headers, text);
  return { status, headers, body: parseBody(origin, status, headers, text) };
}

const isAskedToWait = ({ status, retryAfterMs }: HoldfastError) => status === 429 || retryAfterMs !== undefined;

/** Full jitter (AWS Architecture Blog, "Exponential backoff and jitter"), in addition to `Retry-After`. */
function pauseMs(attempt: number, retryAfterMs = 0): number {
  return retryAfterMs + Math.random() * Math.min(longestPauseMs, firstPauseMs * 2 ** (attempt - 1));
}

/** @throws the signal's reason when it aborts */
export function pause(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', abort);
        resolve();
      },
      Math.min(delayMs, maxTimerMs),
    );
    signal?.addEventListener('abort', abort, { once: true });
  });
}

/** Fills `{name}` in a path. @throws TypeError for a segment that is missing or would change the path */
export function fillPath(template: string, parameters: Readonly<Record<string, string | number>> = {}): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = Object.hasOwn(parameters, name) ? String(parameters[name]) : '';
    // A URL parser resolves dot segments, so they would name another path.
    if (value === '' || value === '.' || value === '..') throw new TypeError(`The path needs a ${name}.`);
    return encodeURIComponent(value);
  });
}

function queryOf(query: Query = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  return parameters.size === 0 ? '' : `?${parameters}`;
}

/** A message of JSON.parse quotes the text, so it is neither shown nor kept as the cause. */
function parseBody(origin: string, status: number, headers: Headers, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const facts = { status, requestId: headers.get('x-request-id') ?? undefined, outcomeUnknown: true };
    if (/^application\/json\b/.test(headers.get('content-type') ?? '')) {
      const message = `The answer from ${origin} was cut off.`;
      throw new ConnectionError(message, { ...facts, code: 'connection_failed', retryable: true });
    }
    throw new GatewayError(`The answer from ${origin} is not JSON.`, { ...facts, code: 'gateway_error' });
  }
}

function timeoutAfter(limitMs: number, origin: string): TimeoutError {
  const message = `No answer from ${origin} within ${Math.round(limitMs)} ms.`;
  return new TimeoutError(message, { code: 'timeout', retryable: true, outcomeUnknown: true });
}

function baseOf(given: string): string {
  const text = given.trim();
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw new TypeError('url must be an http or https address without credentials, query and fragment.');
  }
  return url.href.replace(/\/+$/, '').replace(/\/v1$/, '');
}

/** A header can't contain a line break, and the error from `fetch` would quote the token. */
function checkToken(token: unknown): string {
  const trimmed = typeof token === 'string' ? token.trim() : '';
  if (!/^[\x21-\x7e]+$/.test(trimmed)) throw new TypeError('token must be one word of printable ASCII characters.');
  return trimmed;
}

function bounded(name: string, value: number, minimum: number, maximum: number): number {
  if (value >= minimum && value <= maximum) return value;
  throw new RangeError(`${name} must be ${minimum} to ${maximum}.`);
}
