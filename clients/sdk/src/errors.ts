import type { components } from './api-types.ts';

/** The codes of the service, and the client's own for calls that the service did not answer. */
export type ErrorCode =
  | components['schemas']['ErrorCode']
  | 'connection_failed'
  | 'timeout'
  | 'gateway_error'
  | 'platform_token_unavailable';

interface ErrorFacts {
  code: string;
  status?: number | undefined;
  requestId?: string | undefined;
  details?: unknown;
  retryable?: boolean;
  retryAfterMs?: number | undefined;
  outcomeUnknown?: boolean;
  cause?: unknown;
}

/** Every failure of a call. No message, detail or cause ever holds a value or a token. */
export class HoldfastError extends Error {
  override readonly name: string = 'HoldfastError';
  /** One of `ErrorCode`, or a code that a newer service added. */
  readonly code: ErrorCode | (string & {});
  /** The HTTP status; undefined without a response. */
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly details: unknown;
  /** Whether the same call may succeed later: no connection, a timeout, 429, 502 to 504. */
  readonly retryable: boolean;
  /** The service's `Retry-After`. */
  readonly retryAfterMs: number | undefined;
  /** True if the change may have been applied even though the call failed. Read the revision before retrying. */
  outcomeUnknown: boolean;

  constructor(message: string, facts: ErrorFacts) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = facts.code;
    this.status = facts.status;
    this.requestId = facts.requestId;
    this.details = facts.details;
    this.retryable = facts.retryable ?? false;
    this.retryAfterMs = facts.retryAfterMs;
    this.outcomeUnknown = facts.outcomeUnknown ?? false;
  }
}

/** The environment is not at the revision that the change requires. */
export class RevisionMismatch extends HoldfastError {
  override readonly name = 'RevisionMismatch';
  readonly currentRevision: number;

  constructor(message: string, facts: ErrorFacts, currentRevision: number) {
    super(message, facts);
    this.currentRevision = currentRevision;
  }
}

/** The key is not at the version that the change requires. */
export class VersionMismatch extends HoldfastError {
  override readonly name = 'VersionMismatch';
  /** 0 if the key does not exist. */
  readonly currentVersion: number;

  constructor(message: string, facts: ErrorFacts, currentVersion: number) {
    super(message, facts);
    this.currentVersion = currentVersion;
  }
}

/** The environment requires that others approve the change. Propose it instead. */
export class ApprovalRequired extends HoldfastError {
  override readonly name = 'ApprovalRequired';
  /** The path for proposals. */
  readonly propose: string;

  constructor(message: string, facts: ErrorFacts, propose: string) {
    super(message, facts);
    this.propose = propose;
  }
}

/** The connection failed, or broke before the whole response arrived. */
export class ConnectionError extends HoldfastError {
  override readonly name = 'ConnectionError';
}

/** The response did not arrive in time. */
export class TimeoutError extends HoldfastError {
  override readonly name = 'TimeoutError';
}

/** A response from the gateway, a proxy or another server instead of the service. */
export class GatewayError extends HoldfastError {
  override readonly name = 'GatewayError';
}

/** 429 and 502 to 504 are temporary; a 500 is likely to repeat. */
const passingStatuses: readonly number[] = [429, 502, 503, 504];

/** The error for a failed response with the body `text`. */
export function errorOfAnswer(status: number, headers: Headers, text: string): HoldfastError {
  const body = jsonObject(text);
  const error = body?.error;
  // A proxy may strip the headers, so the service also puts the request id in the body.
  const idInBody = isObject(error) && typeof error.requestId === 'string' ? error.requestId : undefined;
  const facts = {
    status,
    requestId: headers.get('x-request-id') ?? idInBody ?? headers.get('apigw-requestid') ?? undefined,
    retryable: passingStatuses.includes(status),
    retryAfterMs: retryAfterMs(headers.get('retry-after'), Date.now()),
    outcomeUnknown: status >= 500,
  };
  if (!isObject(error) || typeof error.code !== 'string' || typeof error.message !== 'string') {
    const said = typeof body?.message === 'string' ? `: ${body.message.slice(0, 200)}` : '';
    const kind = body === undefined && /html/.test(headers.get('content-type') ?? '') ? ' with a web page' : '';
    return new GatewayError(`Not the service but a gateway answered ${status}${kind}${said}.`, {
      ...facts,
      code: 'gateway_error',
    });
  }
  const { code, details } = error;
  const message = withProblems(error.message, details);
  const known = { ...facts, code, details };
  if (code === 'revision_mismatch' && isObject(details) && typeof details.currentRevision === 'number') {
    return new RevisionMismatch(message, known, details.currentRevision);
  }
  if (code === 'version_mismatch' && isObject(details) && typeof details.currentVersion === 'number') {
    return new VersionMismatch(message, known, details.currentVersion);
  }
  if (code === 'approval_required' && isObject(details) && typeof details.propose === 'string') {
    return new ApprovalRequired(message, known, details.propose);
  }
  return new HoldfastError(message, known);
}

/** Failures that happen before a byte of the request leaves. */
const connectCodes: readonly string[] = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'];

/** Node's codes for a certificate that it rejects, and for a connection without TLS. */
const certificateCodes = /CERT|SIGNATURE/;
const tlsCodes = /^ERR_(?:TLS|SSL)/;

/** The error for a `fetch` that failed. */
export function errorOfFetch(origin: string, failure: unknown): ConnectionError {
  const cause: unknown = failure instanceof Error && failure.cause !== undefined ? failure.cause : failure;
  // A name with several addresses fails with an error for each.
  const failures = isObject(cause) && Array.isArray(cause.errors) && cause.errors.length > 0 ? cause.errors : [cause];
  const attempts = failures.map(attemptOf);
  // Retrying does not help with a rejected certificate.
  const isCertificate = attempts.some(({ code }) => certificateCodes.test(code));
  const isFinal = isCertificate || attempts.some(({ code }) => tlsCodes.test(code));
  const nothingSent = isFinal || attempts.every(({ isConnect }) => isConnect);
  const codes = attempts.map(({ code, address }) => (attempts.length > 1 ? `${address} ${code}`.trim() : code));
  const why = codes.join(', ');
  const problem = isCertificate ? ': its certificate is not trusted' : '';
  return new ConnectionError(`No connection to ${origin}${problem}${why === '' ? '' : ` (${why})`}.`, {
    code: 'connection_failed',
    retryable: !isFinal,
    outcomeUnknown: !nothingSent,
    cause: failure,
  });
}

function attemptOf(error: unknown): { code: string; address: string; isConnect: boolean } {
  const { code, syscall, address } = isObject(error) ? error : {};
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  return {
    code: text(code),
    address: text(address),
    isConnect: syscall === 'connect' || connectCodes.includes(text(code)),
  };
}

/** Seconds or an HTTP date (RFC 9110, 10.2.3). */
export function retryAfterMs(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** The service's message describes the first problem; this adds the others. */
function withProblems(message: string, details: unknown): string {
  if (!Array.isArray(details)) return message;
  const problems = details.filter(isProblem).map(({ path, message: problem }) => `${path || 'body'}: ${problem}`);
  const next = problems.slice(1, 5);
  if (next.length === 0) return message;
  const more = problems.length > 5 ? `; and ${problems.length - 5} more` : '';
  return `${message.replace(/ \(and \d+ more\)$/, '')}; ${next.join('; ')}${more}`;
}

function isProblem(value: unknown): value is components['schemas']['Problem'] {
  return isObject(value) && typeof value.path === 'string' && typeof value.message === 'string';
}

function jsonObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
