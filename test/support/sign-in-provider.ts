import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { SignJWT } from 'jose';
import type { Api, Caller } from './api.ts';
import { makeSigningKey, type SigningKey } from './issuer.ts';
import { type Received, startReceiver } from './receiver.ts';

export const client = { id: 'holdfast-of-acme', secret: 'not a secret/of+the service' };

export interface SignInProvider {
  url: string;
  key: SigningKey;
  /** Replaces parts of the discovery document. */
  discovery: Record<string, unknown>;
  /** Replaces a response of the token endpoint. */
  answerToken: ((response: ServerResponse, received: Received) => unknown) | undefined;
  userinfo: Record<string, unknown> | undefined;
  received: Received[];
  /** A code for which the token endpoint returns an id token with these claims, signed with `key` unless it is given. */
  codeFor(claims: Record<string, unknown>, signing?: { key?: SigningKey; token?: string }): string;
  stop(): Promise<void>;
}

/** An OpenID provider on loopback: any person can sign in there, and the test chooses what it says about them. */
export async function startSignInProvider({ isShared = false } = {}): Promise<SignInProvider> {
  const key = await makeSigningKey();
  const tokens = new Map<string, () => Promise<string>>();
  const json = (response: ServerResponse, body: unknown, status = 200) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  const server = await startReceiver(
    async (response, received) => {
      const path = received.path.split('?')[0];
      if (path === '/.well-known/openid-configuration') {
        return json(response, {
          issuer: server.url,
          jwks_uri: `${server.url}/keys`,
          authorization_endpoint: `${server.url}/authorize?tenant=acme`,
          token_endpoint: `${server.url}/token`,
          userinfo_endpoint: `${server.url}/userinfo`,
          ...provider.discovery,
        });
      }
      if (path === '/keys') return json(response, { keys: [key.publicJwk] });
      if (path === '/userinfo') return json(response, provider.userinfo ?? {}, provider.userinfo ? 200 : 404);
      if (path !== '/token') return response.writeHead(404).end();
      if (provider.answerToken !== undefined) return provider.answerToken(response, received);
      const code = new URLSearchParams(received.body.toString()).get('code') ?? '';
      const token = tokens.get(code);
      tokens.delete(code);
      if (token === undefined) return json(response, { error: 'invalid_grant' }, 400);
      return json(response, { token_type: 'Bearer', access_token: 'access-token', id_token: await token() });
    },
    { isShared },
  );
  const provider: SignInProvider = {
    url: server.url,
    key,
    discovery: {},
    answerToken: undefined,
    userinfo: undefined,
    received: server.received,
    codeFor: (claims, { key: signing = key, token } = {}) => {
      const code = randomUUID();
      const now = Math.floor(Date.now() / 1000);
      const payload = { iss: server.url, aud: client.id, iat: now, exp: now + 300, ...claims };
      const signed = () =>
        new SignJWT(Object.fromEntries(Object.entries(payload).filter(([, value]) => value !== undefined)))
          .setProtectedHeader({ alg: signing.alg, kid: signing.kid })
          .sign(signing.privateKey);
      tokens.set(code, async () => token ?? (await signed()));
      return code;
    },
    stop: () => server.stop(),
  };
  return provider;
}

/** A sign-in that a browser has started. */
export interface Started {
  orgSlug: string;
  /** The provider's address that the browser was sent to, or the dashboard's with an error. */
  location: URL;
  /** The cookies that the browser keeps. */
  cookie: string;
  state: string;
  nonce: string;
}

const cookiesOf = (answer: { headers: Headers }) =>
  answer.headers.getSetCookie().map(line => line.split(';')[0] as string);

export async function startIn(api: Api, orgSlug: string, query = '', as?: Caller): Promise<Started> {
  const answer = await api.get(`/auth/provider/${orgSlug}/start${query}`, as);
  if (answer.status !== 302) throw new Error(`Expected a redirect, got ${answer.status}.`);
  const location = new URL(answer.headers.get('location') ?? '');
  const { searchParams } = location;
  const kept = [...(as !== undefined && 'cookie' in as ? [as.cookie] : []), ...cookiesOf(answer)];
  return {
    orgSlug,
    location,
    cookie: kept.join('; '),
    state: searchParams.get('state') ?? '',
    nonce: searchParams.get('nonce') ?? '',
  };
}

export interface Ended {
  /** Where the browser was sent, without its origin. */
  to: string;
  /** The new session, if there is one. */
  session: { cookie: string } | undefined;
  /** Another cookie that was set, as `name=content`. */
  cookie(name: string): string | undefined;
}

/** The browser comes back from the provider. */
export async function endIn(
  api: Api,
  { orgSlug, cookie }: Pick<Started, 'orgSlug' | 'cookie'>,
  query: Record<string, string>,
): Promise<Ended> {
  const answer = await api.get(`/auth/provider/${orgSlug}/callback?${new URLSearchParams(query)}`, { cookie });
  if (answer.status !== 302)
    throw new Error(`Expected a redirect, got ${answer.status}: ${JSON.stringify(answer.body)}`);
  const location = new URL(answer.headers.get('location') ?? '');
  const find = (name: string) => cookiesOf(answer).find(one => one.startsWith(`${name}=`) && !one.endsWith('='));
  const session = find('__service_session');
  return {
    to: location.href.slice(location.origin.length),
    session: session === undefined ? undefined : { cookie: session },
    cookie: find,
  };
}
