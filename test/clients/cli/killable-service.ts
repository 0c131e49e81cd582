import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { Holdfast } from '#clients/sdk/src/index.ts';
import { startStack } from '#test/support/npm-start.ts';
import { passTo } from '../relay.ts';
import { type ReceivedRequest, startServer } from '../sdk/scripted-server.ts';
import { variablesOf } from './cli.ts';

/** A service in a process of its own, with an owner of one project. Its address stays when it is started again. */
export async function startKillableService() {
  const dataDir = mkdtempSync(join(tmpdir(), 'holdfast-killed-'));
  const settings = {
    AWS_ENDPOINT_URL_DYNAMODB: inject('dynamoDbUrl'),
    TABLE_NAME: `test-${randomUUID()}`,
    DATA_DIR: dataDir,
    LOG_LEVEL: 'ERROR',
  };
  let stack = await startStack(settings);
  const post = async (path: string, body: unknown, cookie = '') => {
    const headers = { 'content-type': 'application/json', 'x-requested-with': 'service', cookie };
    const answer = await fetch(`${stack.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    // biome-ignore lint/suspicious/noExplicitAny: answers of several operations
    return { answer, body: (await answer.json()) as any };
  };
  const ada = await post('/auth/register', { email: 'ada@example.com', password: 'an example of a pass phrase' });
  const cookie = ada.answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  await post(`/projects/${ada.body.organization.id}`, { name: 'Web Shop' }, cookie);
  const { token } = (await post('/auth/token', { name: 'test' }, cookie)).body;

  /** Forwards to the service and back. If the service is killed meanwhile, this breaks its connection too. */
  async function hand(request: ReceivedRequest, response: ServerResponse, isLost: boolean): Promise<void> {
    const nowhere = { writeHead: () => nowhere, end: () => nowhere } as unknown as ServerResponse;
    try {
      await passTo(stack.url)(request, isLost ? nowhere : response);
      if (!isLost) return;
      await stack.kill();
    } catch {
      // The service was killed before it responded.
    }
    response.socket?.resetAndDestroy();
  }

  let pending = 0;
  const relay = await startServer((request, response) => {
    pending += 1;
    void hand(request, response, service.onRequest(request) === 'lose-answer').finally(() => {
      pending -= 1;
    });
  });
  const organization = ada.body.organization.slug;
  const client = new Holdfast({ url: relay.url, token });
  const service = {
    /** Decides whether the service is killed before its answer arrives. */
    onRequest: (_: ReceivedRequest): 'lose-answer' | undefined => undefined,
    client,
    environment: client.environment(organization, 'web-shop', 'dev'),
    variables: variablesOf(relay.url, token, `${organization}/web-shop/dev`),
    /** How many requests the service works on. One goes on if its sender is killed. */
    pending: () => pending,
    kill: () => stack.kill(),
    startAgain: async (): Promise<void> => {
      stack = await startStack(settings);
    },
    stop: async (): Promise<void> => {
      await relay.stop();
      await stack.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
  return service;
}
