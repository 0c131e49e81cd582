import { AsyncLocalStorage } from 'node:async_hooks';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { LoadHandler } from '#infra/local/lambda/invoke.ts';
import { functions } from '#infra/plan/functions.ts';

/*
 * Compares each call that a function makes to the table with the rights of its plan. DynamoDB Local has no IAM, and
 * `test/infra/build/bundles.test.ts` sees only the usual calls, not those after a fault or a lost race.
 */

/** An action and a partition, such as `PutItem AUDIT`. */
type Right = `${string} ${string}`;

const running = new AsyncLocalStorage<string>();
const missing = new Set<string>();

const rights = new Map<string, ReadonlySet<Right>>(
  functions.map(({ name, uses }) => [
    name,
    new Set(
      Object.entries(uses.table).flatMap(([action, used]) => used.map((partition): Right => `${action} ${partition}`)),
    ),
  ]),
);

/** Handlers whose calls to the table are compared with the rights of their function. */
export function checkedHandlers(load: LoadHandler): LoadHandler {
  return async functionName => {
    const handler = await load(functionName);
    return (event, context) => running.run(functionName.name, () => handler(event, context));
  };
}

/** For the calls that a test makes while it handles one of a function. */
export const outsideFunctions = <T>(work: () => T): T => running.exit(work);

/** Throws if a function made a call that its plan doesn't allow since the last time. */
export function requireRights(): void {
  const lines = [...missing].sort();
  missing.clear();
  if (lines.length > 0) throw new Error(`The plans of functions lack these rights: ${lines.join(', ')}`);
}

const { send } = DynamoDBDocumentClient.prototype;

Object.assign(DynamoDBDocumentClient.prototype, {
  send(this: DynamoDBDocumentClient, ...given: Parameters<typeof send>) {
    const name = running.getStore();
    for (const right of name === undefined ? [] : rightsFor(given[0])) {
      if (!isShared(right) && !rights.get(name ?? '')?.has(right)) missing.add(`${name}: ${right}`);
    }
    return send.apply(this, given);
  },
});

/**
 * What functions do for each other only here, because they share a process: they add the requests that others counted.
 * Every function may read the serving region.
 */
const isShared = (right: Right) => ['UpdateItem RATE', 'GetItem SERVINGREGION'].includes(right);

interface Write {
  Key?: { pk: string };
  Item?: { pk: string };
}

// biome-ignore lint/suspicious/noExplicitAny: the input of any command
function rightsFor(command: { input: any }): Right[] {
  const { input } = command;
  const right = (action: string, pk: unknown): Right => `${action} ${String(pk).split('#')[0]}`;
  const keyOf = ({ Key, Item }: Write) => (Key ?? Item)?.pk;
  const items = Object.values<never>(input.RequestItems ?? {});
  const { name } = command.constructor;
  switch (name) {
    case 'TransactWriteCommand':
      return (input.TransactItems as Record<string, Write>[])
        .flatMap(item => Object.entries(item))
        .map(([kind, write]) => right(`${kind}Item`, keyOf(write)));
    case 'TransactGetCommand':
      return (input.TransactItems as { Get: Write }[]).map(({ Get }) => right('GetItem', keyOf(Get)));
    case 'BatchGetCommand':
      return items.flatMap(({ Keys }: { Keys: { pk: string }[] }) => Keys).map(({ pk }) => right('BatchGetItem', pk));
    case 'BatchWriteCommand':
      return (items.flat() as Record<string, Write>[])
        .flatMap(write => Object.values(write))
        .map(write => right('BatchWriteItem', keyOf(write)));
    case 'QueryCommand':
      return [right('Query', input.ExpressionAttributeValues[':pk'])];
    default:
      return [right(name.replace('Command', 'Item'), keyOf(input))];
  }
}
