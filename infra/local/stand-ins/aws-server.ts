import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import * as z from 'zod';
import { listenOnLoopback } from '../machine/loopback.ts';

/** A request in one of AWS's JSON protocols. */
export interface AwsRequest {
  method: string;
  path: string;
  /** `Service.Operation` in the JSON protocols, empty in REST. */
  target: string;
  body: unknown;
  /** Adds a header to the answer. */
  setHeader: (name: string, value: string) => void;
  /** Aborted when the caller disconnects or the server stops. */
  signal: AbortSignal;
}

export interface AwsServer {
  url: string;
  stop: () => Promise<void>;
}

/** An error in AWS's format. `queryCode` is its older name, which SQS sends in a header. */
export class AwsError extends Error {
  readonly code: string;
  readonly status: number;
  readonly queryCode: string | undefined;

  constructor(
    code: string,
    message: string,
    { status = 400, queryCode }: { status?: number; queryCode?: string } = {},
  ) {
    super(message);
    this.code = code;
    this.status = status;
    this.queryCode = queryCode;
  }
}

type Operation = (input: unknown, request: AwsRequest) => unknown;

/**
 * An operation whose input is parsed with a schema. A mismatch fails with AWS's error name, `ValidationException` by
 * default.
 */
export function operation<S extends z.ZodType>(
  schema: S,
  run: (input: z.output<S>, request: AwsRequest) => unknown,
  invalid = 'ValidationException',
): Operation {
  return (input, request) => {
    const parsed = schema.safeParse(input);
    if (!parsed.success) throw new AwsError(invalid, z.prettifyError(parsed.error));
    return run(parsed.data, request);
  };
}

/** Runs the operation named by a JSON-protocol request. */
export function callOperation(service: string, operations: Record<string, Operation>, request: AwsRequest): unknown {
  const [target, name = ''] = request.target.split('.');
  const run = target === service && Object.hasOwn(operations, name) ? operations[name] : undefined;
  if (run === undefined)
    throw new AwsError('UnknownOperationException', `${request.target} is not part of the stand-in.`);
  return run(request.body, request);
}

/**
 * Serves AWS requests on a free loopback port. The result of `answer` is sent as JSON; an AwsError is sent in AWS's
 * format.
 */
export async function startAwsServer(answer: (request: AwsRequest) => unknown): Promise<AwsServer> {
  const stopping = new AbortController();
  const server = createServer((request, response) => {
    void serve(request, response, answer, stopping.signal);
  });
  const port = await listenOnLoopback(server);
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      stopping.abort();
      const closed = new Promise(resolve => server.close(resolve));
      server.closeIdleConnections();
      const graceMs = 1000;
      const timer = setTimeout(() => server.closeAllConnections(), graceMs);
      await closed;
      clearTimeout(timer);
    },
  };
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  answer: (request: AwsRequest) => unknown,
  stopping: AbortSignal,
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  let status = 200;
  let body: unknown;
  try {
    body = await answer({
      method: request.method ?? '',
      path: request.url ?? '',
      target: String(request.headers['x-amz-target'] ?? ''),
      body: await readJson(request),
      setHeader: (name, value) => response.setHeader(name, value),
      signal: AbortSignal.any([gone.signal, stopping]),
    });
  } catch (error) {
    const fault = error instanceof AwsError ? error : new AwsError('InternalFailure', String(error), { status: 500 });
    status = fault.status;
    body = { __type: fault.code, message: fault.message };
    response.setHeader('x-amzn-errortype', fault.code);
    if (fault.queryCode !== undefined) response.setHeader('x-amzn-query-error', `${fault.queryCode};Sender`);
  }
  if (stopping.aborted) response.setHeader('connection', 'close');
  response
    .writeHead(status, {
      'content-type': request.headers['content-type'] ?? 'application/json',
      'x-amzn-requestid': randomUUID(),
    })
    .end(JSON.stringify(body ?? {}));
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  try {
    return text === '' ? {} : JSON.parse(text);
  } catch {
    throw new AwsError('SerializationException', 'The request is not JSON.');
  }
}
