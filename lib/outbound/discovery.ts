import { verificationKeys } from '../contracts/fields/verification-keys.ts';
import type { ProviderEndpoints, VerificationKey } from '../table/records/identity.ts';

/** An issuer's keys, at least one, and its addresses for signing in if it has them, or why they could not be fetched. */
export type FetchedKeys = { keys: VerificationKey[]; endpoints?: ProviderEndpoints | undefined } | { problem: string };

/**
 * The worker connects to hosts that customers choose, so its answer is not trusted: keys are filtered again, and a
 * problem is one short line. Pure.
 * @throws Error if the answer is neither
 */
export function readFetchedKeys(answer: unknown): FetchedKeys {
  const keys = verificationKeys(answer);
  const { endpoints, problem } = (answer ?? {}) as { endpoints?: unknown; problem?: unknown };
  if (keys.length > 0) return { keys, endpoints: readEndpoints(endpoints) };
  if (typeof problem === 'string' && /^[\x20-\x7e]{1,200}$/.test(problem)) return { problem };
  throw new Error('The function returned neither keys nor a problem.');
}

/**
 * What a discovery document says about signing in (OpenID Connect Discovery 1.0, section 3). Pure.
 * @returns undefined if it lacks one of the addresses
 */
export function endpointsOf(document: Readonly<Record<string, unknown>>): ProviderEndpoints | undefined {
  const { token_endpoint_auth_methods_supported: methods } = document;
  // `client_secret_basic` is the specification's default.
  const isPostOnly =
    Array.isArray(methods) && methods.includes('client_secret_post') && !methods.includes('client_secret_basic');
  return readEndpoints({
    authorization: document.authorization_endpoint,
    token: document.token_endpoint,
    userinfo: document.userinfo_endpoint,
    sendsIssuer: document.authorization_response_iss_parameter_supported === true,
    clientAuthentication: isPostOnly ? 'client_secret_post' : 'client_secret_basic',
  });
}

/** The same from the worker's answer. */
function readEndpoints(answer: unknown): ProviderEndpoints | undefined {
  const given = (answer ?? {}) as { readonly [Name in keyof ProviderEndpoints]?: unknown };
  const [authorization, token, userinfo] = [given.authorization, given.token, given.userinfo].map(address);
  if (authorization === undefined || token === undefined) return undefined;
  return {
    authorization,
    token,
    ...(userinfo === undefined ? {} : { userinfo }),
    sendsIssuer: given.sendsIssuer === true,
    clientAuthentication:
      given.clientAuthentication === 'client_secret_post' ? 'client_secret_post' : 'client_secret_basic',
  };
}

const maximumAddressLength = 2000;

/** An absolute http or https URL. Whether it is an allowed target is checked when it is used. */
function address(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > maximumAddressLength || !/^[\x21-\x7e]+$/.test(value))
    return undefined;
  const url = URL.parse(value);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return undefined;
  return url.hash === '' ? url.href : undefined;
}
