import type { ServerResponse } from 'node:http';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { seedPerson } from '../support/people.ts';
import { expectStatus } from '../support/sample-requests.ts';
import { type Browser, openBrowser, type Page } from '../support/sign-in/browser.ts';
import { type Company, openOwnCompany, useSignIn } from '../support/sign-in/scene.ts';
import {
  goToProvider,
  logInIn,
  newDomain,
  openCompany,
  sessionIn,
  signIn,
  startUrl,
  takeCallback,
} from '../support/sign-in/sign-in.ts';
import { changesBetween, snapshotOf } from '../support/table-diff.ts';
import { words } from '../support/words.ts';

/* Attacks on a sign-in through the browser of the person or of the attacker. */

const domain = newDomain();
const email = `ada@${domain}`;
const scene = useSignIn(
  { sub: 'ada', email, email_verified: true },
  { LOG_LEVEL: 'SILENT', LOGIN_FAILURE_LIMIT: '10' },
);
const { api, names, provider } = scene;
let company: Company;

beforeAll(async () => {
  company = await openCompany(api, names, provider, { domain });
});
afterEach(() => {
  provider.script = {};
});

const passing = ['startedSignIn', 'rate', 'issuerKeys'];
const errorOf = ({ location }: Page) => new URLSearchParams(location?.hash.slice(1)).get('error') ?? undefined;
const idOf = async (browser: Browser) => (await api.get('/auth/me', sessionIn(api, browser))).body.user?.id;

describe('a callback', () => {
  it('in a browser that started nothing signs nobody in (log-in CSRF), and leaves the code unused', async () => {
    const callback = await goToProvider(api, openBrowser(), company.slug);
    const tokens = provider.requests('token');

    const { error, session } = await takeCallback(api, openBrowser(), callback);

    expect([error, session]).toEqual(['sign_in_expired', undefined]);
    expect(provider.requests('token')).toBe(tokens);
  });

  it('in a browser that started another one keeps that browser’s session', async () => {
    const [attacker, victim] = [openBrowser(), openBrowser()];
    const person = await seedPerson();
    await expectStatus(logInIn(api, victim, person.email), 200);
    const callback = await goToProvider(api, attacker, company.slug);
    await goToProvider(api, victim, company.slug);

    const { error } = await takeCallback(api, victim, callback);

    expect(error).toBe('sign_in_expired');
    expect(await idOf(victim)).toBe(person.user.id);
  });

  it('with the code of another browser’s sign-in and its own state is refused: the nonce is another', async () => {
    const [attacker, victim] = [openBrowser(), openBrowser()];
    const stolen = await goToProvider(api, victim, company.slug);
    const own = await goToProvider(api, attacker, company.slug);
    own.searchParams.set('code', stolen.searchParams.get('code') ?? '');
    const before = await snapshotOf(passing);

    const { error, session } = await takeCallback(api, attacker, own);

    expect(session).toBeUndefined();
    expect(['invalid_answer', 'provider_unavailable', 'provider_refused']).toContain(error);
    expect(changesBetween(before, await snapshotOf(passing))).toEqual([]);
  });

  it('that was used signs nobody in again', async () => {
    const browser = openBrowser();
    const callback = await goToProvider(api, browser, company.slug);
    const cookies = browser.cookies(api.url).map(({ line }) => line);
    expect((await takeCallback(api, browser, callback)).error).toBeUndefined();

    const again = openBrowser();
    for (const line of cookies) again.setCookie(callback, line);
    expect((await takeCallback(api, again, callback)).error).toBe('sign_in_expired');
    expect(sessionIn(api, again)).toBeUndefined();
  });

  it('works for each of two sign-ins that one browser has started in two tabs, or says that it expired', async () => {
    const browser = openBrowser();
    const first = await goToProvider(api, browser, company.slug);
    const second = await goToProvider(api, browser, company.slug);

    expect((await takeCallback(api, browser, second)).error).toBeUndefined();
    expect([undefined, 'sign_in_expired']).toContain((await takeCallback(api, browser, first)).error);
  });

  it('does not take over a session that somebody planted in the browser: it gets a new one', async () => {
    const browser = openBrowser();
    const attacker = await seedPerson();
    browser.setCookie(api.url, `${attacker.session.cookie}; Path=/`);

    await signIn(api, browser, company.slug);

    expect(sessionIn(api, browser)?.cookie).not.toBe(attacker.session.cookie);
    expect(await idOf(browser)).not.toBe(attacker.user.id);
    expect((await api.get('/auth/me', attacker.session)).body.user.id).toBe(attacker.user.id);
  });

  it('works with two cookies of a name only if the right one counts', async () => {
    const browser = openBrowser();
    const callback = await goToProvider(api, browser, company.slug);
    const [pair = ''] = browser.cookieHeader(callback).split('; ');
    const [name = ''] = pair.split('=');
    const page = await openBrowser().open(callback, { headers: { cookie: `${name}=planted; ${pair}` } });

    // It must not be the planted one that a session is made for.
    expect([undefined, 'sign_in_expired']).toContain(errorOf(page));
  });
});

describe('the cookie of a start', () => {
  it('is kept from scripts and from other paths, ends within ten minutes, and comes back from another site', async () => {
    const page = await openBrowser().open(startUrl(api, company.slug));
    const [line = '', ...more] = page.headers.getSetCookie();

    expect(more).toEqual([]);
    expect(line).toMatch(/;\s*HttpOnly/i);
    // Strict would not be sent with the provider's redirect.
    expect(line).toMatch(/;\s*SameSite=Lax/i);
    expect(line).toMatch(/;\s*Path=\/v1\/auth\/provider/i);
    expect(Number(/Max-Age=(\d+)/i.exec(line)?.[1])).toBeLessThanOrEqual(600);
    expect(page.headers.get('cache-control')).toMatch(/no-store/);
    expect(page.headers.get('referrer-policy') ?? 'no-referrer').toMatch(/no-referrer|same-origin|strict-origin/);
  });

  it('says nothing about the state, the nonce or the verifier, and the address nothing about the cookie', async () => {
    const browser = openBrowser();
    const { location } = await browser.open(startUrl(api, company.slug));
    const [cookie] = browser.cookies(api.url);
    for (const name of ['state', 'nonce', 'code_challenge']) {
      expect(cookie?.value).not.toContain(location?.searchParams.get(name) ?? '');
      expect(location?.href).not.toContain(cookie?.value);
    }
  });

  it('is gone after the sign-in', async () => {
    const browser = openBrowser();
    await signIn(api, browser, company.slug);
    expect(browser.cookies(api.url).map(({ name }) => name)).toEqual(['__service_session']);
  });
});

describe('two organizations’ providers', () => {
  it('can’t be mixed up: a code of one is never sent to the other (RFC 9700, 4.4)', async () => {
    const { slug, provider: evil } = await openOwnCompany(scene, 'ada');
    // The attacker's provider sends the browser on to the honest one, with its own state, to get a code of it.
    const authorization = (response: ServerResponse, { path }: { path: string }) => {
      const to = new URL(`${provider.url}/authorize`);
      to.search = new URL(path, evil.url).search;
      to.searchParams.set('client_id', provider.client.clientId);
      response.writeHead(302, { location: to.href }).end();
    };
    evil.script = { parts: { authorization } };
    const items = await snapshotOf([...passing, 'audit', 'auditCount']);

    const { error, session } = await signIn(api, openBrowser(), slug);

    expect([error, session]).toEqual(['invalid_answer', undefined]);
    expect(evil.requests('token')).toBe(0);
    expect(changesBetween(items, await snapshotOf([...passing, 'audit', 'auditCount']))).toEqual([]);
  });

  it('that share an issuer don’t accept each other’s tokens: the client is another', async () => {
    const domain = newDomain();
    const { url, client } = provider;
    const registered = { url, client: { ...client, clientId: `${client.clientId}-twin` } };
    const twin = await openCompany(api, names, registered, { domain });
    provider.script = { person: { sub: 'twin', email: `twin@${domain}` } };

    const { error, session } = await signIn(api, openBrowser(), twin.slug);

    // The provider knows one client only, and its tokens name that one.
    expect(session).toBeUndefined();
    expect(error).toBeDefined();
  });

  it('keep their callbacks apart: a state of one is nothing at the other', async () => {
    const browser = openBrowser();
    const other = await openOwnCompany(scene, 'eve');
    const first = await goToProvider(api, browser, company.slug);
    const own = await goToProvider(api, browser, other.slug);
    own.searchParams.set('state', first.searchParams.get('state') ?? '');
    own.searchParams.delete('iss');

    const { error, session } = await takeCallback(api, browser, own);

    expect(session).toBeUndefined();
    expect(['sign_in_expired', 'invalid_answer']).toContain(error);
  });
});

describe('a page of another site', () => {
  const start = async (fetchSite: string, slug = company.slug) => {
    const headers = { 'sec-fetch-site': fetchSite };
    const { location, ...page } = await openBrowser().open(startUrl(api, slug), { headers });
    return { headers: page.headers, href: location?.href, origin: location?.origin };
  };

  it.each(['cross-site', 'same-site'])('can’t start a sign-in in its visitors’ browsers: %s', async fetchSite => {
    const { headers, href } = await start(fetchSite);
    expect(href).toBe(`${new URL(api.url).origin}/log-in#error=start_here`);
    expect(headers.getSetCookie()).toEqual([]);
  });

  it('has no part in one that the dashboard starts', async () => {
    expect((await start('same-origin')).origin).toBe(provider.url);
  });

  it('is not needed by a link from an e-mail, even to a provider whose responses don’t name it', async () => {
    const other = await openOwnCompany(scene, 'eve');
    other.provider.script = { discovery: { authorization_response_iss_parameter_supported: false } };
    expect((await start('none', other.slug)).origin).toBe(other.provider.url);
    expect((await start('none')).origin).toBe(provider.url);
  });
});

describe('the page to go to afterwards', () => {
  const addresses = words(String.raw`https://evil.example //evil.example ///evil.example /\evil.example \\evil.example
    /%5cevil.example /%2f/evil.example /%2fevil.example /%252fevil.example /.//evil.example /..//evil.example
    /a/..//evil.example /%09/evil.example /%0d%0aSet-Cookie:%20a=b javascript:alert(1) data:text/html,a evil.example
    @evil.example .evil.example :8000/ /#error=none /log-in#error=second_factor_required /v1/auth/provider/acme/start
    /a/../v1/auth/logout`);
  const special = ['/\t/evil.example', '/\n/evil.example', '/\r\nSet-Cookie: a=b', '/\u0000', '/\u2028', ''];

  it.each([...addresses, ...special, '/\uff0fevil.example', `/${'a'.repeat(5000)}`])(
    'is never anywhere else: %j',
    async to => {
      const browser = openBrowser();
      const page = await browser.open(startUrl(api, company.slug, { to }));
      const own = new URL(api.url).origin;

      for (const line of page.headers.getSetCookie()) expect(line).toMatch(/^__service_/);
      if (page.location === undefined) {
        expect(page.status).toBe(400);
        return;
      }
      if (page.location.origin === own) {
        expect(page.location.pathname).toBe('/log-in');
        return;
      }
      // It was dropped, and the sign-in goes on.
      const end = await browser.follow(page, url => url.origin === own && !url.pathname.startsWith('/v1/'));
      expect(end.location?.origin).toBe(own);
      expect(end.headers.get('location')).not.toContain('evil');
      expect(end.headers.get('location')).toMatch(/^(?:https?:\/\/[^/]+)?\/(?![/\\])/);
      expect(end.headers.get('set-cookie')).not.toContain('a=b');
    },
  );

  it.each(['stepUp=maybe', 'stepUp=true&stepUp=true', 'to=/a&to=//evil.example', 'unknown=1', 'client_id=x'])(
    'and other parameters can’t be tampered with: %s',
    async query => {
      const page = await openBrowser().open(`${startUrl(api, company.slug)}?${query}`);
      if (page.location === undefined) {
        expect(page.status).toBe(400);
        return;
      }
      expect([new URL(api.url).origin, provider.url]).toContain(page.location.origin);
      expect(page.location.searchParams.getAll('client_id').filter(id => id !== provider.client.clientId)).toEqual([]);
    },
  );
});

describe('a thousand starts from one address', () => {
  it('are bounded, whatever the headers say, and another address is not', async () => {
    const fetched = provider.requests('discovery');
    const stored = (await snapshotOf([])).size;
    const start = async (index: number) => {
      const address = `203.0.113.${index}`;
      const headers = {
        'x-forwarded-for': address,
        forwarded: `for=${address}`,
        'x-real-ip': address,
        'cf-connecting-ip': address,
        'x-viewer-address': `${address}:443`,
        'cloudfront-viewer-address': `${address}:443`,
      };
      const page = await openBrowser().open(startUrl(api, company.slug), { headers });
      return errorOf(page) ?? (page.location?.origin === provider.url ? 'started' : `${page.status}`);
    };
    const ends: string[] = [];
    for (let batch = 0; batch < 20; batch += 1) {
      ends.push(...(await Promise.all(Array.from({ length: 50 }, (_, index) => start(index)))));
    }

    const started = ends.filter(end => end === 'started').length;
    expect(started).toBeGreaterThan(0);
    expect(started).toBeLessThanOrEqual(300);
    expect(ends.filter(end => end === 'rate_limited').length).toBeGreaterThan(300);
    expect(ends.at(-1)).toBe('rate_limited');
    // Each leaves at most one item, and none of them asks the provider.
    expect((await snapshotOf([])).size - stored).toBeLessThanOrEqual(started + 10);
    expect(provider.requests('discovery') - fetched).toBeLessThanOrEqual(2);
    expect(new Set(ends)).toEqual(new Set(['started', 'rate_limited']));
  });

  it('don’t stop questions how to sign in for ever, which are bounded too', async () => {
    const statuses: number[] = [];
    for (let batch = 0; batch < 20; batch += 1) {
      const ask = (index: number) => api.get(`/auth/sign-in?email=p${batch}-${index}@${company.domain}`);
      const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => ask(index)));
      statuses.push(...answers.map(({ status }) => status));
    }
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
  });
});
