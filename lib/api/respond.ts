import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { ApiError, temporarilyUnavailable } from '../core/errors.ts';
import { encodingOf } from '../core/response-size.ts';
import { compressed } from './compress.ts';

const commonHeaders = {
  'content-type': 'application/json; charset=utf-8',
  // Responses contain secrets or depend on the caller, so no cache may store them.
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
} as const;

/** @throws payload_too_large if neither encoding fits Lambda's limit */
function encode(text: string): { body: string; isBase64Encoded: boolean } {
  switch (encodingOf(text)) {
    case 'text':
      return { body: text, isBase64Encoded: false };
    case 'base64':
      return { body: Buffer.from(text).toString('base64'), isBase64Encoded: true };
    default: {
      const message = 'The response is larger than 6 MB. Request it in pages, with limit and offset.';
      throw new ApiError('payload_too_large', message);
    }
  }
}

export interface Answer {
  status: number;
  /** null: no body. */
  body: unknown;
  /** Of a body that is text and sent as it is. Any other body is sent as JSON. */
  contentType?: string | undefined;
  headers?: Readonly<Record<string, string>>;
  cookies?: readonly string[];
}

/** @param event the request, if the response may be compressed */
export function render(
  answer: Answer,
  requestId: string,
  event?: APIGatewayProxyEventV2,
): APIGatewayProxyStructuredResultV2 {
  const { 'content-type': contentType, ...others } = commonHeaders;
  const text = textOf(answer);
  const encoded = text === undefined ? {} : encode(text);
  const gzip = text === undefined || event === undefined ? undefined : compressed(text, event);
  return {
    statusCode: answer.status,
    headers: {
      ...(text === undefined ? {} : { 'content-type': answer.contentType ?? contentType }),
      ...others,
      ...(gzip === undefined ? {} : { 'content-encoding': 'gzip' }),
      'x-request-id': requestId,
      ...answer.headers,
    },
    ...(answer.cookies === undefined || answer.cookies.length === 0 ? {} : { cookies: [...answer.cookies] }),
    ...(gzip === undefined ? encoded : { body: gzip.toString('base64'), isBase64Encoded: true }),
  };
}

function textOf({ body, contentType }: Answer): string | undefined {
  if (body === null || body === undefined) return undefined;
  return contentType !== undefined && typeof body === 'string' ? body : JSON.stringify(body);
}

/** The one error shape. */
export function renderError(error: ApiError, requestId: string): APIGatewayProxyStructuredResultV2 {
  const { status, code, message, details, retryAfterSeconds } = error;
  const headers = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  return render({ status, body: { error: { code, message, requestId, details } }, headers }, requestId);
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
    const isOutage = ($metadata?.httpStatusCode ?? 0) >= 500;
    if (isOutage || transientNames.has(name) || transientNames.has(code ?? '')) {
      return temporarilyUnavailable('The service could not complete this right now. Send the request again.', error);
    }
  }
  const message = 'Something went wrong on our side. The request id names it in our log.';
  return new ApiError('internal_error', message, { cause: error });
}
