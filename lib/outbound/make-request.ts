import { Resolver } from 'node:dns/promises';
import { verificationKeys } from '../contracts/fields/verification-keys.ts';
import { settings } from '../core/settings.ts';
import type { ProviderEndpoints } from '../table/records/identity.ts';
import { type OutboundRequest, type ProviderRequest, requestTimeoutMs } from './ask-worker.ts';
import { endpointsOf, type FetchedKeys } from './discovery.ts';
import { guardedRequest, RequestFailed, readBody, withinTime } from './guarded-request.ts';
import { targetProblem } from './target.ts';

/** Never throws: a failure is part of the answer. */
export function makeRequest(request: OutboundRequest): Promise<object> {
  if ('asked' in request) return askProvider(request.asked);
  if ('domain' in request) return txtRecords(request.domain);
  return fetchIssuerKeys(request.issuer);
}

/** The signing keys that an issuer's discovery document refers to (OpenID Connect Discovery 1.0, section 4). */
async function fetchIssuerKeys(issuer: string): Promise<FetchedKeys> {
  const fetched = await withinTime(requestTimeoutMs, async signal => {
    const target = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const document = membersOf(await fetchJson({ target }, signal));
    const { issuer: documentIssuer, jwks_uri } = document;
    if (documentIssuer !== issuer) throw new RequestFailed('the discovery document is for another issuer');
    if (typeof jwks_uri !== 'string') throw new RequestFailed('the discovery document has no jwks_uri');
    const keys = verificationKeys(await fetchJson({ target: jwks_uri }, signal));
    if (keys.length === 0) throw new RequestFailed('no usable key was found');
    return { keys, endpoints: allowedEndpoints(document) };
  });
  return 'result' in fetched ? fetched.result : fetched;
}

function membersOf(document: unknown): Readonly<Record<string, unknown>> & { issuer?: unknown; jwks_uri?: unknown } {
  return typeof document === 'object' && document !== null ? { ...document } : {};
}

/** Undefined if one of the addresses is not public. */
function allowedEndpoints(document: Readonly<Record<string, unknown>>): ProviderEndpoints | undefined {
  const endpoints = endpointsOf(document);
  const targets = [endpoints?.authorization, endpoints?.token, endpoints?.userinfo].filter(url => url !== undefined);
  return targets.some(target => targetProblem(target) !== undefined) ? undefined : endpoints;
}

/** Posts a code to a provider's token endpoint (OpenID Connect Core 1.0, section 3.1.3), or reads its userinfo. */
async function askProvider(request: ProviderRequest): Promise<{ answer: unknown } | { problem: string }> {
  const response = await withinTime(requestTimeoutMs, signal => fetchJson(request, signal));
  return 'result' in response ? { answer: response.result } : response;
}

/** OIDC documents are a few kilobytes. */
const maximumDocumentBytes = 64 * 1024;

/** @throws RequestFailed, the signal's reason, or an error from Node or undici */
async function fetchJson({ target, form, authorization }: ProviderRequest, signal: AbortSignal): Promise<unknown> {
  const headers = {
    Accept: 'application/json',
    'User-Agent': 'Holdfast/1.0',
    ...(authorization === undefined ? {} : { Authorization: authorization }),
    ...(form === undefined ? {} : { 'Content-Type': 'application/x-www-form-urlencoded' }),
  };
  const body = form && Buffer.from(new URLSearchParams(form).toString());
  const request = body === undefined ? ({ method: 'GET' } as const) : ({ method: 'POST', body } as const);
  const text = await guardedRequest(target, { ...request, headers, signal }, async response => {
    if (response.statusCode !== 200) throw new RequestFailed(`answered ${response.statusCode}`);
    const document = await readBody(response, maximumDocumentBytes);
    if (document === undefined) throw new RequestFailed('the document is larger than 64 KB');
    return document.toString('utf8');
  });
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message quotes the document.
    throw new RequestFailed('the document is not JSON');
  }
}

const maximumRecords = 100;
/** A name's TXT records can be longer together, but the ones that we look for are far shorter. */
const maximumRecordLength = 500;

/**
 * The TXT records of a domain, within six seconds; null if no name server answered. Those of a name that the domain is an
 * alias of don't count: a forgotten CNAME may lead to another person's zone.
 */
async function txtRecords(domain: string): Promise<{ records: string[] | null }> {
  const resolver = new Resolver({ timeout: 2000, tries: 2 });
  const servers = settings().DNS_SERVERS;
  if (servers.length > 0) resolver.setServers(servers);
  const timer = setTimeout(() => resolver.cancel(), 6000);
  // The final dot prevents a search domain from being added.
  const name = `${domain}.`;
  try {
    const [aliases, answers] = await Promise.all([
      resolver.resolveCname(name).catch(noneIfAbsent),
      // Node follows a CNAME without reporting it.
      resolver.resolveTxt(name).catch(noneIfAbsent),
    ]);
    if (aliases.length > 0) return { records: [] };
    // A record longer than 255 bytes comes in pieces (RFC 7208, section 3.3).
    const records = answers.map(pieces => pieces.join(''));
    return { records: records.filter(({ length }) => length <= maximumRecordLength).slice(0, maximumRecords) };
  } catch {
    return { records: null };
  } finally {
    clearTimeout(timer);
  }
}

/** The name, or a record of the type, does not exist: an answer, unlike every other failure. */
function noneIfAbsent(error: NodeJS.ErrnoException): [] {
  if (error.code === 'ENOTFOUND' || error.code === 'ENODATA') return [];
  throw error;
}
