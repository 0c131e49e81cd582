import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { ApiError, temporarilyUnavailable } from './errors.ts';

const commonHeaders = {
  'content-type': 'application/json; charset=utf-8',
  // Answers hold secrets or depend on who asks; nothing between here and the caller may keep one.
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
} as const;

/**
 * Above this a body goes to the gateway base64-encoded: as a JSON string inside Lambda's answer it would be escaped a
 * second time, which can double it, while Lambda's bound of 6 MB counts the escaped form.
 */
const base64AboveBytes = 512 * 1024;

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
  const text = hasBody ? JSON.stringify(answer.body) : '';
  const isBase64Encoded = Buffer.byteLength(text) > base64AboveBytes;
  return {
    statusCode: answer.status,
    headers: {
      ...(hasBody ? { 'content-type': contentType } : {}),
      ...others,
      'x-request-id': requestId,
      ...answer.headers,
    },
    ...(answer.cookies === undefined || answer.cookies.length === 0 ? {} : { cookies: [...answer.cookies] }),
    ...(hasBody ? { body: isBase64Encoded ? Buffer.from(text).toString('base64') : text, isBase64Encoded } : {}),
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

/** Names of AWS errors that mean: not now. The SDK has already retried them. */
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

/** What a client may know of any failure: an ApiError as it is, an outage as 503, everything else as a bare 500. */
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
      return temporarilyUnavailable('The service could not finish this right now. Send the request again.', error);
    }
  }
  return new ApiError('internal_error', 'Something went wrong on our side. The request id names it in our log.', {
    cause: error,
  });
}
