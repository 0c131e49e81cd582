import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair } from 'jose';
import Provider, { type Configuration } from 'oidc-provider';

/** A person at the provider, and what the provider says about their log-in. Absent claims are not sent. */
export interface Account {
  sub: string;
  email?: string;
  email_verified?: boolean | string;
  name?: string;
  amr?: string[];
  acr?: string;
  groups?: string | string[];
  /** The log-in lies this long in the past; `auth_time` says so. */
  secondsAgo?: number;
}

interface ProviderOptions {
  /** With a `*` for the organization, whose slug a test may not know yet. */
  redirectUri: string;
  /** Who can log in, by the name on their button. Change it at any time. */
  accounts: Record<string, Account>;
  /** Where the e-mail address is: OpenID Connect Core, 5.4, has it in userinfo if there is an access token. */
  emailIn?: 'id token' | 'userinfo';
  algorithm?: 'RS256' | 'ES256' | 'ES384' | 'EdDSA';
  clientSecret?: string;
  clientAuthentication?: 'client_secret_basic' | 'client_secret_post';
  /** Whether tokens say when the person logged in even if `max_age` was not sent. */
  alwaysAuthTime?: boolean;
}

const acrs = ['urn:example:password', 'urn:example:two-factors', 'phr'];

/** `oidc-provider` on loopback. Its log-in page has a button for each account, for browsers and for `logInAt`. */
export async function startOpenIdProvider(options: ProviderOptions) {
  const { accounts, clientSecret = randomBytes(24).toString('base64url') } = options;
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = { clientId: 'holdfast', clientSecret };
  const provider = new Provider(url, await configurationOf(options, client));
  const [start = '', end = ''] = options.redirectUri.split('*');
  Object.assign(provider.Client.prototype, {
    redirectUriAllowed: (uri: string) =>
      uri.startsWith(start) && /^[a-z0-9-]+$/.test(uri.slice(start.length, -end.length)) && uri.endsWith(end),
  });
  const asked: URLSearchParams[] = [];
  const handle = provider.callback();
  server.on('request', (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', url);
    if (pathname === '/auth') asked.push(searchParams);
    const isInteraction = pathname.startsWith('/interaction/');
    void (isInteraction ? interact(provider, accounts, request, response) : handle(request, response));
  });
  return {
    url,
    client,
    accounts,
    /** The parameters of each authorization request, oldest first. */
    asked,
    stop: async (): Promise<void> => {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}

export type OpenIdProvider = Awaited<ReturnType<typeof startOpenIdProvider>>;

async function configurationOf(
  options: ProviderOptions,
  { clientId, clientSecret }: { clientId: string; clientSecret: string },
): Promise<Configuration> {
  const { redirectUri, accounts, emailIn = 'id token', algorithm = 'RS256', alwaysAuthTime = false } = options;
  const { clientAuthentication = 'client_secret_basic' } = options;
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true });
  const claimsOf = (sub: string) => {
    const account: Account = Object.values(accounts).find(some => some.sub === sub) ?? { sub };
    const { secondsAgo: _, amr: __, acr: ___, ...claims } = account;
    return claims;
  };
  return {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [redirectUri.replace('*', 'any')],
        response_types: ['code'],
        grant_types: ['authorization_code'],
        id_token_signed_response_alg: algorithm,
        token_endpoint_auth_method: clientAuthentication,
        require_auth_time: alwaysAuthTime,
      },
    ],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: algorithm, use: 'sig' }] },
    enabledJWA: { idTokenSigningAlgValues: [algorithm] },
    cookies: { keys: [randomBytes(16).toString('hex')] },
    // The `sub` of a code may be that of an account that was removed or changed in the meantime.
    findAccount: (_, sub) => ({ accountId: sub, claims: () => claimsOf(sub) }),
    claims: { openid: ['sub', 'amr', 'acr'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
    acrValues: acrs,
    clientAuthMethods: [clientAuthentication],
    ttl: { AccessToken: 300, AuthorizationCode: 60, Grant: 3600, IdToken: 300, Interaction: 600, Session: 3600 },
    conformIdTokenClaims: emailIn === 'userinfo',
    pkce: { required: () => true },
    // Everything that the client asks for is granted, without a page that asks for consent.
    loadExistingGrant: async ({ oidc }) => {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client?.clientId ?? '',
        accountId: oidc.session?.accountId ?? '',
      });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    features: { devInteractions: { enabled: false } },
  };
}

/** Shows the log-in page, or takes what was pressed on it. */
async function interact(
  provider: Provider,
  accounts: Record<string, Account>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method === 'GET') {
    const buttons = Object.keys(accounts).map(name => `<button name="account" value="${name}">${name}</button>`);
    const page = `<!doctype html><title>The company’s provider</title><h1>Log in</h1><form method="post">${buttons.join('')}
<button name="account" value="">Cancel</button></form>`;
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
    return;
  }
  const account = accounts[new URLSearchParams(await text(request)).get('account') ?? ''];
  const { sub: accountId, amr, acr, secondsAgo = 0 } = account ?? {};
  const ts = Math.floor(Date.now() / 1000) - secondsAgo;
  const refused = { error: 'access_denied', error_description: 'The person pressed Cancel.' };
  const login = accountId && { accountId, ts, remember: true, ...(amr && { amr }), ...(acr && { acr }) };
  await provider.interactionFinished(request, response, login ? { login } : refused);
}
