import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import { audienceOf } from '#lib/contracts/fields/identity-limits.ts';
import { startReceiver } from './receiver.ts';

export interface SigningKey {
  kid: string;
  alg: string;
  privateKey: CryptoKey;
  publicJwk: JWK;
}

export async function makeSigningKey(alg = 'ES256', kid: string = randomUUID()): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

interface TokenOptions {
  header?: Record<string, unknown>;
  key?: SigningKey;
}

export const pipeline = { repository_id: '74', repository_owner_id: '65', ref: 'refs/heads/main', event_name: 'push' };

/** An OpenID Connect issuer on loopback: real keys, a discovery document and a key set over HTTP. */
export async function startIssuer(alg = 'ES256') {
  const keys = [await makeSigningKey(alg)];
  /** Replaces a response; if undefined, the response is an issuer's usual one. */
  const answer: { discovery?: (response: ServerResponse) => unknown; jwks?: (response: ServerResponse) => unknown } =
    {};
  const json = (response: ServerResponse, body: unknown) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  // A port is used again later, and the service remembers an issuer by its URL.
  const folder = `/${randomUUID().slice(0, 8)}`;
  const paths = { discovery: `${folder}/.well-known/openid-configuration`, jwks: `${folder}/keys` };
  const server = await startReceiver((response, { path }) => {
    if (path === paths.discovery) {
      if (answer.discovery !== undefined) return answer.discovery(response);
      return json(response, { issuer: url, jwks_uri: `${server.url}${paths.jwks}` });
    }
    if (path !== paths.jwks) return response.writeHead(404).end();
    if (answer.jwks !== undefined) return answer.jwks(response);
    return json(response, { keys: keys.map(({ publicJwk }) => publicJwk) });
  });
  const url = server.url + folder;
  return {
    url,
    keys,
    answer,
    fetches: (document: keyof typeof paths) => server.received.filter(({ path }) => path === paths[document]).length,
    /** A pipeline's token, signed with the last key. Undefined claims are left out. */
    token: (
      identityId: string,
      claims: Record<string, unknown> = {},
      { header, key = keys.at(-1) }: TokenOptions = {},
    ) => signToken({ url }, key as SigningKey, identityId, claims, header),
    stop: server.stop,
  };
}

export type Issuer = Awaited<ReturnType<typeof startIssuer>>;

export function signToken(
  issuer: { url: string },
  key: SigningKey,
  identityId: string,
  claims: Record<string, unknown> = {},
  header: Record<string, unknown> = {},
): Promise<string> {
  return new SignJWT(claimsOf(issuer, identityId, claims))
    .setProtectedHeader({ alg: key.alg, kid: key.kid, ...header })
    .sign(key.privateKey);
}

export function claimsOf(
  issuer: { url: string },
  identityId: string,
  claims: Record<string, unknown> = {},
): JWTPayload {
  const now = Math.floor(Date.now() / 1000);
  const payload = {
    iss: issuer.url,
    sub: 'repo:acme/web-shop:ref:refs/heads/main',
    aud: audienceOf(identityId),
    iat: now,
    exp: now + 300,
    jti: randomUUID(),
    ...pipeline,
    ...claims,
  };
  return Object.fromEntries(Object.entries(payload).filter(([, value]) => value !== undefined));
}

/** The body for creating an identity that the issuer's pipelines may use. */
export function identityOf(issuer: { url: string }, changes: Record<string, unknown> = {}) {
  const { repository_id, repository_owner_id } = pipeline;
  return {
    name: 'deploy',
    access: 'read',
    role: 'developer',
    issuer: issuer.url,
    claims: { repository_id, repository_owner_id },
    ...changes,
  };
}
