import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { expect, it, onTestFinished } from 'vitest';
import { createInvoke } from '#infra/local/lambda/invoke.ts';
import { startLambda } from '#infra/local/stand-ins/lambda/lambda.ts';

async function clientOf(handler: (event: unknown) => unknown) {
  const server = await startLambda(createInvoke(async () => handler));
  onTestFinished(() => server.stop());
  return new LambdaClient({
    endpoint: server.url,
    region: 'eu-west-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
}

const call = (event: object, FunctionName = 'make-outbound-requests') =>
  new InvokeCommand({ FunctionName, Payload: JSON.stringify(event) });

it('A function of the system is run with the event, and its result is returned', async () => {
  const client = await clientOf(event => ({ got: event }));
  const { FunctionError, Payload } = await client.send(call({ one: 1 }));
  expect(FunctionError).toBeUndefined();
  expect(JSON.parse(Buffer.from(Payload ?? []).toString())).toEqual({ got: { one: 1 } });
});

it('A function that throws is reported as by Lambda: the call succeeded, the function failed', async () => {
  const client = await clientOf(() => {
    throw new RangeError('too far');
  });
  const { FunctionError, Payload } = await client.send(call({}));
  expect(FunctionError).toBe('Unhandled');
  const error = { errorType: 'RangeError', errorMessage: 'too far' };
  expect(JSON.parse(Buffer.from(Payload ?? []).toString())).toEqual(error);
});

it("An unknown function is rejected with Lambda's error", async () => {
  const client = await clientOf(() => null);
  await expect(client.send(call({}, 'someone-elses'))).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
});
