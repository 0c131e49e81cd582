import type { ServerResponse } from 'node:http';
import { exceedsPayload } from '../lambda/invoke.ts';

export interface Answer {
  statusCode: number;
  headers: Record<string, string>;
  cookies: readonly string[];
  body: Buffer;
  /** Written to the access log together with the status. */
  integrationError?: string;
  gatewayError?: string;
}

/**
 * Interprets a function's result like API Gateway (payload format 2.0): a result without a status is the body of a 200.
 */
export function answerOf(result: unknown): Answer {
  if (typeof result !== 'object' || result === null || !('statusCode' in result)) {
    const text = typeof result === 'string' ? result : JSON.stringify(result ?? null);
    return { ...empty(200), headers: { 'content-type': 'application/json' }, body: Buffer.from(text) };
  }
  const { statusCode, headers, cookies, body, isBase64Encoded } = result as Record<string, unknown>;
  const status = Number(statusCode);
  if (!Number.isInteger(status) || status < 200 || status > 599 || !(body === undefined || typeof body === 'string')) {
    throw new Error('The function returned a result that API Gateway does not accept.');
  }
  if (exceedsPayload(result, body?.length ?? 0)) throw new Error('The response exceeds the 6 MB of a Lambda function.');
  const lowered = Object.entries((headers ?? {}) as Record<string, string | number | boolean>).map(
    ([name, value]) => [name.toLowerCase(), String(value)] as const,
  );
  return {
    statusCode: status,
    headers: { 'content-type': 'text/plain;charset=utf-8', ...Object.fromEntries(lowered) },
    cookies: (cookies ?? []) as string[],
    body: Buffer.from(body ?? '', isBase64Encoded === true ? 'base64' : 'utf8'),
  };
}

export function empty(statusCode: number): Answer {
  return { statusCode, headers: {}, cookies: [], body: Buffer.alloc(0) };
}

/** A response in API Gateway's format. */
export function message(statusCode: number, text: string): Answer {
  return {
    ...empty(statusCode),
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify({ message: text })),
  };
}

export function write(response: ServerResponse, { statusCode, headers, cookies, body }: Answer): void {
  if (response.destroyed) return;
  const hasBody = statusCode !== 204 && statusCode !== 304;
  try {
    response.writeHead(statusCode, {
      ...headers,
      ...(cookies.length > 0 ? { 'set-cookie': [...cookies] } : {}),
      ...(hasBody ? { 'content-length': body.length } : {}),
    });
    response.end(hasBody ? body : undefined);
  } catch (error) {
    // One of the headers is not valid in HTTP.
    console.error(error);
    response.writeHead(500, { 'content-type': 'application/json' }).end('{"message":"Internal Server Error"}');
  }
}
