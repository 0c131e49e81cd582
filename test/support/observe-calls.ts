import { AsyncLocalStorage } from 'node:async_hooks';
import { type FunctionName, type LoadHandler, loadFromFunctions } from '#infra/local/lambda/invoke.ts';
import { sqsClient } from '#lib/core/queue.ts';
import { kmsClient, shedRequests } from '#lib/crypto/kms.ts';
import { mailClient } from '#lib/mail/send-mail.ts';
import { lambdaClient } from '#lib/outbound/ask-worker.ts';
import { reauthorizedRetries, tableClient } from '#lib/table/client.ts';
import { outsideFunctions } from './table-rights.ts';

/* A conductor observes the AWS calls of one invocation (`record-calls.ts`) or interferes (`inject-faults.ts`). */

/** One AWS call of the code under test: a command with all of the SDK's attempts. */
export interface AwsCall {
  /** 1 for the first call of the invocation. */
  position: number;
  service: string;
  operation: string;
  // biome-ignore lint/suspicious/noExplicitAny: the input of any command
  input: any;
}

type Send = () => Promise<unknown>;

/** Handles the AWS calls that one invocation makes. Each function must call `send` or fail in its place. */
export interface Conductor {
  /** Around a call as the service's code sees it. */
  call?(call: AwsCall, send: Send): Promise<unknown>;
  /** Around each attempt of the SDK, below its retries. */
  attempt?(call: AwsCall, send: Send): Promise<unknown>;
}

interface Invocation {
  conductor: Conductor;
  calls: number;
}

const invocations = new AsyncLocalStorage<Invocation | undefined>();
const callOf = Symbol('call');
let installed = false;

/** Runs `work` with a conductor around every AWS call that it makes. Other work in this process is not affected. */
export function conduct<T>(conductor: Conductor | undefined, work: () => T): T {
  install();
  return invocations.run(conductor === undefined ? undefined : { conductor, calls: 0 }, work);
}

/** Loads handlers whose invocations get the conductor that `choose` returns for them. */
export function conductedHandlers(
  choose: (functionName: FunctionName, event: unknown) => Conductor | undefined,
  load: LoadHandler = loadFromFunctions,
): LoadHandler {
  install();
  return async functionName => {
    const handler = await load(functionName);
    return (event, context) => conduct(choose(functionName, event), () => handler(event, context));
  };
}

const clients = () => [tableClient(), kmsClient(), sqsClient(), mailClient(), lambdaClient()];

/** Restores the SDK clients' retry quota: many injected faults are not an outage. */
export async function replenishRetries(): Promise<void> {
  for (const client of clients()) {
    const strategy = (await client.config.retryStrategy()) as { capacity?: number };
    strategy.capacity = 500;
  }
}

/** SDK middlewares on every client of the service; they do nothing outside a conducted invocation. */
function install(): void {
  if (installed) return;
  installed = true;
  for (const client of clients()) {
    // biome-ignore lint/suspicious/noExplicitAny: clients with different types of one shape
    const stack = client.middlewareStack as any;
    // biome-ignore lint/suspicious/noExplicitAny: as above
    const aroundCall = (next: any, context: any) => async (args: any) => {
      const invocation = invocations.getStore();
      if (invocation === undefined) return next(args);
      invocation.calls += 1;
      const call: AwsCall = {
        position: invocation.calls,
        service: String(context.clientName).replace(/Client$/, ''),
        operation: String(context.commandName).replace(/Command$/, ''),
        input: args.input,
      };
      context[callOf] = call;
      const send = () => next(args);
      return outsideFunctions(() => invocation.conductor.call?.(call, send)) ?? send();
    };
    // biome-ignore lint/suspicious/noExplicitAny: as above
    const aroundAttempt = (next: any, context: any) => async (args: any) => {
      const invocation = invocations.getStore();
      const call = context[callOf];
      const send = () => next(args);
      if (invocation === undefined || call === undefined) return send();
      return outsideFunctions(() => invocation.conductor.attempt?.(call, send)) ?? send();
    };
    stack.add(aroundCall, { step: 'initialize', priority: 'high', name: 'aroundCall' });
    const own = new Map<unknown, string>([
      [tableClient(), reauthorizedRetries],
      [kmsClient(), shedRequests],
    ]);
    const toMiddleware = own.get(client) ?? 'retryMiddleware';
    stack.addRelativeTo(aroundAttempt, { relation: 'after', toMiddleware, name: 'aroundAttempt' });
  }
}
