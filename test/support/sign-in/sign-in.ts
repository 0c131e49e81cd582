import { randomBytes } from 'node:crypto';
import type { Answer, Api } from '../api.ts';
import type { NameServer } from '../name-server.ts';
import { type Person, seedPerson, testPassword } from '../people.ts';
import { expectStatus } from '../sample-requests.ts';
import type { App } from '../second-factors.ts';
import { type Browser, openBrowser, type Page } from './browser.ts';

interface Registered {
  url: string;
  client: { clientId: string; clientSecret: string };
}

/** A domain that no other test uses. */
export function newDomain(): string {
  return `${randomBytes(6).toString('hex')}.example`;
}

/** The redirect URI of an organization, or with a `*` those of all. */
export const redirectUriOf = (api: Api, slug = '*') => `${api.url}/auth/provider/${slug}/callback`;
export const settingsPath = ({ organization }: Pick<Person, 'organization'>) => `/orgs/${organization.id}/sign-in`;

/** The body that makes the provider the organization's. */
export function settingsOf({ url, client }: Registered, domain: string, changes: Record<string, unknown> = {}) {
  return { issuer: url, ...client, domains: [domain], defaultRole: 'developer', ...changes };
}

/** Publishes the record that the settings ask for, and has it looked up. */
export async function verifyDomain(api: Api, owner: Person, names: NameServer, domain: string): Promise<Answer> {
  const { body } = await expectStatus(api.get(settingsPath(owner), owner.session), 200);
  const { txtRecord } = body.signIn.domains.find((entry: { domain: string }) => entry.domain === domain);
  names.set(domain, [['v=spf1 -all'], [txtRecord]]);
  return api.post(`${settingsPath(owner)}/domains/verify`, { domain }, owner.session);
}

/** An organization whose people sign in with the provider: its domain is verified. */
export async function openCompany(
  api: Api,
  names: NameServer,
  provider: Registered,
  { domain = newDomain(), ...changes }: Record<string, unknown> & { domain?: string } = {},
): Promise<{ owner: Person; domain: string; slug: string }> {
  const owner = await seedPerson({ emailVerified: true });
  await expectStatus(api.put(settingsPath(owner), settingsOf(provider, domain, changes), owner.session), 200);
  await expectStatus(verifyDomain(api, owner, names, domain), 200);
  return { owner, domain, slug: owner.organization.slug };
}

export interface Outcome {
  landed: URL;
  /** The code in `/log-in#error=<code>`. */
  error: string | undefined;
  session: { cookie: string } | undefined;
}

const cookieName = '__service_session';

export function startUrl(api: Api, slug: string, query: Record<string, string> = {}): string {
  const search = new URLSearchParams(query).toString();
  return `${api.url}/auth/provider/${slug}/start${search === '' ? '' : `?${search}`}`;
}

/** Presses the account's button where the provider shows its log-in page. */
async function passProvider(
  browser: Browser,
  page: Page,
  account: string,
  isOver: (url: URL) => boolean,
): Promise<Page> {
  const reached = await browser.follow(page, isOver);
  const isAsked = reached.location === undefined && reached.url.pathname.startsWith('/interaction/');
  return isAsked ? browser.follow(await browser.open(reached.url, { form: { account } }), isOver) : reached;
}

/** Goes to the provider and back, up to the callback, which is not requested. */
export async function goToProvider(
  api: Api,
  browser: Browser,
  slug: string,
  { account = 'ada', ...query }: Record<string, string> = {},
  started: (state: string) => unknown = () => undefined,
): Promise<URL> {
  const isCallback = (url: URL) => url.href.startsWith(redirectUriOf(api, slug));
  const start = await browser.open(startUrl(api, slug, query));
  started(start.location?.searchParams.get('state') ?? '');
  const page = await passProvider(browser, start, account, isCallback);
  if (page.location === undefined) throw new Error(`The provider answered ${page.status}: ${page.text}`);
  return page.location;
}

export async function takeCallback(api: Api, browser: Browser, callback: URL): Promise<Outcome> {
  return outcomeOf(api, browser, await browser.open(callback));
}

/** Signs in with the provider, from the start to the dashboard. */
export async function signIn(
  api: Api,
  browser: Browser,
  slug: string,
  { account = 'ada', ...query }: Record<string, string> = {},
): Promise<Outcome> {
  const isDashboard = (url: URL) => url.origin === new URL(api.url).origin && !url.pathname.startsWith('/v1/');
  const start = await browser.open(startUrl(api, slug, query));
  return outcomeOf(api, browser, await passProvider(browser, start, account, isDashboard));
}

function outcomeOf(api: Api, browser: Browser, { location, status, text, url }: Page): Outcome {
  if (location === undefined) throw new Error(`${url.origin}${url.pathname} answered ${status}: ${text.slice(0, 500)}`);
  const error = new URLSearchParams(location.hash.slice(1)).get('error') ?? undefined;
  return { landed: location, error, session: sessionIn(api, browser) };
}

export function sessionIn(api: Api, browser: Browser): { cookie: string } | undefined {
  const cookie = browser.cookies(api.url).find(({ name }) => name === cookieName);
  return cookie === undefined ? undefined : { cookie: `${cookieName}=${cookie.value}` };
}

/** Logs in with the password in that browser, which keeps the session. */
export async function logInIn(api: Api, browser: Browser, email: string, password = testPassword): Promise<Answer> {
  return requestIn(api, browser, '/auth/login', { email, password });
}

export async function requestIn(api: Api, browser: Browser, path: string, body: unknown): Promise<Answer> {
  const cookie = browser.cookieHeader(api.url + path);
  const headers = { 'x-requested-with': 'service', ...(cookie === '' ? {} : { cookie }) };
  const answer = await api.call('POST', path, { body, headers });
  for (const line of answer.headers.getSetCookie()) browser.setCookie(api.url + path, line);
  return answer;
}

/** A session of a new browser. @throws Error naming the code if the provider's person is refused */
export async function sessionThrough(
  api: Api,
  slug: string,
  query: Record<string, string> = {},
): Promise<{ cookie: string }> {
  const { session, error } = await signIn(api, openBrowser(), slug, query);
  if (session === undefined) throw new Error(`Signing in ended with ${error}.`);
  return session;
}

/** Answers the question for the account's own factor, for which a sign-in waits in that browser. */
export async function answerFactor(api: Api, browser: Browser, { code }: Pick<App, 'code'>): Promise<Answer> {
  const { challenge } = (await expectStatus(requestIn(api, browser, '/auth/provider/factor', {}), 200)).body;
  return requestIn(api, browser, '/auth/login/verify', { challenge, totp: code() });
}
