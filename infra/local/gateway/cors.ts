import type { IncomingMessage } from 'node:http';
import { corsPolicy } from '../../plan/http-api.ts';
import { type Answer, empty } from './answer.ts';

export function isPreflightRequest({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
}

export function preflightAnswer({ headers }: IncomingMessage, dashboardOrigin: string): Answer {
  if (headers.origin !== dashboardOrigin) return empty(204);
  return {
    ...empty(204),
    headers: {
      'access-control-allow-origin': dashboardOrigin,
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': corsPolicy.allowMethods.join(','),
      'access-control-allow-headers': corsPolicy.allowHeaders.join(','),
      'access-control-max-age': String(corsPolicy.maxAgeSeconds),
    },
  };
}

/** With CORS configured, API Gateway sets these headers itself and ignores the function's. */
export function withCors({ headers }: IncomingMessage, dashboardOrigin: string, answer: Answer): Answer {
  const own = Object.entries(answer.headers).filter(([name]) => !name.startsWith('access-control-'));
  const cors =
    headers.origin === dashboardOrigin
      ? {
          'access-control-allow-origin': dashboardOrigin,
          'access-control-allow-credentials': 'true',
          'access-control-expose-headers': corsPolicy.exposeHeaders.join(','),
        }
      : {};
  return { ...answer, headers: { ...Object.fromEntries(own), ...cors } };
}
