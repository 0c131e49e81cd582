import { randomUUID } from 'node:crypto';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { expect, it, vi } from 'vitest';
import { openLog } from '#lib/core/logger.ts';
import { createCredential, tokenPrefix } from '#lib/crypto/credentials.ts';
import { createToken, startApi } from '#test/support/api.ts';
import { shared } from '#test/support/fixtures.ts';
import { seedPerson } from '#test/support/people.ts';

const api = shared(() => startApi({ LOG_LEVEL: 'SILENT' }));
const person = shared(seedPerson);

it('is not needed: while KMS is unreachable, a credential is looked up first', async () => {
  const { token } = await createToken(api, person);
  vi.stubEnv('AWS_ENDPOINT_URL_KMS', 'http://127.0.0.1:9');
  // A process that has not unwrapped the key yet.
  vi.resetModules();
  const { issuedCredentialOf } = await import('#lib/access/authenticate.ts');
  const issued = (secret: string) => {
    const event = { headers: { authorization: `Bearer ${secret}` }, requestContext: { http: { method: 'GET' } } };
    return issuedCredentialOf(event as unknown as APIGatewayProxyEventV2, { kind: 'optional' }, openLog({}));
  };

  expect(await issued(token)).toMatchObject({ userId: person.user.id });
  expect(await issued(createCredential(randomUUID(), tokenPrefix).secret)).toBeUndefined();
  vi.unstubAllEnvs();
});
