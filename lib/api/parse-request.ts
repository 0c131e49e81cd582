import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { z } from 'zod';
import { bodyLimitOf, type Contract, type ParsedRequest } from '../contracts/contract.ts';
import type { ErrorCode, Problem } from '../contracts/error-codes.ts';
import { problemsOf } from '../contracts/fields/messages.ts';
import { NoQuery } from '../contracts/fields/query.ts';
import { formProblem, isIdInPlaceOfSlug, parameterNames, pathParameters } from '../contracts/path-parameters.ts';
import { ApiError, invalidRequest } from '../core/errors.ts';
import { parseJson } from '../core/json.ts';
import { cookieOf, headerOf } from '../core/request-source.ts';

/** The body's bytes as text. @throws payload_too_large, or invalid_request if it is not UTF-8. */
function bodyText(event: APIGatewayProxyEventV2, maximumBytes: number): string {
  const body = event.body ?? '';
  const bytes = event.isBase64Encoded ? Buffer.from(body, 'base64') : undefined;
  const size = bytes === undefined ? Buffer.byteLength(body, 'utf8') : bytes.length;
  if (size > maximumBytes) {
    const message = `The body has ${size} bytes; at most ${maximumBytes} are allowed.`;
    throw new ApiError('payload_too_large', message, { details: { sizeBytes: size, maximumBytes } });
  }
  if (bytes === undefined) return body;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalidRequest([{ path: '', message: 'the body is not valid UTF-8' }]);
  }
}

/** A parsed request, or the reason it was rejected. */
type Parsed<C extends Contract> = { request: ParsedRequest<C> } | { problem: unknown };

export function parseRequest<C extends Contract>(
  contract: C,
  event: APIGatewayProxyEventV2,
  { params, problem }: ReturnType<typeof parsePath>,
): Parsed<C> {
  if (problem !== undefined) return { problem };
  try {
    const request = { params, cookies: cookiesOf(contract, event), ...parseParts(contract, event) };
    // The contract's schemas have just checked this type.
    return { request: request as ParsedRequest<C> };
  } catch (error) {
    return { problem: error };
  }
}

/** The cookies that the contract names. The first of a name counts: browsers send the one with the longest path first. */
function cookiesOf({ cookies = [] }: Contract, event: APIGatewayProxyEventV2): Record<string, string> {
  const sent = cookies.map(name => [name, cookieOf(event.cookies, name)]);
  return Object.fromEntries(sent.filter(([, cookie]) => cookie !== undefined));
}

/** @throws what is wrong with the request */
export function requireParsed<C extends Contract>(parsed: Parsed<C>): ParsedRequest<C> {
  if ('problem' in parsed) throw parsed.problem;
  return parsed.request;
}

/** The well-formed parameters of the path, and the not-found error of the first malformed one. */
export function parsePath(contract: Contract, event: APIGatewayProxyEventV2) {
  const params: Record<string, string> = {};
  let problem: ApiError | undefined;
  for (const name of parameterNames(contract.path)) {
    const { schema, notFound } = pathParameters[name];
    const value = event.pathParameters?.[name];
    const parsed = schema.safeParse(value);
    if (parsed.success) params[name] = parsed.data;
    else problem ??= notFoundError(contract.notFound?.[name] ?? notFound, formProblem(name, value));
  }
  return { params, problem };
}

function notFoundError(code: ErrorCode, formProblem: string): ApiError {
  if (code === 'invalid_token') return new ApiError(code, 'This link is not valid: it is unknown, used or expired.');
  const thing = code.replace(/_not_found$/, '').replaceAll('_', ' ');
  return new ApiError(code, `There is no such ${thing}: ${formProblem}.`);
}

/** The same error, with an explanation if the parameter is malformed, such as an id in place of a slug. */
export function explainNotFound(contract: Contract, event: APIGatewayProxyEventV2, error: ApiError): ApiError {
  const { problem } = parsePath(contract, event);
  if (problem?.code === error.code) return problem;
  const name = parameterNames(contract.path).find(parameter => {
    const code = contract.notFound?.[parameter] ?? pathParameters[parameter].notFound;
    return code === error.code && isIdInPlaceOfSlug(parameter, event.pathParameters?.[parameter]);
  });
  return name === undefined ? error : notFoundError(error.code, formProblem(name, event.pathParameters?.[name]));
}

/** Query, headers and body against their schemas. @throws invalid_request with every problem of all three at once */
function parseParts(contract: Contract, event: APIGatewayProxyEventV2) {
  let problems: readonly Problem[] = [];
  const parse = (schema: z.ZodType, input: unknown): unknown => {
    const { data, error } = schema.safeParse(input);
    if (error !== undefined) problems = [...problems, ...error.issues.flatMap(problemsOf)];
    return data;
  };
  const query = parse(contract.query ?? NoQuery, event.queryStringParameters ?? {});
  const headers = contract.headers === undefined ? {} : parse(contract.headers, event.headers);
  let body: unknown;
  if (contract.rawBody) {
    body = bodyText(event, bodyLimitOf(contract));
  } else if (contract.body !== undefined) {
    const json = readJson(event, bodyLimitOf(contract));
    problems = [...problems, ...json.problems];
    if (json.value !== undefined) body = parse(contract.body, json.value);
  } else if (contract.method !== 'GET' && hasBody(event)) {
    // The content of a GET has no meaning (RFC 9110, section 9.3.1), so it is ignored.
    problems = [...problems, ...problemsOfUnexpected(readJson(event, bodyLimitOf(contract)))];
  }
  if (problems.length > 0) throw invalidRequest(problems);
  return { query, headers, body };
}

function hasBody({ body }: APIGatewayProxyEventV2): boolean {
  return body !== undefined && body !== '';
}

/** @throws payload_too_large, unsupported_media_type: they concern the whole body, so they precede other problems */
function readJson(event: APIGatewayProxyEventV2, maximumBytes: number): ReturnType<typeof parseJson> {
  if (!hasBody(event)) return { value: undefined, problems: [{ path: '', message: 'a JSON body is required' }] };
  const parts = (headerOf(event, 'content-type') ?? '').split(';');
  const [mediaType = '', ...parameters] = parts.map(part => part.trim().toLowerCase());
  const charset = parameters.find(parameter => parameter.startsWith('charset='));
  const isUtf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset);
  if (mediaType !== 'application/json' || !isUtf8) {
    const message = 'The body must be sent with Content-Type: application/json, in UTF-8.';
    throw new ApiError('unsupported_media_type', message);
  }
  return parseJson(bodyText(event, maximumBytes));
}

/** Clients may send `{}` to an endpoint without a body. Members are rejected rather than silently dropped. */
function problemsOfUnexpected({ value, problems }: ReturnType<typeof readJson>): readonly Problem[] {
  if (problems.length > 0 || value === null) return problems;
  const isObject = typeof value === 'object' && !Array.isArray(value);
  if (!isObject) return [{ path: '', message: 'this endpoint accepts no body' }];
  const names = Object.keys(value).slice(0, 100);
  return names.map(path => ({ path, message: 'is not a known field' }));
}
