import { DynamoDBClient, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { callLimits, peerCallLimits } from '../core/call-limits.ts';
import { withinCapacity } from '../core/capacity.ts';
import { cachedRead, oncePerProcess, processCollection } from '../core/process-memory.ts';
import { settings } from '../core/settings.ts';
import { currentWork } from './request-work.ts';
import {
  isRefusal,
  mayBeExecuted,
  noteLostAnswer,
  noteThrottledPartition,
  reauthorize,
  requireTimeToWrite,
} from './retry.ts';
import { isClientError, readServesHere, reliedOnMs, servedElsewhere } from './serving-region.ts';
import { capacityOf, isThrottledPartition } from './throttling.ts';

/** The middleware around each of the SDK's attempts. Exported for tests, which inject faults below it. */
export const reauthorizedRetries = 'reauthorizedRetries';

/** The table's client, one per process so that its connections stay warm. */
export const tableClient = /* @__PURE__ */ oncePerProcess('table-client', () => {
  const options = { marshallOptions: { removeUndefinedValues: true } };
  const client = DynamoDBDocumentClient.from(new DynamoDBClient(callLimits), options);
  // It passes every item to a logger, even if there is none: half a millisecond per 100 secrets.
  client.middlewareStack.remove('loggerMiddleware');
  client.middlewareStack.addRelativeTo(reauthorizeRetries, {
    name: reauthorizedRetries,
    relation: 'after',
    toMiddleware: 'retryMiddleware',
  });
  client.middlewareStack.add(fenceWrites, { name: 'fenceWrites', step: 'initialize' });
  client.middlewareStack.add(countReadUnits, { name: 'countReadUnits', step: 'initialize' });
  return client;
});

/** Whether this region is the serving one. Always true unless the table has a replica in another region. */
export async function isServingRegion(): Promise<boolean> {
  const { PEER_REGION: peer } = settings();
  return peer === undefined || (await servesHere(peer));
}

const servesHere = /* @__PURE__ */ cachedRead('serving-region', reliedOnMs, peer =>
  readServesHere(tableClient(), { region: peer, client: peerClient(peer) }),
);

/**
 * Call this before reading or writing tenants' data. Writes also check it themselves, but wait for the result.
 * @throws temporarily_unavailable if the other region is serving
 */
export async function requireServingRegion(): Promise<void> {
  if (!(await isServingRegion())) throw servedElsewhere();
}

const peerClients = processCollection('peer-clients', new Map<string, DynamoDBDocumentClient>());

function peerClient(region: string): DynamoDBDocumentClient {
  const client =
    peerClients.get(region) ?? DynamoDBDocumentClient.from(new DynamoDBClient({ region, ...peerCallLimits }));
  peerClients.set(region, client);
  return client;
}

type Handler<Input, Output> = (args: Input) => Promise<Output>;

interface Command {
  commandName?: string;
}

/** Blocks every write from a region that isn't serving, whichever function sends it. */
function fenceWrites<I, O>(next: Handler<I, O>, { commandName = '' }: Command): Handler<I, O> {
  return async args => {
    if (isWrite(commandName)) await requireServingRegion();
    return next(args);
  };
}

/** Adds the units of a request's reads to its work. DynamoDB reports them in the same response. */
function countReadUnits<Args extends { input: object }, Answer extends { output: object }>(
  next: Handler<Args, Answer>,
  { commandName = '' }: Command,
): Handler<Args, Answer> {
  return async args => {
    const work = currentWork();
    if (work === undefined || isWrite(commandName)) return next(args);
    const answer = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' } });
    const { ConsumedCapacity: capacity } = answer.output as { ConsumedCapacity?: Capacity | readonly Capacity[] };
    for (const { CapacityUnits = 0 } of [capacity ?? []].flat()) work.readUnits += CapacityUnits;
    return answer;
  };
}

type Capacity = { CapacityUnits?: number };

const isWrite = (commandName: string) => /^(?:BatchWrite|Delete|Put|TransactWrite|Update)Item/.test(commandName);

/**
 * Rejects a late write, and re-authorizes the caller after each wait because of throttling. A call whose response was
 * lost may have been executed, so it is retried without: only the next response can tell.
 */
function reauthorizeRetries<I extends { input: object }, O>(
  next: Handler<I, O>,
  { commandName = '' }: Command,
): Handler<I, O> {
  let wasRefused = false;
  return args => {
    const call = { ...capacityOf(isWrite(commandName), args.input), isAnswer, mayBeExecuted };
    return withinCapacity(call, async () => {
      if (wasRefused) await reauthorize();
      if (isWrite(commandName)) requireTimeToWrite();
      try {
        return await next(args);
      } catch (error) {
        wasRefused = isRefusal(error) || call.missingIn(error) !== undefined;
        if (isThrottledPartition(error)) noteThrottledPartition();
        if (!wasRefused && !isAnswer(error)) noteLostAnswer();
        throw error;
      }
    });
  };
}

/** Whether DynamoDB rejected the request. After any other error, the attempt may have been executed. */
const isAnswer = (error: unknown): boolean => error instanceof TransactionCanceledException || isClientError(error);
