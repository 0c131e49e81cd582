import { halfAnswer, hang, json, pullBody, type Respond, refusal, reset } from '../sdk/scripted-server.ts';
import type { PulledEnvironment, ScriptedAnswer } from './case.ts';

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
  if ('pull' in answer) return pulled(answer.pull, answer.etag);
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
export function environmentsIn(environments: Readonly<Record<string, PulledEnvironment>>): Respond {
  return (request, response) => {
    const held = environments[request.path.replace('/v1/secrets/', '')];
    const respond = held === undefined ? refusal(404, 'environment_not_found') : pulled(held);
    respond(request, response);
  };
}

/** A pull's response with its ETag; 304 if the request has that ETag. */
function pulled(held: PulledEnvironment, etag = `"${held.revision}"`): Respond {
  const { revision, values, expanding = [], more = 0 } = held;
  const others = Array.from({ length: more }, (_, index) => [`MORE_${index}`, `value ${index} é\n"`]);
  const body = pullBody(revision, { ...values, ...Object.fromEntries(others) });
  const secrets = body.secrets.map(one => (expanding.includes(one.key) ? { ...one, expand: true } : one));
  return (request, response) =>
    request.headers['if-none-match'] === etag
      ? json(304, undefined, { etag })(request, response)
      : json(200, { ...body, secrets }, { etag })(request, response);
}
