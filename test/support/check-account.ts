import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CheckAccount } from '#lib/metrics/service-check.ts';
import type { Api } from './api.ts';
import { type Person, testPassword } from './people.ts';

/** A person as the account for the service check; the project still has to be set. */
export function checkAccountOf(api: Api, { email, organization }: Person): CheckAccount {
  return {
    url: api.url,
    email,
    password: testPassword,
    organization: organization.slug,
    project: '',
    environment: 'dev',
  };
}

/** Returns the value for every GetParameter of the SDK, until it is stopped. */
export async function serveParameter(value: unknown): Promise<{ stop: () => void }> {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/x-amz-json-1.1');
    response.end(JSON.stringify({ Parameter: { Value: JSON.stringify(value) } }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.env.AWS_ENDPOINT_URL_SSM = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    stop: () => {
      delete process.env.AWS_ENDPOINT_URL_SSM;
      server.close();
      server.closeAllConnections();
    },
  };
}
