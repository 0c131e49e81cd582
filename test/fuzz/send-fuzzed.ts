import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { type Api, type Caller, createToken } from '../support/api.ts';
import { seedPerson } from '../support/people.ts';
import type { SampleRequest } from '../support/sample-requests.ts';
import { errorSchema, type Operation, schemaProblem, undeclared } from './openapi.ts';
import { type callers, changeBody, type Recipe } from './recipes.ts';

/** Callers that are the same for every request, by their names in recipes. */
export async function seedStrangers(api: Api): Promise<Partial<Record<(typeof callers)[number], Caller>>> {
  const [stranger, admin] = [await seedPerson(), await seedPerson({ isAdmin: true })];
  return {
    nobody: undefined,
    stranger: stranger.session,
    admin: admin.session,
    token: await createToken(api, admin),
    'read-token': await createToken(api, stranger, { access: 'read' }),
  };
}

type Strangers = Awaited<ReturnType<typeof seedStrangers>>;

interface Sent {
  method: string;
  /** With `/v1` and query, as sent. */
  path: string;
  headers: Record<string, string>;
  body: Buffer | undefined;
  /** Whether the path still belongs to the operation. */
  isRouted: boolean;
}

export function fuzz(operation: Operation, base: SampleRequest, recipe: Recipe, strangers: Strangers): Sent {
  const headers: Record<string, string> = { ...base.headers };
  const setCaller = (as: SampleRequest['as']) => {
    delete headers.authorization;
    delete headers.cookie;
    delete headers['x-requested-with'];
    if (as === undefined) return;
    if ('token' in as) headers.authorization = `Bearer ${as.token}`;
    else Object.assign(headers, { cookie: as.cookie, 'x-requested-with': 'service' });
  };
  setCaller(base.as);
  const [plainPath = '', query = ''] = base.path.split('?');
  const segments = plainPath.split('/').slice(1);
  const queries = query === '' ? [] : [query];
  let isRouted = true;
  let body: unknown = base.body;
  let raw = typeof base.body === 'string' ? Buffer.from(base.body) : undefined;
  let hasBody = base.body !== undefined;
  if (hasBody) headers['content-type'] = 'application/json';

  for (const change of recipe) {
    if (change.kind === 'caller') {
      if (change.as in strangers) setCaller(strangers[change.as]);
      else if (change.as === 'no-csrf-header') delete headers['x-requested-with'];
      else if (change.as === 'junk-cookie') headers.cookie = '__service_session=junk; other=1';
      else headers.authorization = 'Bearer service_tok_junk';
    } else if (change.kind === 'header') {
      headers[change.name] = change.value.trim();
    } else if (change.kind === 'query') {
      queries.push(change.text.replaceAll(' ', '%20'));
    } else if (change.kind === 'segment') {
      const parts = operation.path.split('/').slice(2);
      const places = parts.flatMap((part, index) => (part.startsWith('{') ? [index] : []));
      const place = places[change.number % Math.max(1, places.length)];
      if (place !== undefined) {
        segments[place] = change.text;
        isRouted = false;
      }
    } else if (change.kind === 'raw') {
      raw = Buffer.from(change.base64, 'base64');
      hasBody = true;
      headers['content-type'] ??= 'application/json';
    } else if (operation.bodySchema !== undefined) {
      raw = undefined;
      body = changeBody(operation, body, change);
      hasBody = body !== undefined;
      headers['content-type'] ??= 'application/json';
    }
  }
  const search = queries.length === 0 ? '' : `?${queries.join('&')}`;
  return {
    method: operation.method,
    path: encodeURI(`/v1/${segments.join('/')}${search}`)
      .replaceAll('%25', '%')
      .replaceAll('#', '%23'),
    headers,
    body: hasBody ? (raw ?? Buffer.from(JSON.stringify(body))) : undefined,
    isRouted,
  };
}

const agent = new Agent({ keepAlive: true, maxSockets: 16 });

export function closeConnections(): void {
  agent.destroy();
}

interface Received {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** Sends the request unchanged; fetch would normalize paths and headers. */
export async function sendRaw(api: Api, { method, path, headers, body }: Sent): Promise<Received> {
  const { hostname, port } = new URL(api.url);
  const request = httpRequest({
    hostname,
    port,
    method,
    path,
    agent,
    headers: { ...headers, ...(body && { 'content-length': String(body.length) }) },
  });
  // An error after the response ends the response's text too.
  request.on('error', () => undefined).end(body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, headers: response.headers, text: await textOf(response) };
}

/** The problem with a response, independent of the request; undefined if there is none. */
export function answerProblem(
  operation: Operation,
  sent: Sent,
  { status, headers, text }: Received,
): string | undefined {
  if (status >= 500) return `answered ${status}: ${text}`;
  let body: unknown;
  try {
    body = text === '' ? undefined : JSON.parse(text);
  } catch {
    return `answered ${status} with what is no JSON: ${text.slice(0, 200)}`;
  }
  if (text !== '' && !String(headers['content-type']).startsWith('application/json')) {
    return `answered ${status} as ${headers['content-type']}`;
  }
  const requestId = headers['x-request-id'];
  if (requestId === undefined) return `answered ${status} without a request id: ${text.slice(0, 200)}`;
  if (status >= 400) {
    const problem = schemaProblem(errorSchema, body);
    if (problem !== undefined) return `answered ${status} in another shape (${problem}): ${text.slice(0, 300)}`;
    const { error } = body as { error: { requestId: string } };
    if (error.requestId !== requestId) return 'named two request ids';
    if (status === 429 && headers['retry-after'] === undefined) return 'answered 429 without Retry-After';
  }
  if (!sent.isRouted && (status === 404 || status < 400)) return undefined;
  const problem = undeclared(operation, status, body);
  return problem === undefined ? undefined : `answered ${status}, ${problem}: ${text.slice(0, 300)}`;
}
