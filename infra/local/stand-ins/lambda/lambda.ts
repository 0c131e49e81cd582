import { functions } from '#infra/plan/functions.ts';
import type { FunctionName, Invoke } from '../../lambda/invoke.ts';
import { reasonOf } from '../../machine/start-error.ts';
import { AwsError, type AwsServer, startAwsServer } from '../aws-server.ts';

const invocation = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/;

/** A stand-in for AWS Lambda's Invoke: runs the system's own functions, and waits for their result. */
export function startLambda(invoke: Invoke): Promise<AwsServer> {
  return startAwsServer(async ({ method, path, body, setHeader }) => {
    const name = method === 'POST' ? invocation.exec(path)?.[1] : undefined;
    if (name === undefined) {
      throw new AwsError('UnknownOperationException', `${method} ${path} is not part of the stand-in.`, {
        status: 404,
      });
    }
    const plan = functions.find(one => one.name === decodeURIComponent(name));
    if (plan === undefined) throw new AwsError('ResourceNotFoundException', 'Function not found.', { status: 404 });
    const functionName: FunctionName = { area: plan.area, name: plan.name };
    try {
      return await invoke(functionName, body, plan.timeoutSeconds * 1000);
    } catch (error) {
      // As on Lambda, the call succeeded and the function did not.
      setHeader('x-amz-function-error', 'Unhandled');
      return { errorType: error instanceof Error ? error.name : 'Error', errorMessage: reasonOf(error) };
    }
  });
}
