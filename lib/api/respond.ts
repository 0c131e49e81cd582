import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { ApiError, temporarilyUnavailable } from '../core/errors.ts';

const commonHeaders = {
  'content-type': 'application/json; charset=utf-8',
  // Responses contain secrets or depend on the caller, so no cache may store them.
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
} as const;

/**
 * Up to this size, a body is passed to the gateway as text. Inside Lambda's JSON response it is escaped a second time,
 * which can double it, so above this size the smaller of text and base64 is used.
 */
const asTextBytes = 512 * 1024;

/** Lambda limits a response to 6 MB (Lambda quotas); the rest is for headers and cookies. */
const maximumAnswerBytes = 6 * 1024 * 1024 - 64 * 1024;

/** @throws payload_too_large if neither encoding fits Lambda's limit */
function encode(text: string): { body: string; isBase64Encoded: boolean } {
  const bytes = Buffer.byteLength(text);
  if (bytes <= asTextBytes) return { body: text, isBase64Encoded: false };
  const escapedBytes = Buffer.byteLength(JSON.stringify(text));
  const base64Bytes = Math.ceil(bytes / 3) * 4;
  if (Math.min(escapedBytes, base64Bytes) > maximumAnswerBytes) {
    throw new ApiError(
      'payload_too_large',
      'The response is larger than 6 MB. Request it in pages, with limit and offset.',
    );
  }
  return escapedBytes <= base64Bytes
    ? { body: text, isBase64Encoded: false }
    : { body: Buffer.from(text).toString('base64'), isBase64Encoded: true };
}

export interface Answer {
  status: number;
  /** null: no body. */
  body: unknown;
  headers?: Readonly<Record<string, string>>;
  cookies?: readonly string[];
}

export function render(answer: Answer, requestId: string): APIGatewayProxyStructuredResultV2 {
  const { 'content-type': contentType, ...others } = commonHeaders;
  const hasBody = answer.body !== null && answer.body !== undefined;
  return {
    statusCode: answer.status,
    headers: {
      ...(hasBody ? { 'content-type': contentType } : {}),
      ...others,
      'x-request-id': requestId,
      ...answer.headers,
    },
    ...(answer.cookies === undefined || answer.cookies.length === 0 ? {} : { cookies: [...answer.cookies] }),
    ...(hasBody ? encode(JSON.stringify(answer.body)) : {}),
  };
}

/** The one error shape. */
export function renderError(error: ApiError, requestId: string): APIGatewayProxyStructuredResultV2 {
  const { code, message, details, retryAfterSeconds } = error;
  return render(
    {
      status: error.status,
      body: { error: { code, message, requestId, ...(details === undefined ? {} : { details }) } },
      ...(retryAfterSeconds === undefined ? {} : { headers: { 'retry-after': String(retryAfterSeconds) } }),
    },
    requestId,
  );
}

/** Names of transient AWS errors. The SDK has already retried them. */
const transientNames = new Set([
  'InternalServerError',
  'KMSInternalException',
  'DependencyTimeoutException',
  'LimitExceededException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestThrottled',
  'RequestTimeout',
  'RequestTimeoutException',
  'ServiceUnavailable',
  'ServiceUnavailableException',
  'ThrottlingException',
  'TimeoutError',
  'TooManyRequestsException',
  'TransactionConflictException',
  'TransactionInProgressException',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
]);

/** The error that a client may see: an ApiError unchanged, an outage as a 503, everything else as a bare 500. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof Error) {
    const { name, code, $metadata } = error as Error & { code?: string; $metadata?: { httpStatusCode?: number } };
    const status = $metadata?.httpStatusCode;
    if (
      transientNames.has(name) ||
      (code !== undefined && transientNames.has(code)) ||
      (status !== undefined && status >= 500)
    ) {
      return temporarilyUnavailable('The service could not complete this right now. Send the request again.', error);
    }
  }
  return new ApiError('internal_error', 'Something went wrong on our side. The request id names it in our log.', {
    cause: error,
  });
}
