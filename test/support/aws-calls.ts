import { sqsClient } from '../../lib/core/queue.ts';
import { kmsClient } from '../../lib/crypto/kms.ts';
import { mailClient } from '../../lib/mail/send-mail.ts';
import { tableClient } from '../../lib/table/client.ts';

/** When a call began and ended, in ms of `performance.now`. */
export interface TimedCall {
  begunAt: number;
  endedAt: number;
}

/** One call to AWS: what it was, when it began and ended. */
export interface AwsCall extends TimedCall {
  service: 'table' | 'key' | 'queue' | 'mail';
  command: string;
  /** IAM actions without the service prefix; a transaction needs those of its parts. */
  actions: string[];
}

const clients = [
  ['table', tableClient],
  ['key', kmsClient],
  ['queue', sqsClient],
  ['mail', mailClient],
] as const;

let listening: AwsCall[] | undefined;
let installed = false;

/** Runs `work` and tells every AWS call that this process made meanwhile. One at a time. */
export async function recordCalls<T>(work: () => Promise<T>): Promise<{ result: T; calls: AwsCall[] }> {
  install();
  const calls: AwsCall[] = [];
  listening = calls;
  try {
    return { result: await work(), calls };
  } finally {
    listening = undefined;
  }
}

/** The longest chain of calls of which each began after the one before had ended. */
export function wavesOf(calls: readonly TimedCall[]): number {
  const ordered = calls.toSorted((a, b) => a.begunAt - b.begunAt);
  const depths: number[] = [];
  for (const [index, call] of ordered.entries()) {
    const before = ordered.slice(0, index).map((other, at) => (other.endedAt <= call.begunAt ? (depths[at] ?? 0) : 0));
    depths.push(1 + Math.max(0, ...before));
  }
  return Math.max(0, ...depths);
}

function install(): void {
  if (installed) return;
  installed = true;
  for (const [service, client] of clients) {
    // biome-ignore lint/suspicious/noExplicitAny: four clients with four middleware types
    const stack = client().middlewareStack as any;
    stack.add(
      // biome-ignore lint/suspicious/noExplicitAny: see above
      (next: any, context: any) => async (args: any) => {
        const call: AwsCall = {
          service,
          command: context.commandName,
          actions: actionsOf(context.commandName.replace(/Command$/, ''), args.input),
          begunAt: performance.now(),
          endedAt: Number.POSITIVE_INFINITY,
        };
        listening?.push(call);
        try {
          return await next(args);
        } finally {
          call.endedAt = performance.now();
        }
      },
      { step: 'initialize', name: `record-${service}`, override: true },
    );
  }
}

const names: Record<string, string> = {
  Get: 'GetItem',
  BatchGet: 'BatchGetItem',
  BatchWrite: 'BatchWriteItem',
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
};

function actionsOf(command: string, input: { TransactItems?: Record<string, unknown>[] }): string[] {
  if (command !== 'TransactWrite' && command !== 'TransactWriteItems') return [names[command] ?? command];
  return [...new Set((input.TransactItems ?? []).flatMap(item => Object.keys(item)))].map(name => names[name] ?? name);
}
