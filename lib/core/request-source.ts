import type { APIGatewayProxyEventV2 } from 'aws-lambda';

/** The origin of a request, as the audit log records it. */
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
