import { inject } from 'vitest';
import { startReceiver } from './receiver.ts';

/** What a region's DynamoDB does: it responds, doesn't, or rejects the caller. */
type Condition = 'there' | 'lost' | 'refusing';

/** DynamoDB of several regions. DynamoDB Local has one table of a name for all, so `tables` names each region's. */
export async function startRegions(tables: Readonly<Record<string, string>>) {
  const conditions = new Map<string, Condition>();
  const server = await startReceiver(async (response, { headers, body }) => {
    const region = /Credential=[^/]+\/\d+\/([^/]+)\//.exec(headers.authorization ?? '')?.[1] ?? '';
    const condition = conditions.get(region) ?? 'there';
    if (condition === 'lost') return response.destroy();
    const type = { 'content-type': 'application/x-amz-json-1.0' };
    if (condition === 'refusing') {
      const refusal = { __type: 'com.amazon.coral.service#AccessDeniedException', message: 'not authorized' };
      return response.writeHead(400, type).end(JSON.stringify(refusal));
    }
    const names = ['authorization', 'x-amz-target', 'x-amz-date', 'content-type'];
    const answer = await fetch(inject('dynamoDbUrl'), {
      method: 'POST',
      headers: Object.fromEntries(names.map(name => [name, `${headers[name]}`])),
      body: JSON.stringify({ ...JSON.parse(body.toString()), TableName: tables[region] }),
    });
    return response.writeHead(answer.status, type).end(await answer.text());
  });
  return {
    url: server.url,
    set: (region: string, condition: Condition) => conditions.set(region, condition),
    stop: server.stop,
  };
}
