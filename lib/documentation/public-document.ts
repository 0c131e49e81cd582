import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';

/**
 * A document that is the same for every caller. It is compressed once, because HTTP APIs do not compress and a response
 * is limited to 6 MB.
 */
export function publicDocument(text: string, headers: Readonly<Record<string, string>>) {
  return {
    etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`,
    headers,
    text,
    gzipped: gzipSync(text),
  };
}

/** Returns the document, gzipped if the client accepts that, or a 304 if the client already has it. */
export function answerDocument(
  { etag, headers, text, gzipped }: ReturnType<typeof publicDocument>,
  event: APIGatewayProxyEventV2,
): APIGatewayProxyStructuredResultV2 {
  const common = {
    'cache-control': 'public, max-age=300',
    etag,
    'strict-transport-security': 'max-age=31536000; includeSubDomains',
    vary: 'accept-encoding',
    'x-content-type-options': 'nosniff',
    'x-request-id': event.requestContext.requestId,
  };
  const tags = (event.headers['if-none-match'] ?? '').split(',').map(tag => tag.trim().replace(/^W\//, ''));
  if (tags.includes(etag)) return { statusCode: 304, headers: common };
  if (/\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/i.test(event.headers['accept-encoding'] ?? '')) {
    return {
      statusCode: 200,
      headers: { ...headers, ...common, 'content-encoding': 'gzip' },
      body: gzipped.toString('base64'),
      isBase64Encoded: true,
    };
  }
  return { statusCode: 200, headers: { ...headers, ...common }, body: text };
}
