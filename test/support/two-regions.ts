import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { inject } from 'vitest';

/** What a region's DynamoDB does: it responds, doesn't, or rejects the caller. */
type Condition = 'there' | 'lost' | 'refusing';

/**
 * DynamoDB of several regions, each with its own table under the same name, like replicas that have not received each
 * other's changes. Requests go to DynamoDB Local, which has one table of a name for all regions, so the table of a region
 * gets another name there.
 * @param tables the tables on DynamoDB Local, by region
 */
export async function startRegions(tables: Readonly<Record<string, string>>) {
  const conditions = new Map<string, Condition>();
  const server = createServer((request, response) => {
    const region = /Credential=[^/]+\/\d+\/([^/]+)\//.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const condition = conditions.get(region) ?? 'there';
    if (condition === 'lost') return void request.socket.destroy();
    const headers = { 'content-type': 'application/x-amz-json-1.0' };
    if (condition === 'refusing') {
      const refusal = { __type: 'com.amazon.coral.service#AccessDeniedException', message: 'not authorized' };
      return void response.writeHead(400, headers).end(JSON.stringify(refusal));
    }
    void (async () => {
      const body = JSON.stringify({ ...JSON.parse(await text(request)), TableName: tables[region] });
      const sent = Object.fromEntries(
        ['authorization', 'x-amz-target', 'x-amz-date', 'content-type'].map(name => [name, `${request.headers[name]}`]),
      );
      const answer = await fetch(inject('dynamoDbUrl'), { method: 'POST', headers: sent, body });
      response.writeHead(answer.status, headers).end(await answer.text());
    })();
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    set: (region: string, condition: Condition) => conditions.set(region, condition),
    stop: () => new Promise<void>(resolve => server.close(() => resolve())),
  };
}
