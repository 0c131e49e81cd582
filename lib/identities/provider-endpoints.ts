import type { ProviderEndpoints } from '../table/records/issuer-keys.ts';

const maximumLength = 2000;

/** An absolute http or https URL; where it leads is checked when it is used. */
function address(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > maximumLength || !/^[\x21-\x7e]+$/.test(value)) return undefined;
  const url = URL.parse(value);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return undefined;
  return url.hash === '' ? url.href : undefined;
}

/**
 * What a discovery document says about signing in (OpenID Connect Discovery 1.0, section 3). Pure.
 * @returns undefined if it lacks one of the addresses, or knows no way for a client to authenticate
 */
export function endpointsOf(document: Readonly<Record<string, unknown>>): ProviderEndpoints | undefined {
  const { token_endpoint_auth_methods_supported: methods, userinfo_endpoint, token_endpoint } = document;
  // The default of the specification.
  const known = Array.isArray(methods) ? methods : ['client_secret_basic'];
  return readEndpoints({
    authorization: document.authorization_endpoint,
    token: token_endpoint,
    userinfo: userinfo_endpoint,
    sendsIssuer: document.authorization_response_iss_parameter_supported === true,
    clientAuthentication:
      known.includes('client_secret_basic') || !known.includes('client_secret_post')
        ? 'client_secret_basic'
        : 'client_secret_post',
  });
}

/** The same from the function that fetched it, which is not trusted. Pure. */
export function readEndpoints(answer: unknown): ProviderEndpoints | undefined {
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
