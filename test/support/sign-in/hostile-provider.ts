import { createHash, randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { type JWTPayload, SignJWT } from 'jose';
import { makeSigningKey, type SigningKey } from '../issuer.ts';
import { type Received, startReceiver } from '../receiver.ts';

/** What a provider is asked for, by path. */
const paths = {
  discovery: '/.well-known/openid-configuration',
  authorization: '/authorize',
  token: '/token',
  jwks: '/keys',
  userinfo: '/userinfo',
} as const;

export type Part = keyof typeof paths;

export interface Granted {
  code: string;
  state: string;
  nonce: string | undefined;
  redirectUri: string;
  challenge: string | undefined;
  parameters: URLSearchParams;
}

/** How the provider misbehaves. Absent: as an honest one. An undefined claim, member or parameter is left out. */
export interface Script {
  parts?: Partial<Record<Part, (response: ServerResponse, received: Received) => unknown>>;
  discovery?: Record<string, unknown>;
  person?: Record<string, unknown>;
  claims?: Record<string, unknown>;
  /** Signs in its own way. */
  sign?: (claims: JWTPayload, key: SigningKey) => string | Promise<string>;
  tokens?: Record<string, unknown>;
  userinfo?: Record<string, unknown>;
  callback?: Record<string, string | undefined>;
}

type Members = Record<string, unknown>;

interface ProviderOptions {
  algorithm?: string;
  clientSecret?: string;
  /** Whether it serves all test files of the process. */
  isShared?: boolean;
}

const defined = (members: Members) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
const json = (response: ServerResponse, status: number, body: unknown) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

/** Grants every request at once, but insists on PKCE and the client's secret, so a service without them is noticed. */
export async function startHostileProvider(
  person: Members,
  { algorithm = 'RS256', clientSecret = randomBytes(24).toString('hex'), isShared = false }: ProviderOptions = {},
) {
  const keys = [await makeSigningKey(algorithm)];
  const client = { clientId: `client-${randomBytes(4).toString('hex')}`, clientSecret };
  const codes = new Map<string, Granted>();
  const accessTokens = new Set<string>();
  let latest: Granted | undefined;

  const provider = {
    url: '',
    client,
    keys,
    script: {} as Script,
    /** Who logs in instead for an authorization request with this state. */
    people: new Map<string, Members>(),
    granted: () => latest,
    requests: (part: Part): number => server.received.filter(({ path }) => path.split('?')[0] === paths[part]).length,
    received: [] as Received[],
    stop: (): Promise<void> => server.stop(),
  };
  const personNow = (state = '') => ({ ...person, ...provider.script.person, ...provider.people.get(state) });

  const parts: Record<Part, (response: ServerResponse, received: Received) => unknown> = {
    discovery: response => json(response, 200, defined({ ...discoveryOf(provider.url), ...provider.script.discovery })),
    jwks: response => json(response, 200, { keys: keys.map(({ publicJwk }) => publicJwk) }),
    authorization: (response, { path }) => {
      latest = grant(new URL(path, provider.url).searchParams);
      codes.set(latest.code, latest);
      const { code, state, redirectUri } = latest;
      const answer = defined({ code, state, iss: provider.url, ...provider.script.callback });
      const location = new URL(redirectUri);
      for (const [name, value] of Object.entries(answer)) location.searchParams.append(name, String(value));
      response.writeHead(302, { location: location.href }).end();
    },
    token: async (response, received) => {
      const form = new URLSearchParams(received.body.toString());
      const granted = codes.get(form.get('code') ?? '');
      codes.delete(form.get('code') ?? '');
      if (!isClient(client, received, form)) return json(response, 401, { error: 'invalid_client' });
      if (granted === undefined || !fulfils(granted, form)) return json(response, 400, { error: 'invalid_grant' });
      const accessToken = randomBytes(16).toString('hex');
      accessTokens.add(accessToken);
      const idToken = await idTokenOf(provider, granted, personNow(granted.state));
      const tokens = { access_token: accessToken, token_type: 'Bearer', expires_in: 300, id_token: idToken };
      return json(response, 200, defined({ ...tokens, ...provider.script.tokens }));
    },
    userinfo: (response, { headers }) => {
      const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
      if (!accessTokens.has(token)) return json(response, 401, { error: 'invalid_token' });
      return json(response, 200, defined({ ...personNow(), ...provider.script.userinfo }));
    },
  };
  const server = await startReceiver(
    (response, received) => {
      const path = received.path.split('?')[0];
      const part = (Object.keys(paths) as Part[]).find(name => paths[name] === path);
      if (part === undefined) return response.writeHead(404).end();
      return (provider.script.parts?.[part] ?? parts[part])(response, received);
    },
    { isShared },
  );
  return Object.assign(provider, { url: server.url, received: server.received });
}

export type HostileProvider = Awaited<ReturnType<typeof startHostileProvider>>;

function discoveryOf(url: string): Members {
  return {
    issuer: url,
    authorization_endpoint: url + paths.authorization,
    token_endpoint: url + paths.token,
    jwks_uri: url + paths.jwks,
    userinfo_endpoint: url + paths.userinfo,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  };
}

function grant(parameters: URLSearchParams): Granted {
  return {
    code: randomBytes(16).toString('hex'),
    state: parameters.get('state') ?? '',
    nonce: parameters.get('nonce') ?? undefined,
    redirectUri: parameters.get('redirect_uri') ?? '',
    challenge:
      parameters.get('code_challenge_method') === 'S256' ? (parameters.get('code_challenge') ?? '') : undefined,
    parameters,
  };
}

/** RFC 6749, 2.3.1: in the header or in the body. */
function isClient({ clientId, clientSecret }: HostileProvider['client'], { headers }: Received, form: URLSearchParams) {
  const basic = /^Basic (.+)$/.exec(headers.authorization ?? '')?.[1];
  if (basic === undefined) {
    return form.get('client_id') === clientId && (form.get('client_secret') ?? '') === clientSecret;
  }
  return Buffer.from(basic, 'base64').toString() === `${clientId}:${clientSecret}`;
}

function fulfils({ challenge, redirectUri }: Granted, form: URLSearchParams): boolean {
  const verifier = form.get('code_verifier') ?? '';
  const isVerified = createHash('sha256').update(verifier).digest('base64url') === challenge;
  return isVerified && form.get('redirect_uri') === redirectUri;
}

async function idTokenOf(provider: HostileProvider, { nonce }: Granted, person: Members): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const usual = { iss: provider.url, aud: provider.client.clientId, iat: now, exp: now + 300, nonce, ...person };
  const claims = defined({ ...usual, ...provider.script.claims });
  const key = provider.keys.at(-1) as SigningKey;
  if (provider.script.sign !== undefined) return provider.script.sign(claims, key);
  return new SignJWT(claims).setProtectedHeader({ alg: key.alg, kid: key.kid }).sign(key.privateKey);
}
