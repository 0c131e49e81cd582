import { HoldfastError } from './errors.ts';
import { noIdToken } from './id-token-failure.ts';
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
  /** Whether each call returns a new token. Others may return a token that was already exchanged. */
  isAlwaysNew: boolean;
  get(): Promise<string>;
}

export type Variables = Readonly<Record<string, string | undefined>>;

/** What a source gets its token with. */
export interface IdTokenRequest {
  audience: string;
  variables: Variables;
  fetch: typeof globalThis.fetch;
}

/** The `aud` that the platform's token must have. */
export function audienceOf(identity: string): string {
  return `holdfast:identity:${identity}`;
}

/** Exchanges the platform's token for a token of the service: once, if the identity is `singleUse`. */
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
 * A function for `new Holdfast({ token })` that signs in as an identity, again before the token expires, and again if
 * the service rejected the token. Concurrent calls share one exchange.
 * @param exchange gets the rejected token too, so that it doesn't return that one from a cache
 */
export function identityToken(
  options: IdentityOptions,
  assertion: Pick<Assertion, 'get'>,
  exchange: (
    options: IdentityOptions,
    assertion: string,
    rejected?: string,
  ) => Promise<IdentityToken> = exchangeAssertion,
): (rejected?: string) => Promise<string> {
  let current: { issued: Promise<IdentityToken>; replaceAt: number } | undefined;
  return async rejected => {
    const known = current;
    if (rejected !== undefined && (await known?.issued.catch(() => undefined))?.token === rejected) {
      // Another call may have replaced it meanwhile.
      if (current === known) current = undefined;
    }
    if (current === undefined || Date.now() >= current.replaceAt) {
      const issuing = (async () => exchange(options, await assertion.get(), rejected))();
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

/** A token in a form that can't be one is not sent, and never quoted. */
export function checkIdToken(title: string, text: unknown): string {
  const token = typeof text === 'string' ? text.trim() : '';
  if (/^[\x20-\x7e]+$/.test(token)) return token;
  const problem = token === '' ? 'no token' : 'something other than a token';
  throw noIdToken(`${title} provided ${problem}: it must be one line of printable ASCII characters.`);
}
