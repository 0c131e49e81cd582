import { beforeAll, describe, expect, it } from 'vitest';
import { Holdfast, identityToken } from '#clients/sdk/src/index.ts';
import { createProject, startApi } from '#test/support/api.ts';
import { shared } from '#test/support/fixtures.ts';
import { identityOf, startIssuer } from '#test/support/issuer.ts';
import { seedPerson } from '#test/support/people.ts';
import { expectStatus } from '#test/support/sample-requests.ts';
import { withVariables } from './variables.ts';

let identity: string;
const api = shared(startApi);
const issuer = shared(startIssuer);
const ada = shared(seedPerson);
beforeAll(async () => {
  await createProject(api, ada);
  await api.put(`/secrets/${ada.organization.slug}/shop/dev`, { key: 'A', value: 'a' }, ada.session);
  const path = `/identities/${ada.organization.id}`;
  identity = (await expectStatus(api.post(path, identityOf(issuer), ada.session), 201)).body.identity.id;
});

const devOf = (hf: Holdfast) => hf.environment(ada.organization.slug, 'shop', 'dev');
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
    const env = devOf(new Holdfast({ url: api.url, token: identityToken(who(), { get }) }));
    const [snapshot] = await Promise.all([env.pull(), env.keys(), env.revisions()]);

    expect([snapshot.get('A'), asked]).toEqual(['a', 1]);
  });

  it('replaces a token that the service rejected, once for all callers that used it', async () => {
    const rejections: (string | undefined)[] = [];
    const token = identityToken(who(), { get: async () => 'x' }, async (_, __, rejected) => {
      rejections.push(rejected);
      return answering(15, `service_tok_${rejections.length}`);
    });
    const first = await token();
    const renewed = await Promise.all([token(first), token(first), token(first)]);

    expect(renewed).toEqual(Array(3).fill('service_tok_2'));
    expect([await token(first), await token()]).toEqual(['service_tok_2', 'service_tok_2']);
    expect(rejections).toEqual([undefined, 'service_tok_1']);
  });

  it('reports why the service rejects it, and never that a change may have been made', async () => {
    const get = () => issuer.token(identity, { repository_id: '75' });
    const setting = devOf(new Holdfast({ url: api.url, token: identityToken(who(), { get }) })).set('A', 'b');

    await expect(setting).rejects.toMatchObject({
      name: 'HoldfastError',
      code: 'claims_mismatch',
      details: { claims: ['repository_id'] },
      outcomeUnknown: false,
    });
  });
});

describe('Holdfast.fromEnvironment', () => {
  const variables = () => ({ HOLDFAST_URL: api.url, HOLDFAST_ORG: ada.organization.slug, HOLDFAST_IDENTITY: identity });

  it('signs in as the configured identity', async () => {
    const HOLDFAST_ID_TOKEN = await issuer.token(identity);
    const snapshot = await withVariables({ ...variables(), HOLDFAST_ID_TOKEN }, () =>
      devOf(Holdfast.fromEnvironment()).pull(),
    );

    expect(snapshot.get('A')).toBe('a');
  });

  it('signs in with the application’s own function, and again when its token was revoked', async () => {
    const path = `/identities/${ada.organization.id}`;
    const made = (await expectStatus(api.post(path, identityOf(issuer), ada.session), 201)).body.identity;
    const audiences: string[] = [];
    const idToken = async (audience: string) => {
      audiences.push(audience);
      return issuer.token(made.id);
    };
    const hf = await withVariables({ ...variables(), HOLDFAST_IDENTITY: made.id }, () =>
      Holdfast.fromEnvironment({ idToken, retries: 0 }),
    );
    const env = devOf(hf);
    await env.pull();
    const claims = { repository_id: ['74', '75'], repository_owner_id: '65' };
    await expectStatus(api.patch(`${path}/${made.id}`, { claims }, ada.session), 200);

    expect((await env.keys()).keys.map(({ key }) => key)).toEqual(['A']);
    expect(audiences).toEqual(Array(2).fill(`holdfast:identity:${made.id}`));
    await api.delete(`${path}/${made.id}`, ada.session);
    await expect(env.keys()).rejects.toMatchObject({ code: 'invalid_assertion' });
    expect(audiences).toHaveLength(3);
  });

  it('waits for a slow platform longer than a call may take', async () => {
    const idToken = async () => {
      await new Promise(resolve => setTimeout(resolve, 4_000));
      return issuer.token(identity);
    };
    const retried: string[] = [];
    const onRetry = ({ error }: { error: Error }) => retried.push(error.message);
    const limits = { timeoutMs: 3_000, attemptTimeoutMs: 3_000, onRetry };
    const hf = await withVariables(variables(), () => Holdfast.fromEnvironment({ idToken, ...limits }));

    expect((await devOf(hf).pull()).get('A')).toBe('a');
    expect(retried).toEqual([]);
  });

  it('reports which permission is missing if the platform offers no token', async () => {
    await withVariables(variables(), () => {
      expect(() => Holdfast.fromEnvironment()).toThrow('id-token: write');
    });
  });
});
