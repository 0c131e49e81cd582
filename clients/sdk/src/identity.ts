import { HoldfastError, isObject } from './errors.ts';
import { createTransport, type TransportOptions } from './transport.ts';

/** An identity and the service it signs in to. */
export interface IdentityOptions extends Pick<TransportOptions, 'url' | 'fetch' | 'userAgent'> {
  /** The slug of its organization. */
  organization: string;
  /** Its id. */
  identity: string;
}

/** A bearer token of an identity. */
export interface IdentityToken {
  token: string;
  /** ISO 8601. */
  expiresAt: string;
  organizationId: string;
}

/** The platform's proof of what runs here: an OpenID Connect token for the audience of one identity. */
export interface Assertion {
  /** Its source, for messages. */
  source: string;
  /** Whether each call returns a new token. The service accepts each token only once. */
  isAlwaysNew: boolean;
  get(): Promise<string>;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** The `aud` that the platform's token must have. */
export function audienceOf(identity: string): string {
  return `holdfast:identity:${identity}`;
}

/** Exchanges the platform's token for a token of the service. Each one can be exchanged once. */
export async function exchangeAssertion(options: IdentityOptions, assertion: string): Promise<IdentityToken> {
  const { url, fetch, userAgent, identity, organization } = options;
  const transport = createTransport({ url, fetch, userAgent, retries: 0 });
  try {
    const { body } = await transport.send({
      method: 'POST',
      path: '/v1/auth/exchange',
      body: { identityId: identity, organizationSlug: organization, subjectToken: assertion },
      repeatable: false,
    });
    return body as IdentityToken;
  } catch (error) {
    // The call that needs the token has not been sent.
    if (error instanceof HoldfastError) error.outcomeUnknown = false;
    throw error;
  }
}

/** Tokens are replaced this long before they expire, so that none expires in transit. */
const replacedBeforeMs = 60_000;

/**
 * A function for `new Holdfast({ token })` that signs in as an identity, and again before the token expires. Concurrent
 * calls share one exchange.
 */
export function identityToken(
  options: IdentityOptions,
  assertion: Pick<Assertion, 'get'>,
  exchange: typeof exchangeAssertion = exchangeAssertion,
): () => Promise<string> {
  let current: { issued: Promise<IdentityToken>; replaceAt: number } | undefined;
  return async () => {
    if (current === undefined || Date.now() >= current.replaceAt) {
      const issuing = (async () => exchange(options, await assertion.get()))();
      const mine = { issued: issuing, replaceAt: Number.POSITIVE_INFINITY };
      current = mine;
      issuing.then(
        ({ expiresAt }) => {
          mine.replaceAt = Date.parse(expiresAt) - replacedBeforeMs;
        },
        () => {
          if (current === mine) current = undefined;
        },
      );
    }
    return (await current.issued).token;
  };
}

/**
 * The platform's token for this process: from a file (`HOLDFAST_ID_TOKEN_FILE`, which Kubernetes projects), a variable
 * (`HOLDFAST_ID_TOKEN`, which GitLab sets), or GitHub Actions, on request.
 */
export function platformAssertion(
  identity: string,
  variables: Variables = globalThis.process?.env ?? {},
  doFetch: typeof fetch = (input, init) => globalThis.fetch(input, init),
): Assertion | undefined {
  const { HOLDFAST_ID_TOKEN_FILE: file, HOLDFAST_ID_TOKEN: token } = variables;
  if (file) {
    return { source: `HOLDFAST_ID_TOKEN_FILE (${file})`, isAlwaysNew: false, get: async () => readText(file) };
  }
  if (token) return { source: 'HOLDFAST_ID_TOKEN', isAlwaysNew: false, get: async () => token };
  const { ACTIONS_ID_TOKEN_REQUEST_URL: url, ACTIONS_ID_TOKEN_REQUEST_TOKEN: bearer } = variables;
  if (!url || !bearer) return undefined;
  return { source: 'GitHub Actions', isAlwaysNew: true, get: () => askGitHub(url, bearer, identity, doFetch) };
}

/** Read on each call, because Kubernetes renews the file. `node:fs` is loaded on demand, since browsers lack it. */
function readText(file: string): string {
  const text = globalThis.process?.getBuiltinModule?.('node:fs').readFileSync(file, 'utf8');
  if (text === undefined) throw new TypeError('HOLDFAST_ID_TOKEN_FILE can only be read by Node 20.16 and newer.');
  return text.trim();
}

const platformTimeoutMs = 10_000;

async function askGitHub(url: string, bearer: string, identity: string, doFetch: typeof fetch): Promise<string> {
  const address = new URL(url);
  address.searchParams.set('audience', audienceOf(identity));
  const failed = (message: string, retryable: boolean, cause?: unknown) =>
    new HoldfastError(message, { code: 'platform_token_unavailable', retryable, cause });
  let answer: { status: number; body: unknown };
  try {
    const response = await doFetch(address, {
      headers: { accept: 'application/json', authorization: `Bearer ${bearer}` },
      // Following a redirect would send the token to an address that the runner did not specify.
      redirect: 'manual',
      signal: AbortSignal.timeout(platformTimeoutMs),
    });
    answer = { status: response.status, body: response.ok ? await response.json() : undefined };
  } catch (error) {
    throw failed('GitHub Actions returned no token: no answer.', true, error);
  }
  const { status, body } = answer;
  if (isObject(body) && typeof body.value === 'string' && body.value !== '') return body.value;
  throw failed(`GitHub Actions returned no token (it answered ${status}).`, status >= 500 || status === 429);
}
