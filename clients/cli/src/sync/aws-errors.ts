import { Failure } from '../failure.ts';
import { answered, requireSecure, unavailable } from './target-failure.ts';

type AwsError = NodeJS.ErrnoException & { $metadata?: { httpStatusCode?: number }; awsName?: string };

interface Client {
  // biome-ignore lint/suspicious/noExplicitAny: the overloads of a client's own method
  send: (command: any) => Promise<any>;
  // biome-ignore lint/suspicious/noExplicitAny: likewise, of its middleware
  middlewareStack: { add: (middleware: any, options: { step: 'build' }) => void };
}

type Next = (given: { request: { protocol: string; hostname: string } }) => Promise<unknown>;

const onlySecure =
  (next: Next): Next =>
  async given => {
    requireSecure(given.request);
    return await next(given);
  };

/** Sends commands. Errors become ours, without the text of AWS, which may repeat what was sent. */
export function sender<C extends Client>(client: C, target: string): C['send'] {
  client.middlewareStack.add(onlySecure, { step: 'build' });
  return (async (command: unknown) => {
    try {
      return await client.send(command);
    } catch (error) {
      throw error instanceof Failure ? error : failureOf(error as AwsError, target);
    }
  }) as C['send'];
}

function failureOf(error: AwsError, target: string): Error {
  const { name, code = name, $metadata: { httpStatusCode: status } = {} } = error;
  const failure =
    status === undefined || status >= 500 || /throttl|TooMany/i.test(name)
      ? unavailable(
          `${target} can’t be used (${code}).`,
          'Are the region and the credentials set? AWS_REGION, AWS_PROFILE, or the role of this machine.',
        )
      : answered(target, status, name);
  return Object.assign(failure, { awsName: name });
}

/** Whether AWS itself called the error so. */
export const isAws = (error: unknown, ...names: string[]): boolean => names.includes((error as AwsError).awsName ?? '');
