import {
  halfAnswer,
  hang,
  json,
  pullBody,
  type ReceivedRequest,
  type Respond,
  refusal,
  reset,
} from '../sdk/scripted-server.ts';
import type { LayersService, PulledEnvironment, ScriptedAnswer } from './case.ts';

const stall: Respond = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{"secrets": [{"key": "A", "value": "nobody-may-log');
};

const cutOff: Respond = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json', connection: 'close' });
  response.end('{"secrets": [{"key": "A", "value": "nobody-may-log');
};

const page: Respond = (_, response) => {
  response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Log in to this network');
};

const named = { reset, hang, half: halfAnswer, stall, 'cut-off': cutOff, page } as const;

/** The response that a case describes. */
export function answerWith(answer: ScriptedAnswer): Respond {
  if (typeof answer === 'string') return named[answer];
  if ('pull' in answer) {
    const { pull, etag = `"${pull.revision}"` } = answer;
    return tagged({ secrets: entriesOf(pull), revision: pull.revision }, etag);
  }
  if ('exchange' in answer) {
    const { token, minutes } = answer.exchange;
    const expiresAt = new Date(Date.now() + minutes * 60_000).toISOString();
    return json(201, { token, expiresAt, organizationId: '9b2d6f0e-3c1a-4c5d-8e77-2f4b6a9d0c31' });
  }
  const { status, headers = {} } = answer;
  if ('error' in answer) return refusal(status, answer.error.code, answer.error.details, headers);
  if ('text' in answer) return (_, response) => response.writeHead(status, headers).end(answer.text);
  return json(status, answer.body, headers);
}

/** A server that holds these environments and no other. */
export function environmentsIn(
  environments: Readonly<Record<string, PulledEnvironment>>,
  layersService: LayersService = 'current',
): Respond {
  return (request, response) => {
    const respond = responseOf(request, environments, layersService);
    respond(request, response);
  };
}

function responseOf(
  { path, query }: ReceivedRequest,
  environments: Readonly<Record<string, PulledEnvironment>>,
  layersService: LayersService,
): Respond {
  const layers = query.get('layers')?.split(',');
  if (layers !== undefined && layersService === 'older') {
    return refusal(400, 'invalid_request', [{ path: 'layers', message: 'is not a known field' }]);
  }
  if (layers !== undefined && layersService === 'too-large') return refusal(413, 'payload_too_large');
  const [organization, ...top] = path.replace('/v1/secrets/', '').split('/');
  const names = [...(layers ?? []), top.join('/')];
  const held = names.flatMap(name => environments[`${organization}/${name}`] ?? []);
  if (held.length < names.length) return refusal(404, 'environment_not_found');
  const all = new Map(
    held.flatMap((one, index) => entriesOf(one).map(entry => [entry.key, { ...entry, from: names[index] }] as const)),
  );
  const keys = query.get('keys')?.split(',') ?? [...all.keys()].toSorted();
  if (!keys.every(key => all.has(key))) return refusal(404, 'secret_not_found');
  const secrets = keys.map(key => (layers === undefined ? { ...all.get(key), from: undefined } : all.get(key)));
  const revisions = held.map(({ revision }) => revision);
  const tag = `${layersService === 'weak' ? 'W/' : ''}"${revisions.join('.')}"`;
  const isTagged = layers === undefined || layersService !== 'untagged';
  return tagged({ secrets, revision: revisions.at(-1) }, isTagged ? tag : undefined);
}

function entriesOf({ revision, values, expanding = [], more = 0 }: PulledEnvironment) {
  const others = Array.from({ length: more }, (_, index) => [`MORE_${index}`, `value ${index} é\n"`]);
  const { secrets } = pullBody(revision, { ...values, ...Object.fromEntries(others) });
  return secrets.map(one => (expanding.includes(one.key) ? { ...one, expand: true } : one));
}

/** A body with its ETag; 304 if the request has that ETag. */
function tagged(body: unknown, etag: string | undefined): Respond {
  const headers: Record<string, string> = etag === undefined ? {} : { etag };
  return (request, response) => {
    const isKnown = etag !== undefined && request.headers['if-none-match'] === etag;
    const respond = isKnown ? json(304, undefined, headers) : json(200, body, headers);
    respond(request, response);
  };
}
