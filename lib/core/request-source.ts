import { createHash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { settings } from './settings.ts';

export interface RequestSource {
  requestId: string;
  ip: string;
  userAgent: string;
  /** Which site's page sent the browser here (`Sec-Fetch-Site`). Pages can't forge it; other clients don't send it. */
  fetchSite?: string;
}

const maximumUserAgent = 500;

export function sourceOf(event: APIGatewayProxyEventV2): RequestSource {
  const { requestId, http } = event.requestContext;
  const fetchSite = headerOf(event, 'sec-fetch-site');
  const userAgent = (http.userAgent ?? '').slice(0, maximumUserAgent);
  return { requestId, ip: addressOf(event), userAgent, ...(fetchSite === undefined ? {} : { fetchSite }) };
}

/**
 * The caller's address. Behind CloudFront, it is in a header, which anyone could send straight to the gateway. So the
 * header counts only together with the edge secret.
 */
function addressOf(event: APIGatewayProxyEventV2): string {
  const viewerAddress = headerOf(event, 'x-viewer-address') ?? '';
  const isTrusted = settings().EDGE_SECRETS.length > 0 && cameThroughEdge(event) && isIP(viewerAddress) !== 0;
  return isTrusted ? viewerAddress : event.requestContext.http.sourceIp;
}

/** Whether a request carries the edge secret. Always true for installations without CloudFront. */
export function cameThroughEdge(event: APIGatewayProxyEventV2): boolean {
  const secrets = settings().EDGE_SECRETS;
  if (secrets.length === 0) return true;
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const sent = digest(headerOf(event, 'x-origin-secret') ?? '');
  return secrets.some(secret => timingSafeEqual(digest(secret), sent));
}

export function cookieOf(cookies: readonly string[] | undefined, name: string): string | undefined {
  const start = `${name}=`;
  return cookies?.find(cookie => cookie.startsWith(start))?.slice(start.length);
}

export function headerOf(event: APIGatewayProxyEventV2, name: string): string | undefined {
  return event.headers[name] ?? undefined;
}
