import type { ServerResponse } from 'node:http';
import type { ReceivedRequest } from './sdk/scripted-server.ts';

export type Pass = (request: ReceivedRequest, response: ServerResponse) => Promise<void>;

/** Forwards a request to the running service and its response back, so that a test can intercept both. */
export function passTo(url: string): Pass {
  const { origin } = new URL(url);
  return async ({ method, path, query, headers: given, body }, response) => {
    const { host: _, connection: __, 'content-length': ___, ...headers } = given;
    const answer = await fetch(`${origin}${path}${query.size === 0 ? '' : `?${query}`}`, {
      method,
      headers: headers as Record<string, string>,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const kept = ['content-type', 'etag', 'retry-after', 'x-request-id'].flatMap(name => {
      const value = answer.headers.get(name);
      return value === null ? [] : [[name, value] as const];
    });
    const text = await answer.text();
    response.writeHead(answer.status, Object.fromEntries(kept));
    response.end(text === '' ? undefined : text);
  };
}
