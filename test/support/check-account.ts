import type { CheckAccount } from '#lib/metrics/service-check.ts';
import type { Api } from './api.ts';
import { type Person, testPassword } from './people.ts';
import { startReceiver } from './receiver.ts';

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
  const body = JSON.stringify({ Parameter: { Value: JSON.stringify(value) } });
  const server = await startReceiver(response =>
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.1' }).end(body),
  );
  process.env.AWS_ENDPOINT_URL_SSM = server.url;
  return {
    stop: () => {
      delete process.env.AWS_ENDPOINT_URL_SSM;
      void server.stop();
    },
  };
}
