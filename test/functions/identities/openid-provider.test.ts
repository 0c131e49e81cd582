import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeJwt, exportJWK, generateKeyPair } from 'jose';
import Provider from 'oidc-provider';
import { beforeAll, describe, expect, it } from 'vitest';
import { codeOf, createProject, useApi } from '#test/support/api.ts';
import { shared } from '#test/support/fixtures.ts';
import { seedPerson } from '#test/support/people.ts';
import { expectStatus } from '#test/support/sample-requests.ts';

/* Tokens of a foreign OpenID provider: a workflow asks for one (RFC 9068) whose resource (RFC 8707) is the audience. */

const workflow = { client_id: 'web-shop-workflow', client_secret: 'not-a-secret-of-the-service' };
const api = useApi();
const provider = shared(startProvider);
const ada = shared(seedPerson);
const project = shared(() => createProject(api, ada));
beforeAll(async () => {
  await expectStatus(api.put(secretsOf('production'), { key: 'API_KEY', value: 'of production' }, ada.session), 201);
});

const secretsOf = (env: string) => `/secrets/${ada.organization.slug}/${project.slug}/${env}`;
async function makeDeployer(claims: Record<string, string>, changes: Record<string, unknown> = {}) {
  const environmentId = project.environments.find(({ slug }) => slug === 'production')?.id;
  const limits = { access: 'read', projectId: project.id, environmentId };
  const body = { name: 'web-shop deploy', role: 'deployer', ...limits, issuer: provider.url, claims, ...changes };
  const created = await expectStatus(api.post(`/identities/${ada.organization.id}`, body, ada.session), 201);
  return created.body.identity as { id: string; audience: string };
}

const exchange = (identityId: string, subjectToken: string) =>
  api.post('/auth/exchange', { identityId, organizationSlug: ada.organization.slug, subjectToken });

describe('a workflow with a token of an independent OpenID provider', () => {
  it('reads production as a deployer, and nothing else', async () => {
    const { id, audience } = await makeDeployer({ client_id: workflow.client_id, environment: 'production' });
    const assertion = await provider.tokenFor(audience);
    expect(decodeJwt(assertion)).toMatchObject({ iss: provider.url, aud: audience });

    const exchanged = await expectStatus(exchange(id, assertion), 201);
    const as = { token: exchanged.body.token as string };
    const { body } = await expectStatus(api.get(secretsOf('production'), as), 200);
    expect(body.secrets).toMatchObject([{ key: 'API_KEY', value: 'of production' }]);
    expect(codeOf(await api.get(secretsOf('dev'), as))).toBe('404 environment_not_found');
    expect(codeOf(await api.put(secretsOf('production'), { key: 'A', value: 'a' }, as))).toBe('403 insufficient_scope');
    expect(codeOf(await exchange(id, assertion))).toBe('409 assertion_replayed');
  });

  it('is refused if the claims of its token differ, or if the token is for another audience', async () => {
    const { id, audience } = await makeDeployer({ client_id: workflow.client_id, environment: 'staging' });
    const other = await makeDeployer({ client_id: workflow.client_id });

    const mismatched = await exchange(id, await provider.tokenFor(audience));

    expect(codeOf(mismatched)).toBe('403 claims_mismatch');
    expect(mismatched.body.error.details).toEqual({ claims: ['environment'] });
    expect(codeOf(await exchange(id, await provider.tokenFor(other.audience)))).toBe('401 invalid_assertion');
  });

  it('signs in with the same token five times if the identity allows it', async () => {
    const { id, audience } = await makeDeployer({ client_id: workflow.client_id }, { singleUse: false });
    const assertion = await provider.tokenFor(audience);

    for (let start = 0; start < 5; start += 1) {
      const { body } = await expectStatus(exchange(id, assertion), 201);
      await expectStatus(api.get(secretsOf('production'), { token: body.token }), 200);
    }
  });
});

async function startProvider() {
  const server = createServer();
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const provider = new Provider(url, {
    clients: [
      {
        ...workflow,
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig' }] },
    extraTokenClaims: () => ({ repository_id: '74', environment: 'production', event_name: 'push' }),
    ttl: { ClientCredentials: 300 },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_, audience) => ({
          scope: '',
          audience,
          accessTokenFormat: 'jwt',
          accessTokenTTL: 300,
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
  });
  const handle = provider.callback();
  server.on('request', (request, response) => void handle(request, response));
  return {
    url,
    tokenFor: async (resource: string) => {
      const form = new URLSearchParams({ ...workflow, grant_type: 'client_credentials', resource });
      const response = await fetch(`${url}/token`, { method: 'POST', body: form });
      const body = (await response.json()) as { access_token?: string };
      if (body.access_token === undefined) throw new Error(`The provider issued no token: ${JSON.stringify(body)}`);
      return body.access_token;
    },
    stop: () => {
      server.closeAllConnections();
      return new Promise<void>(resolve => server.close(() => resolve()));
    },
  };
}
