import { verificationKeys } from '../contracts/fields/verification-keys.ts';
import type { ProviderEndpoints, VerificationKey } from '../table/records/identity.ts';

/** An issuer's keys, at least one, and its addresses for signing in if it has them, or why they could not be fetched. */
export type FetchedKeys = { keys: VerificationKey[]; endpoints?: ProviderEndpoints | undefined } | { problem: string };

/** Checks the worker's answer, because the worker connects to hosts that customers choose. Pure. @throws Error */
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
  const supported: readonly unknown[] = Array.isArray(methods) ? methods : [];
  // The specification's default.
  const isBasic = supported.includes('client_secret_basic') || !supported.includes('client_secret_post');
  return readEndpoints({
    authorization: document.authorization_endpoint,
    token: document.token_endpoint,
    userinfo: document.userinfo_endpoint,
    sendsIssuer: document.authorization_response_iss_parameter_supported,
    clientAuthentication: isBasic ? 'client_secret_basic' : 'client_secret_post',
  });
}

function readEndpoints(answer: unknown): ProviderEndpoints | undefined {
  const given = (answer ?? {}) as { readonly [Name in keyof ProviderEndpoints]?: unknown };
  const [authorization, token, userinfo] = [given.authorization, given.token, given.userinfo].map(address);
  if (authorization === undefined || token === undefined) return undefined;
  const isPost = given.clientAuthentication === 'client_secret_post';
  return {
    authorization,
    token,
    userinfo,
    sendsIssuer: given.sendsIssuer === true,
    clientAuthentication: isPost ? 'client_secret_post' : 'client_secret_basic',
  };
}

/** An absolute http or https URL. Whether it is an allowed target is checked when it is used. */
function address(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^[\x21-\x7e]{1,2000}$/.test(value)) return undefined;
  const url = URL.parse(value);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return undefined;
  return url.hash === '' ? url.href : undefined;
}
