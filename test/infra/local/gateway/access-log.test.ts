import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { startAccessLog } from '#infra/local/gateway/access-log.ts';
import { eventually } from '#test/support/eventually.ts';

interface LogsEvent {
  awslogs: { data: string };
}

const messageOf = (event: unknown) =>
  JSON.parse(gunzipSync(Buffer.from((event as LogsEvent).awslogs.data, 'base64')).toString());

it('Records go to the subscriber in batches, in the format of CloudWatch Logs', async () => {
  const delivered: unknown[] = [];
  const log = startAccessLog(async event => delivered.push(event));
  log.write({ '$context.requestId': 'one', '$context.status': '200', '$context.routeKey': 'GET /v1/x' });
  log.write({ '$context.requestId': 'two' });
  await eventually(() => expect(delivered).toHaveLength(1));
  const message = messageOf(delivered[0]);
  expect(message).toMatchObject({ messageType: 'DATA_MESSAGE', logGroup: 'access-log' });
  expect(message.logEvents).toHaveLength(2);
  expect(new Set(message.logEvents.map((event: { id: string }) => event.id)).size).toBe(2);
  expect(JSON.parse(message.logEvents[0].message)).toEqual({
    requestId: 'one',
    requestTimeEpoch: '-',
    httpMethod: '-',
    routeKey: 'GET /v1/x',
    status: '200',
    responseLatency: '-',
    responseLength: '-',
    sourceIp: '-',
    integrationError: '-',
    gatewayError: '-',
  });
  await log.stop();
});

it('Stopping delivers the waiting records, and a failed delivery is retried', async () => {
  let calls = 0;
  const delivered: string[] = [];
  const log = startAccessLog(async event => {
    calls += 1;
    if (calls === 1) throw new Error('not now');
    for (const { message } of messageOf(event).logEvents) delivered.push(JSON.parse(message).requestId);
  });
  for (let number = 0; number < 1200; number += 1) log.write({ '$context.requestId': String(number) });
  await log.stop();
  expect([delivered, calls]).toEqual([Array.from({ length: 1200 }, (_, number) => String(number)), 4]);
});
