import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { z } from 'zod';
import type { Contract } from './contract.ts';
import { ApiError, type ErrorCode, invalidRequest, type Problem } from './errors.ts';
import { parseJson } from './json.ts';
import { parameterNames, pathParameters } from './path-parameters.ts';

/** Where a request came from: what the audit log records of it. */
export interface RequestSource {
  requestId: string;
  ip: string;
  userAgent: string;
}

const maximumUserAgent = 500;

export function sourceOf(event: APIGatewayProxyEventV2): RequestSource {
  return {
    requestId: event.requestContext.requestId,
    ip: event.requestContext.http.sourceIp,
    userAgent: (event.requestContext.http.userAgent ?? '').slice(0, maximumUserAgent),
  };
}

export function headerOf(event: APIGatewayProxyEventV2, name: string): string | undefined {
  return event.headers[name] ?? undefined;
}

/** A request body holds at most 5 MB; Lambda's own bound of 6 MB is on the whole event. */
export const maximumBodyBytes = 5 * 1024 * 1024;

/** The body's bytes as text. @throws payload_too_large, or invalid_request where it is not UTF-8. */
export function bodyText(event: APIGatewayProxyEventV2): string {
  const body = event.body ?? '';
  const bytes = event.isBase64Encoded ? Buffer.from(body, 'base64') : undefined;
  const size = bytes === undefined ? Buffer.byteLength(body, 'utf8') : bytes.length;
  if (size > maximumBodyBytes) {
    throw new ApiError('payload_too_large', `The body has ${size} bytes; at most ${maximumBodyBytes} are taken.`, {
      details: { sizeBytes: size, maximumBytes: maximumBodyBytes },
    });
  }
  if (bytes === undefined) return body;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalidRequest([{ path: '', message: 'the body is not valid UTF-8' }]);
  }
}

export interface ParsedParts {
  query: unknown;
  headers: unknown;
  body: unknown;
}

/** The path's parameters that have the right form, and the not-found error of the first one that names nothing. */
export function parsePath(
  contract: Contract,
  event: APIGatewayProxyEventV2,
): { params: Record<string, string>; problem: ApiError | undefined } {
  const params: Record<string, string> = {};
  let problem: ApiError | undefined;
  for (const name of parameterNames(contract.path)) {
    const { schema, notFound } = pathParameters[name];
    const parsed = schema.safeParse(event.pathParameters?.[name]);
    if (parsed.success) params[name] = parsed.data;
    else problem ??= notFoundError(contract.notFound?.[name] ?? notFound);
  }
  return { params, problem };
}

function notFoundError(code: ErrorCode): ApiError {
  if (code === 'invalid_token') return new ApiError(code, 'This link is not valid: it is unknown, used or expired.');
  return new ApiError(code, `There is no such ${code.replace(/_not_found$/, '').replaceAll('_', ' ')}.`);
}

/** Query, headers and body against their schemas, with every problem of all three at once. */
export function parseParts(contract: Contract, event: APIGatewayProxyEventV2): ParsedParts {
  const problems: Problem[] = [];
  const parse = (schema: z.ZodType | undefined, input: unknown): unknown => {
    if (schema === undefined) return {};
    const parsed = schema.safeParse(input);
    if (parsed.success) return parsed.data;
    problems.push(...parsed.error.issues.flatMap(problemsOf));
    return undefined;
  };
  const query = parse(contract.query, event.queryStringParameters ?? {});
  const headers = parse(contract.headers, event.headers);
  let body: unknown;
  if (contract.rawBody) body = bodyText(event);
  else if (contract.body !== undefined) body = parse(contract.body, jsonBody(event));
  // What comes with a GET has no meaning (RFC 9110, section 9.3.1), so it is no mistake either.
  else if (contract.method !== 'GET') refuseUnexpectedBody(event);
  if (problems.length > 0) throw invalidRequest(problems);
  return { query, headers, body };
}

function jsonBody(event: APIGatewayProxyEventV2): unknown {
  if (event.body === undefined || event.body === '') {
    throw invalidRequest([{ path: '', message: 'a JSON body is required' }]);
  }
  const mediaType = (headerOf(event, 'content-type') ?? '').split(';')[0]?.trim().toLowerCase();
  if (mediaType !== 'application/json') {
    throw new ApiError('unsupported_media_type', 'The body must be sent with Content-Type: application/json.');
  }
  return parseJson(bodyText(event));
}

/** Clients send `{}` where an endpoint takes no body, which is fine; members would be dropped in silence, which is not. */
function refuseUnexpectedBody(event: APIGatewayProxyEventV2): void {
  if (event.body === undefined || event.body === '') return;
  const body = jsonBody(event);
  if (body === null) return;
  const names = typeof body === 'object' && !Array.isArray(body) ? Object.keys(body) : undefined;
  if (names === undefined) throw invalidRequest([{ path: '', message: 'this endpoint takes no body' }]);
  if (names.length > 0)
    throw invalidRequest(names.slice(0, 100).map(path => ({ path, message: 'is not a known field' })));
}

/** A zod issue as problems of the API: dotted path, a sentence, no value. */
export function problemsOf(issue: z.core.$ZodIssue): Problem[] {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map(key => ({ path: [...path, key].join('.'), message: 'is not a known field' }));
  }
  return [{ path: path.join('.'), message: issue.message }];
}
