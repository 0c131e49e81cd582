import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, find } from '#lib/table/read.ts';
import { organizationRecord } from '#lib/table/records/organization.ts';
import { emailRecord } from '#lib/table/records/user.ts';
import { transact, update } from '#lib/table/write.ts';
import { type Answer, type Api, createProject, startApi } from '#test/support/api.ts';
import { type NameServer, startNameServer } from '#test/support/name-server.ts';
import { seedPerson } from '#test/support/people.ts';
import { expectStatus } from '#test/support/sample-requests.ts';
import { openBrowser } from '#test/support/sign-in/browser.ts';
import { type OpenIdProvider, startOpenIdProvider } from '#test/support/sign-in/open-id-provider.ts';
import {
  goToProvider,
  logInIn,
  newDomain,
  openCompany,
  redirectUriOf,
  sessionIn,
  sessionThrough,
  settingsPath,
  signIn,
  startUrl,
  takeCallback,
} from '#test/support/sign-in/sign-in.ts';

/* Sign-in with an OpenID provider that this project didn't write. */

let api: Api;
let names: NameServer;
let provider: OpenIdProvider;
const domain = newDomain();

beforeAll(async () => {
  names = await startNameServer();
  api = await startApi({ DNS_SERVERS: names.address });
  provider = await startOpenIdProvider({ redirectUri: redirectUriOf(api), accounts: {} });
});
afterAll(async () => {
  await api?.stop();
  await Promise.all([provider?.stop(), names?.stop()]);
});

/** A person at the provider, whose button has the same name. */
function hire(name: string, of = domain, changes: object = {}): string {
  provider.accounts[name] = { sub: `sub-of-${name}`, email: `${name}@${of}`, email_verified: true, ...changes };
  return `${name}@${of}`;
}

const codeOf = ({ status, body }: Answer) => `${status} ${body.error?.code ?? 'ok'}`;
const me = async (session: { cookie: string }) => (await expectStatus(api.get('/auth/me', session), 200)).body;

describe('the first sign-in', () => {
  it('makes an account without a password, whose address only the provider has verified, and a member with the default role', async () => {
    const company = await openCompany(api, names, provider, { domain, defaultRole: 'viewer' });
    const email = hire('grace', domain, { name: 'Grace Hopper' });
    const browser = openBrowser();

    const { landed, error, session } = await signIn(api, browser, company.slug, { account: 'grace' });

    expect([landed.origin, error]).toEqual([new URL(api.url).origin, undefined]);
    const { user, organizations, authentication } = await me(session as { cookie: string });
    expect(user).toMatchObject({ email, emailVerified: false });
    expect(organizations).toMatchObject([{ slug: company.slug, role: 'viewer' }]);
    expect(authentication).toMatchObject({ method: 'session', secondFactor: false });
    // Whatever is sent as the password, there is none.
    for (const password of ['', 'undefined', 'null', 'a long and boring sentence']) {
      expect((await logInIn(api, openBrowser(), email, password)).status).toBeGreaterThanOrEqual(400);
    }
    const { entries } = (
      await api.get(`/audit/${company.owner.organization.id}?action=member.joined`, company.owner.session)
    ).body;
    expect(entries[0]).toMatchObject({ details: { via: 'provider' }, actor: { id: user.id } });
    const { members } = (await api.get(`/members/${company.owner.organization.id}`, session)).body;
    expect(members.find((one: { email: string }) => one.email === email)).toMatchObject({ role: 'viewer' });
  });

  it('is not repeated: the second one finds the same account and member', async () => {
    const company = await openCompany(api, names, provider);
    hire('edsger', company.domain);
    const first = await me(await sessionThrough(api, company.slug, { account: 'edsger' }));
    const second = await me(await sessionThrough(api, company.slug, { account: 'edsger' }));

    expect(second.user.id).toBe(first.user.id);
    const { members } = (await api.get(`/members/${company.owner.organization.id}`, company.owner.session)).body;
    expect(members).toHaveLength(2);
  });

  it('by two browsers at once makes one account', async () => {
    const company = await openCompany(api, names, provider);
    hire('barbara', company.domain);
    const browsers = Array.from({ length: 6 }, openBrowser);
    const callbacks = await Promise.all(
      browsers.map(browser => goToProvider(api, browser, company.slug, { account: 'barbara' })),
    );

    const outcomes = await Promise.all(
      callbacks.map((callback, index) => takeCallback(api, browsers[index] ?? openBrowser(), callback)),
    );

    const signedIn = outcomes.flatMap(({ session }) => (session === undefined ? [] : [session]));
    expect(signedIn.length).toBeGreaterThan(0);
    expect(new Set(await Promise.all(signedIn.map(async session => (await me(session)).user.id))).size).toBe(1);
    const { members } = (await api.get(`/members/${company.owner.organization.id}`, company.owner.session)).body;
    expect(members).toHaveLength(2);
  });

  it('requires an invitation if there is no default role, and then makes the invited member', async () => {
    const company = await openCompany(api, names, provider, { defaultRole: null });
    const email = hire('donald', company.domain);
    const refused = await signIn(api, openBrowser(), company.slug, { account: 'donald' });
    expect([refused.error, refused.session]).toEqual(['invitation_required', undefined]);
    expect(await find(at(emailRecord, email))).toBeUndefined();
    const invitation = { email: email.toUpperCase(), role: 'admin' };
    await expectStatus(
      api.post(`/members/${company.owner.organization.id}/invite`, invitation, company.owner.session),
      201,
    );

    const session = await sessionThrough(api, company.slug, { account: 'donald' });

    expect((await me(session)).organizations).toMatchObject([{ slug: company.slug, role: 'admin' }]);
    const { members, invitations } = (await api.get(`/members/${company.owner.organization.id}`, company.owner.session))
      .body;
    expect([members.length, invitations]).toEqual([2, []]);
  });

  it('keeps within the members of the plan, also at once', async () => {
    const company = await openCompany(api, names, provider);
    await transact([update(at(organizationRecord, company.slug), { set: { limitOverrides: { maxMembers: 3 } } })]);
    const people = ['m1', 'm2', 'm3', 'm4', 'm5'];
    for (const name of people) hire(name, company.domain);

    const outcomes = await Promise.all(people.map(account => signIn(api, openBrowser(), company.slug, { account })));

    const errors = outcomes.map(({ error }) => error ?? 'ok').toSorted();
    expect(errors.filter(error => error === 'ok')).toHaveLength(2);
    expect(new Set(errors)).toEqual(new Set(['ok', 'plan_limit_exceeded']));
    expect((await find(at(organizationRecord, company.slug)))?.memberCount).toBe(3);
    const accounts = await Promise.all(people.map(name => find(at(emailRecord, `${name}@${company.domain}`))));
    expect(accounts.filter(account => account !== undefined)).toHaveLength(2);
  });
});

describe('the provider', () => {
  it.each(['RS256', 'ES256', 'ES384', 'EdDSA'] as const)('can sign with %s', async algorithm => {
    const signer = await startOpenIdProvider({
      redirectUri: redirectUriOf(api),
      algorithm,
      accounts: { ada: { sub: 'ada', email: 'ada@algorithm.example', email_verified: true } },
    });
    try {
      const company = await openCompany(api, names, signer);
      signer.accounts.ada = { sub: 'ada', email: `ada@${company.domain}`, email_verified: true };
      expect((await me(await sessionThrough(api, company.slug))).user.email).toBe(`ada@${company.domain}`);
    } finally {
      await signer.stop();
    }
  });

  it.each(['client_secret_basic', 'client_secret_post'] as const)('can be one that only knows %s', async method => {
    const special = await startOpenIdProvider({
      redirectUri: redirectUriOf(api),
      accounts: {},
      // Percent-encoded in the header (RFC 6749, 2.3.1), with everything that such encoding changes.
      clientSecret: 'a secret+with/all=of:it%20&"~',
      clientAuthentication: method,
    });
    try {
      const company = await openCompany(api, names, special);
      special.accounts.ada = { sub: 'ada', email: `ada@${company.domain}`, email_verified: true };
      expect((await me(await sessionThrough(api, company.slug))).user.email).toBe(`ada@${company.domain}`);
    } finally {
      await special.stop();
    }
  });

  it('can have the address in userinfo only', async () => {
    const split = await startOpenIdProvider({ redirectUri: redirectUriOf(api), accounts: {}, emailIn: 'userinfo' });
    try {
      const company = await openCompany(api, names, split);
      split.accounts.ada = { sub: 'ada', email: `Ada@${company.domain.toUpperCase()}`, email_verified: true };
      const first = await me(await sessionThrough(api, company.slug));
      expect(first.user.email.toLowerCase()).toBe(`ada@${company.domain}`);
      expect((await api.get(`/auth/sign-in?email=${first.user.email}`)).body.organization.slug).toBe(company.slug);
    } finally {
      await split.stop();
    }
  });

  it('is asked with PKCE, a state and a nonce, none of which is used twice', async () => {
    const company = await openCompany(api, names, provider);
    hire('alan', company.domain);
    const before = provider.asked.length;
    for (let round = 0; round < 2; round += 1) await sessionThrough(api, company.slug, { account: 'alan' });

    const asked = provider.asked.slice(before).map(parameters => Object.fromEntries(parameters));
    expect(asked).toHaveLength(2);
    for (const parameters of asked) {
      expect(parameters).toMatchObject({
        response_type: 'code',
        client_id: provider.client.clientId,
        redirect_uri: redirectUriOf(api, company.slug),
        code_challenge_method: 'S256',
      });
      expect(parameters.scope?.split(' ')).toEqual(expect.arrayContaining(['openid', 'email']));
      expect(parameters.code_challenge).toMatch(/^[\w-]{43}$/);
      // At least 128 bits (RFC 6749, 10.10).
      expect(parameters.state).toMatch(/^[\w.~-]{22,}$/);
      expect(parameters.nonce).toMatch(/^[\w.~-]{22,}$/);
    }
    for (const name of ['state', 'nonce', 'code_challenge']) {
      expect(new Set(asked.map(parameters => parameters[name])).size, name).toBe(2);
    }
  });

  it('can refuse: the person is told so, and nothing is written to the organization’s log', async () => {
    const company = await openCompany(api, names, provider);
    const { error, session } = await signIn(api, openBrowser(), company.slug, { account: '' });

    expect([error, session]).toEqual(['provider_refused', undefined]);
    const { entries } = (
      await api.get(`/audit/${company.owner.organization.id}?action=sign_in.refused`, company.owner.session)
    ).body;
    expect(entries).toEqual([]);
  });

  it('can add parameters to the callback that nobody asked for', async () => {
    const company = await openCompany(api, names, provider);
    hire('niklaus', company.domain);
    const browser = openBrowser();
    const callback = await goToProvider(api, browser, company.slug, { account: 'niklaus' });
    callback.search += '&session_state=a.b&authuser=0&prompt=none&hd=example.com&scope=openid%20email';

    expect((await takeCallback(api, browser, callback)).error).toBeUndefined();
    expect(sessionIn(api, browser)).toBeDefined();
  });
});

describe('after the sign-in', () => {
  it('the browser is on the page it wanted', async () => {
    const company = await openCompany(api, names, provider);
    hire('katherine', company.domain);
    const to = `/${company.slug}/shop?tab=secrets`;

    const { landed } = await signIn(api, openBrowser(), company.slug, { account: 'katherine', to });

    expect(landed.pathname + landed.search).toBe(to);
    expect(landed.hash).toBe('');
  });

  it('the member has the rights of the role', async () => {
    const company = await openCompany(api, names, provider);
    hire('margaret', company.domain);
    const project = await createProject(api, company.owner);
    const session = await sessionThrough(api, company.slug, { account: 'margaret' });
    const dev = `/secrets/${company.slug}/${project.slug}/dev`;

    expect(codeOf(await api.put(dev, { key: 'A', value: 'a' }, session))).toBe('201 ok');
    expect(codeOf(await api.get(dev, session))).toBe('200 ok');
    expect(codeOf(await api.get(`/secrets/${company.slug}/${project.slug}/production`, session))).toBe('403 forbidden');
    expect(codeOf(await api.get(settingsPath(company.owner), session))).toBe('403 forbidden');
  });

  it('a session that the browser had before is another one', async () => {
    const company = await openCompany(api, names, provider);
    hire('radia', company.domain);
    const browser = openBrowser();
    await signIn(api, browser, company.slug, { account: 'radia' });
    const before = sessionIn(api, browser)?.cookie;
    await signIn(api, browser, company.slug, { account: 'radia' });

    expect(sessionIn(api, browser)?.cookie).not.toBe(before);
  });
});

describe('the question how an address can sign in', () => {
  const methodsOf = async (email: string) => api.get(`/auth/sign-in?email=${encodeURIComponent(email)}`);

  it('names the organization of a verified domain, whoever asks for whatever address of it', async () => {
    const company = await openCompany(api, names, provider);
    const known = hire('frances', company.domain);
    await sessionThrough(api, company.slug, { account: 'frances' });
    const answers = await Promise.all(
      [known, known.toUpperCase(), `nobody@${company.domain}`, `x+y@${company.domain}`].map(methodsOf),
    );

    for (const { status, body } of answers) {
      expect([status, body]).toEqual([200, answers[0]?.body]);
      expect(body).toEqual({
        methods: ['password', 'passkey', 'provider'],
        organization: { slug: company.slug, name: expect.any(String) },
      });
    }
  });

  it('tells nothing about addresses of any other domain: known, unknown, of an owner, of an unverified domain', async () => {
    const company = await openCompany(api, names, provider);
    const [known, verified] = await Promise.all([seedPerson(), seedPerson({ emailVerified: true })]);
    const unverified = newDomain();
    const { signIn: stored } = (await api.get(settingsPath(company.owner), company.owner.session)).body;
    const { issuer, clientId, defaultRole } = stored;
    const body = { issuer, clientId, defaultRole, domains: [company.domain, unverified] };
    await expectStatus(api.put(settingsPath(company.owner), body, company.owner.session), 200);

    const answers = await Promise.all(
      [
        known.email,
        verified.email,
        company.owner.email,
        'nobody@example.com',
        `somebody@${unverified}`,
        `somebody@sub.${company.domain}`,
        `somebody@not${company.domain}`,
        `somebody@${company.domain}.example.com`,
      ].map(methodsOf),
    );

    for (const answer of answers) {
      expect([answer.status, answer.body]).toEqual([200, { methods: ['password', 'passkey'] }]);
      expect([...answer.headers.keys()]).toEqual([...(answers[0]?.headers.keys() ?? [])]);
    }
  });
});

describe('a start', () => {
  it.each(['no-such-organization', 'x', 'UPPER', '..%2f..'])(
    'for %s creates nothing and leads nowhere else',
    async slug => {
      const page = await openBrowser().open(startUrl(api, slug));

      expect([302, 400, 404]).toContain(page.status);
      if (page.status === 302) expect(page.location?.origin).toBe(new URL(api.url).origin);
    },
  );

  it('looks the same for an organization without a provider and for one that does not exist', async () => {
    const { organization } = await seedPerson();
    const ends = await Promise.all(
      [organization.slug, 'no-such-organization-at-all'].map(async slug => {
        const page = await openBrowser().open(startUrl(api, slug));
        return [page.status, page.location?.href, page.headers.getSetCookie().length];
      }),
    );

    expect(ends[0]).toEqual(ends[1]);
  });
});
