import { AsyncLocalStorage } from 'node:async_hooks';
import http, { type ClientRequest, type RequestOptions } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import type { FunctionName, Handler } from '#infra/local/lambda/invoke.ts';
import { type AskedRight, contextKeys } from '#infra/stacks/policy.ts';

/** A call to AWS as IAM sees it. */
export interface AuthorizedCall extends AskedRight {
  functionName: string;
}

const running = new AsyncLocalStorage<string>();
const services: Record<string, string> = { DynamoDB_20120810: 'dynamodb', TrentService: 'kms', AmazonSQS: 'sqs' };

/** Records the AWS calls sent over HTTP: a bundle's own SDK doesn't have the middlewares of `observe-calls.ts`. */
export function recordBundleCalls() {
  const calls: AuthorizedCall[] = [];
  const original = http.request;
  const recording = (...given: unknown[]): ClientRequest => {
    const request = (original as (...args: unknown[]) => ClientRequest)(...given);
    const functionName = running.getStore();
    const { headers = {}, path = '' } = (given.find(value => typeof value === 'object') ?? {}) as RequestOptions;
    const target = Object.entries(headers).find(([name]) => name.toLowerCase() === 'x-amz-target')?.[1];
    if (functionName === undefined) return request;
    const named = String(target ?? /^\/(v2\/email|2015-03-31\/functions)\//.exec(path ?? '')?.[1] ?? '');
    if (named === '') return request;
    const chunks: Buffer[] = [];
    const { write, end } = request;
    const keep = (chunk: unknown) => {
      if (typeof chunk === 'string' || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk as string));
    };
    request.write = ((...args: Parameters<typeof write>) => {
      keep(args[0]);
      return write.apply(request, args);
    }) as typeof write;
    request.end = ((...args: Parameters<typeof end>) => {
      keep(args[0]);
      const body = JSON.parse(Buffer.concat(chunks).toString('utf8'));
      calls.push(...callsOf(functionName, named, body));
      return end.apply(request, args);
    }) as typeof end;
    return request;
  };
  http.request = recording as typeof http.request;
  syncBuiltinESMExports();
  return {
    calls,
    wrap:
      ({ name }: FunctionName, handler: Handler): Handler =>
      (event, context) =>
        running.run(name, () => handler(event, context)),
    stop: () => {
      http.request = original;
      syncBuiltinESMExports();
    },
  };
}

type Marshalled = Record<string, { S: string }>;
// biome-ignore lint/suspicious/noExplicitAny: the body of any call
type Body = any;

function mailCall(functionName: string, { FromEmailAddress: from }: Body): AuthorizedCall {
  const address = /<([^>]+)>/.exec(from)?.[1] ?? from;
  return { functionName, action: 'ses:SendEmail', keys: { 'ses:FromAddress': [address] } };
}

/** A transaction is authorized as its single writes. */
function callsOf(functionName: string, target: string, body: Body): AuthorizedCall[] {
  if (target === 'v2/email') return [mailCall(functionName, body)];
  if (target === '2015-03-31/functions') return [{ functionName, action: 'lambda:InvokeFunction', keys: {} }];
  const [service = '', operation = ''] = target.split('.');
  const prefix = services[service] ?? service;
  const call = (name: string, keys: (Marshalled | undefined)[] = [], part: Body = body): AuthorizedCall => ({
    functionName,
    action: `${prefix}:${name}`,
    keys: {
      'dynamodb:LeadingKeys': keys.flatMap(key => key?.pk?.S ?? []),
      'dynamodb:Attributes': [
        ...keys.flatMap(key => Object.keys(key ?? {})),
        ...(Object.values(part.ExpressionAttributeNames ?? {}) as string[]),
      ],
    },
  });
  if (prefix === 'kms') {
    return [{ functionName, action: `kms:${operation}`, keys: contextKeys(body.EncryptionContext ?? {}) }];
  }
  const tables = Object.values(body.RequestItems ?? {}) as Body[];
  const keysOf = ({ Keys }: Body) => Keys;
  const keyOf = ({ PutRequest, DeleteRequest }: Body) => PutRequest?.Item ?? DeleteRequest?.Key;
  switch (operation) {
    case 'TransactWriteItems':
      return (body.TransactItems as Body[]).map(({ Put, Update, Delete, ConditionCheck }) => {
        if (Put) return call('PutItem', [Put.Item], Put);
        if (Update) return call('UpdateItem', [Update.Key], Update);
        if (Delete) return call('DeleteItem', [Delete.Key], Delete);
        return call('ConditionCheckItem', [ConditionCheck.Key], ConditionCheck);
      });
    case 'TransactGetItems':
      return (body.TransactItems as Body[]).map(({ Get }) => call('GetItem', [Get.Key], Get));
    case 'BatchGetItem':
      return [call(operation, tables.flatMap(keysOf))];
    case 'BatchWriteItem':
      return [call(operation, tables.flat().map(keyOf))];
    case 'Query':
      return [call(operation, [{ pk: body.ExpressionAttributeValues[':pk'] }])];
    case 'SendMessageBatch':
      // IAM only knows the right to send.
      return [call('SendMessage')];
    default:
      return [call(operation, [body.Item ?? body.Key])];
  }
}
