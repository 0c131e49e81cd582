import { randomUUID } from 'node:crypto';
import {
  ConditionalCheckFailedException,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import {
  BatchWriteCommand,
  DeleteCommand,
  PutCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { tableClient } from '#lib/table/client.ts';
import { type AwsCall, type Conductor, conduct } from './observe-calls.ts';

/** Faults of the first attempt alone. */
const brief = ['blip', 'throttled-once', 'answer-lost-once', 'conflict', 'overtaken'] as const;

/**
 * What can happen to an AWS call.
 * - `blip`, `throttled-once`, `answer-lost-once`: only the first attempt isn't sent, is throttled, or gets no answer.
 * - `conflict`: another transaction is in progress on an item, once. DynamoDB Local never reports this by itself.
 * - `overtaken`: the first attempt is executed late, after its retry met a conflict.
 * - `refused`, `throttled`: no attempt gets through; the latter for longer than the SDK retries.
 * - `answer-lost`: executed, but no response arrives, and no later attempt gets through.
 * - `dies-before`, `dies-after`: the process ends before or after the call is executed, so nothing happens afterwards.
 */
export const faultKinds = [...brief, 'refused', 'throttled', 'answer-lost', 'dies-before', 'dies-after'] as const;
export type FaultKind = (typeof faultKinds)[number];
const isBrief = (kind: FaultKind) => brief.some(name => name === kind);

/** Whether the service itself recovers from the fault: its caller must not notice it. */
export function isCurable(kind: FaultKind): boolean {
  return isBrief(kind);
}

/** The same in background work, which also waits for capacity. */
export function isCurableInBackground(kind: FaultKind, { service }: Pick<AwsCall, 'service'>): boolean {
  return isBrief(kind) || (kind === 'throttled' && service.startsWith('DynamoDB'));
}
/** The SDK and requests give up sooner. */
const throttledForMs = 2500;
/** Faults that end the process, so that no response arrives. */
export const deadly: ReadonlySet<FaultKind> = new Set(['dies-before', 'dies-after']);

/** The document client names them without `Item`. */
const write = /^(?:TransactWrite|BatchWrite|Put|Update|Delete)(?:Items?)?$/;
export const isTableWrite = ({ service, operation }: AwsCall) =>
  service.startsWith('DynamoDB') && write.test(operation);

/** The kinds that make a difference to a call: whether a read without a response was executed makes none. */
export function kindsFor(call: AwsCall): FaultKind[] {
  const reads = call.service.startsWith('DynamoDB') ? !isTableWrite(call) : call.service === 'KMS';
  return faultKinds.filter(kind => {
    if (kind === 'conflict' || kind === 'overtaken')
      return isTableWrite(call) && !call.operation.startsWith('BatchWrite');
    return !(reads && (kind === 'answer-lost-once' || kind === 'answer-lost' || kind === 'dies-after'));
  });
}

export interface Fault extends Conductor {
  hit(): boolean;
}

/** A fault of the call at `position` (1 = first) of one invocation. */
export function injectFault(kind: FaultKind, position: number): Fault {
  let hit = false;
  let dead = false;
  let throttledSince: number | undefined;
  const attempts = new Map<number, number>();
  return {
    hit: () => hit,
    async attempt(call, send) {
      const attempt = (attempts.get(call.position) ?? 0) + 1;
      attempts.set(call.position, attempt);
      if (dead) throw deadProcess();
      if (call.position !== position) return send();
      hit = true;
      if (isBrief(kind) && attempt > 1) return send();
      switch (kind) {
        case 'blip':
        case 'refused':
          throw unreachable();
        case 'throttled-once':
          throw throttling(call);
        case 'conflict':
          throw conflict(call);
        case 'overtaken':
          await send();
          throw conflict(call);
        case 'throttled':
          throttledSince ??= Date.now();
          if (Date.now() - throttledSince > throttledForMs) return send();
          throw throttling(call);
        case 'answer-lost-once':
        case 'answer-lost':
          if (attempt === 1) await send();
          throw noAnswer();
        case 'dies-before':
          dead = true;
          throw deadProcess();
        case 'dies-after':
          await send();
          dead = true;
          throw deadProcess();
      }
    },
  };
}

function unreachable(): Error {
  return Object.assign(new Error('connect ECONNREFUSED (injected)'), { code: 'ECONNREFUSED', $metadata: {} });
}

/** Not an error that the SDK retries: a dead process must not use up the retries of live ones. */
function deadProcess(): Error {
  return new Error('the process is dead (injected)');
}

export function noAnswer(): Error {
  return Object.assign(new Error('no answer in time (injected)'), { name: 'TimeoutError', $metadata: {} });
}

function throttling({ service }: AwsCall): Error {
  const name = service.startsWith('DynamoDB') ? 'ProvisionedThroughputExceededException' : 'ThrottlingException';
  return Object.assign(new Error('too fast (injected)'), { name, $metadata: { httpStatusCode: 400 } });
}

function conflict({ operation, input }: AwsCall): Error {
  const message = 'another transaction is under way (injected)';
  if (!operation.startsWith('Transact')) return new TransactionConflictException({ message, $metadata: {} });
  const count = input.TransactItems?.length ?? 1;
  const CancellationReasons = Array.from({ length: count }, (_, index) => ({
    Code: index === 0 ? 'TransactionConflict' : 'None',
  }));
  return new TransactionCanceledException({ message, CancellationReasons, $metadata: {} });
}

/** `late`: no attempt gets a response, and one is executed later; `twice`: executed, and again later. */
export const lateKinds = ['late', 'twice'] as const;
export type LateKind = (typeof lateKinds)[number];

export interface LateFault extends Fault {
  executeLate(): Promise<'done' | 'refused'>;
}

/** A fault of the nth write to the table (1 = first) of one invocation. */
export function injectLate(kind: LateKind, nth: number): LateFault {
  const writes: number[] = [];
  let held: AwsCall | undefined;
  return {
    hit: () => held !== undefined,
    async attempt(call, send) {
      if (!isTableWrite(call)) return send();
      if (!writes.includes(call.position)) writes.push(call.position);
      if (writes[nth - 1] !== call.position) return send();
      held = call;
      if (kind === 'late') throw noAnswer();
      return send();
    },
    async executeLate() {
      if (held === undefined) throw new Error('No write was held back.');
      const heldCall = held;
      try {
        await conduct(undefined, () => sendAnew(heldCall));
        return 'done';
      } catch (error) {
        const isRefused =
          error instanceof ConditionalCheckFailedException ||
          (error instanceof TransactionCanceledException &&
            error.CancellationReasons?.some(({ Code }) => Code === 'ConditionalCheckFailed'));
        if (isRefused) return 'refused';
        throw error;
      }
    },
  };
}

/** As after the ten minutes for which DynamoDB remembers a transaction's token. */
function sendAnew({ operation, input }: AwsCall): Promise<unknown> {
  const client = tableClient();
  switch (operation.replace(/Items?$/, '')) {
    case 'TransactWrite':
      return client.send(new TransactWriteCommand({ ...input, ClientRequestToken: randomUUID() }));
    case 'Put':
      return client.send(new PutCommand(input));
    case 'Update':
      return client.send(new UpdateCommand(input));
    case 'Delete':
      return client.send(new DeleteCommand(input));
    case 'BatchWrite':
      return client.send(new BatchWriteCommand(input));
    default:
      throw new Error(`${operation} is no write.`);
  }
}
