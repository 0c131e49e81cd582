import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Holdfast, HoldfastError, identityToken, platformAssertion } from '../../../clients/sdk/src/index.ts';
import { type Api, createProject, startApi } from '../../support/api.ts';
import { type Issuer, identityOf, startIssuer } from '../../support/issuer.ts';
import { type Person, seedPerson } from '../../support/people.ts';
import { startReceiver } from '../../support/receiver.ts';
import { expectStatus } from '../../support/sample-requests.ts';

let api: Api;
let issuer: Issuer;
let ada: Person;
let identity: string;

beforeAll(async () => {
  api = await startApi();
  [issuer, ada] = await Promise.all([startIssuer(), seedPerson()]);
  await createProject(api, ada);
  await api.put(`/secrets/${ada.organization.slug}/shop/dev`, { key: 'A', value: 'a' }, ada.session);
  const path = `/identities/${ada.organization.id}`;
  identity = (await expectStatus(api.post(path, identityOf(issuer), ada.session), 201)).body.identity.id;
});
afterAll(async () => {
  await Promise.all([api?.stop(), issuer?.stop()]);
});

const who = () => ({ url: api.url, organization: ada.organization.slug, identity });
const answering = (minutes: number, token = 'service_tok_x') => ({
  token,
  expiresAt: new Date(Date.now() + minutes * 60_000).toISOString(),
  organizationId: ada.organization.id,
});

describe('identityToken', () => {
  it('signs in once for concurrent calls, and pulls', async () => {
    let asked = 0;
    const get = async () => {
      asked += 1;
      return issuer.token(identity);
    };
    const env = new Holdfast({ url: api.url, token: identityToken(who(), { get }) }).environment(
      ada.organization.slug,
      'shop',
      'dev',
    );
    const [snapshot] = await Promise.all([env.pull(), env.keys(), env.revisions()]);

    expect([snapshot.get('A'), asked]).toEqual(['a', 1]);
  });

  it('signs in again a minute before the token expires', async () => {
    const minutes = [1.001, 15];
    let exchanged = 0;
    const token = identityToken(who(), { get: async () => 'x' }, async () => {
      exchanged += 1;
      return answering(minutes.shift() ?? 0, `service_tok_${exchanged}`);
    });
    const first = await token();
    await new Promise(resolve => setTimeout(resolve, 100));

    expect([first, await token(), await token()]).toEqual(['service_tok_1', 'service_tok_2', 'service_tok_2']);
  });

  it('does not remember a failure', async () => {
    let exchanged = 0;
    const token = identityToken(who(), { get: async () => 'x' }, async () => {
      exchanged += 1;
      if (exchanged === 1) throw new Error('once');
      return answering(15);
    });

    await expect(token()).rejects.toThrow('once');
    expect(await token()).toBe('service_tok_x');
  });

  it('reports why the service rejects it, and never that a change may have been made', async () => {
    const get = () => issuer.token(identity, { repository_id: '75' });
    const hf = new Holdfast({ url: api.url, token: identityToken(who(), { get }) });
    const setting = hf.environment(ada.organization.slug, 'shop', 'dev').set('A', 'b');

    await expect(setting).rejects.toMatchObject({
      name: 'HoldfastError',
      code: 'claims_mismatch',
      details: { claims: ['repository_id'] },
      outcomeUnknown: false,
    });
  });
});

describe('platformAssertion', () => {
  it('prefers the file to the variable, and reads it each time', async () => {
    const file = join(tmpdir(), `id-token-${crypto.randomUUID()}`);
    const variables = { HOLDFAST_ID_TOKEN_FILE: file, HOLDFAST_ID_TOKEN: 'variable' };
    const found = platformAssertion(identity, variables);
    writeFileSync(file, 'one\n');
    const one = await found?.get();
    writeFileSync(file, 'two\n');

    expect([one, await found?.get(), found?.isAlwaysNew]).toEqual(['one', 'two', false]);
    expect(await platformAssertion(identity, { HOLDFAST_ID_TOKEN: 'variable' })?.get()).toBe('variable');
    expect(platformAssertion(identity, {})).toBeUndefined();
  });

  it('requests a token from GitHub’s runner, follows no redirect, and reveals none of its secrets', async () => {
    const elsewhere = await startReceiver();
    let status = 302;
    const runner = await startReceiver(response => response.writeHead(status, { location: elsewhere.url }).end());
    try {
      const variables = {
        ACTIONS_ID_TOKEN_REQUEST_URL: `${runner.url}/?a=b`,
        ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'secret',
      };
      const found = platformAssertion(identity, variables);
      const redirected = await found?.get().catch((error: unknown) => error);
      status = 503;
      const failed = await found?.get().catch((error: unknown) => error);

      expect(redirected).toMatchObject({ code: 'platform_token_unavailable', retryable: false });
      expect(failed).toMatchObject({ code: 'platform_token_unavailable', retryable: true });
      expect(redirected).toBeInstanceOf(HoldfastError);
      expect(String(redirected)).not.toContain('secret');
      expect(elsewhere.connections()).toBe(0);
      expect(runner.received[0]?.headers.authorization).toBe('Bearer secret');
      expect(runner.received[0]?.path).toBe(`/?a=b&audience=holdfast%3Aidentity%3A${identity}`);
    } finally {
      await Promise.all([runner.stop(), elsewhere.stop()]);
    }
  });
});

describe('Holdfast.fromEnvironment', () => {
  const withVariables = async <T>(variables: Record<string, string>, work: () => Promise<T> | T): Promise<T> => {
    const before = { ...process.env };
    Object.assign(process.env, variables);
    try {
      return await work();
    } finally {
      for (const name of Object.keys(variables)) {
        if (before[name] === undefined) delete process.env[name];
        else process.env[name] = before[name];
      }
    }
  };
  const variables = () => ({
    HOLDFAST_URL: api.url,
    HOLDFAST_ORG: ada.organization.slug,
    HOLDFAST_IDENTITY: identity,
  });

  it('signs in as the configured identity', async () => {
    const HOLDFAST_ID_TOKEN = await issuer.token(identity);
    const snapshot = await withVariables({ ...variables(), HOLDFAST_ID_TOKEN }, () =>
      Holdfast.fromEnvironment().environment(ada.organization.slug, 'shop', 'dev').pull(),
    );

    expect(snapshot.get('A')).toBe('a');
  });

  it('reports which permission is missing if the platform offers no token', async () => {
    await withVariables(variables(), () => {
      expect(() => Holdfast.fromEnvironment()).toThrow('id-token: write');
    });
  });
});
