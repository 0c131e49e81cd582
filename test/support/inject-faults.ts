import { TransactionCanceledException, TransactionConflictException } from '@aws-sdk/client-dynamodb';
import type { AwsCall, Conductor } from './observe-calls.ts';

/**
 * What can happen to an AWS call.
 * - `blip`: the first attempt fails before it is sent; the SDK's next one goes through.
 * - `throttled-once`: the first attempt is throttled.
 * - `answer-lost-once`: the first attempt is executed and its answer lost; the SDK sends the same again.
 * - `conflict`: another transaction is under way on an item, once. DynamoDB Local never says so by itself.
 * - `refused`: no attempt gets through.
 * - `throttled`: every attempt is throttled.
 * - `answer-lost`: executed, but no answer comes, and no later attempt gets through.
 * - `dies-before`, `dies-after`: the process ends before or after the call is executed: nothing it does later happens.
 */
export const faultKinds = [
  'blip',
  'throttled-once',
  'answer-lost-once',
  'conflict',
  'refused',
  'throttled',
  'answer-lost',
  'dies-before',
  'dies-after',
] as const;
export type FaultKind = (typeof faultKinds)[number];

/** Faults that the service itself gets over: its caller must not notice them. */
export const curable: ReadonlySet<FaultKind> = new Set(['blip', 'throttled-once', 'answer-lost-once', 'conflict']);
/** Faults after which nobody is there to answer. */
export const deadly: ReadonlySet<FaultKind> = new Set(['dies-before', 'dies-after']);

const writes = new Set([
  'TransactWriteItems',
  'PutItem',
  'UpdateItem',
  'DeleteItem',
  'BatchWriteItem',
  'TransactWrite',
  'Put',
  'Update',
  'Delete',
  'BatchWrite',
]);
const isTableWrite = ({ service, operation }: AwsCall) => service.startsWith('DynamoDB') && writes.has(operation);

/** The kinds that make a difference to a call: of a read that had no answer nobody can tell whether it was executed. */
export function kindsFor(call: AwsCall): FaultKind[] {
  const reads = call.service.startsWith('DynamoDB') ? !isTableWrite(call) : call.service === 'KMS';
  return faultKinds.filter(kind => {
    if (kind === 'conflict') return isTableWrite(call) && !call.operation.startsWith('BatchWrite');
    return !(reads && (kind === 'answer-lost-once' || kind === 'answer-lost' || kind === 'dies-after'));
  });
}

export interface Fault extends Conductor {
  /** Whether the call was reached. */
  hit(): boolean;
}

/** A fault of the call at `position` (1 = first) of one invocation. */
export function injectFault(kind: FaultKind, position: number): Fault {
  let hit = false;
  let dead = false;
  const attempts = new Map<number, number>();
  return {
    hit: () => hit,
    async attempt(call, send) {
      const attempt = (attempts.get(call.position) ?? 0) + 1;
      attempts.set(call.position, attempt);
      if (dead) throw unreachable();
      if (call.position !== position) return send();
      hit = true;
      switch (kind) {
        case 'blip':
          if (attempt === 1) throw unreachable();
          return send();
        case 'throttled-once':
          if (attempt === 1) throw throttling(call);
          return send();
        case 'answer-lost-once':
          if (attempt > 1) return send();
          await send();
          throw noAnswer();
        case 'conflict':
          if (attempt === 1) throw conflict(call);
          return send();
        case 'refused':
          throw unreachable();
        case 'throttled':
          throw throttling(call);
        case 'answer-lost':
          if (attempt === 1) await send();
          throw noAnswer();
        case 'dies-before':
          dead = true;
          throw unreachable();
        case 'dies-after':
          await send();
          dead = true;
          throw noAnswer();
      }
    },
  };
}

function unreachable(): Error {
  return Object.assign(new Error('connect ECONNREFUSED (injected)'), { code: 'ECONNREFUSED', $metadata: {} });
}

function noAnswer(): Error {
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
