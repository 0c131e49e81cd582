import { describe, expect, it, onTestFinished } from 'vitest';
import { at, find } from '#lib/table/read.ts';
import { organizationRecord } from '#lib/table/records/organization.ts';
import { emailRecord } from '#lib/table/records/user.ts';
import { transact, update } from '#lib/table/write.ts';
import { type Caller, codeOf, createProject } from '#test/support/api.ts';
import { seedPerson } from '#test/support/people.ts';
import { expectStatus, invite } from '#test/support/sample-requests.ts';
import { type Browser, openBrowser } from '#test/support/sign-in/browser.ts';
import { startOpenIdProvider } from '#test/support/sign-in/open-id-provider.ts';
import { type Company, hire, useOpenIdProvider } from '#test/support/sign-in/scene.ts';
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

const { api, names, provider } = useOpenIdProvider();

async function openWithNewcomer(changes: Record<string, unknown> = {}, claims: { name?: string } = {}) {
  const company = await openCompany(api, names, provider, changes);
  const account = hire(provider, company.domain, claims);
  const enter = (query: Record<string, string> = {}, browser = openBrowser()) =>
    signIn(api, browser, company.slug, { account, ...query });
  const session = () => sessionThrough(api, company.slug, { account });
  return { company, account, email: `${account}@${company.domain}`, enter, session };
}

const me = async (session: Caller) => (await expectStatus(api.get('/auth/me', session), 200)).body;
const rosterOf = async ({ owner }: Company) => (await api.get(`/members/${owner.organization.id}`, owner.session)).body;
const entriesOf = async ({ owner }: Company, action: string) =>
  (await api.get(`/audit/${owner.organization.id}?action=${action}`, owner.session)).body.entries;

describe('the first sign-in', () => {
  it('makes an account without a password, whose address only the provider has verified, and a member with the default role', async () => {
    const { company, email, enter } = await openWithNewcomer({ defaultRole: 'viewer' }, { name: 'Grace Hopper' });
    const { landed, error, session } = await enter();

    expect([landed.origin, error]).toEqual([new URL(api.url).origin, undefined]);
    const { user, organizations, authentication } = await me(session);
    expect(user).toMatchObject({ email, emailVerified: false });
    expect(organizations).toMatchObject([{ slug: company.slug, role: 'viewer' }]);
    expect(authentication).toMatchObject({ method: 'session', secondFactor: false });
    // Whatever is sent as the password, there is none.
    for (const password of ['', 'undefined', 'null', 'a long and boring sentence']) {
      expect((await logInIn(api, openBrowser(), email, password)).status).toBeGreaterThanOrEqual(400);
    }
    const [entry] = await entriesOf(company, 'member.joined');
    expect(entry).toMatchObject({ details: { via: 'provider' }, actor: { id: user.id } });
    const { members } = (await api.get(`/members/${company.owner.organization.id}`, session)).body;
    expect(members).toContainEqual(expect.objectContaining({ email, role: 'viewer' }));
  });

  it('is not repeated: the second one finds the same account and member', async () => {
    const { company, session } = await openWithNewcomer();
    const first = await me(await session());
    const second = await me(await session());

    expect(second.user.id).toBe(first.user.id);
    expect((await rosterOf(company)).members).toHaveLength(2);
  });

  it('by several browsers at once makes one account', async () => {
    const { company, account } = await openWithNewcomer();
    const browsers = Array.from({ length: 6 }, openBrowser);
    const urls = await Promise.all(browsers.map(browser => goToProvider(api, browser, company.slug, { account })));
    const outcomes = await Promise.all(urls.map((url, index) => takeCallback(api, browsers[index] as Browser, url)));
    const sessions = outcomes.flatMap(({ session }) => session ?? []);
    expect(sessions.length).toBeGreaterThan(0);
    expect(new Set(await Promise.all(sessions.map(async one => (await me(one)).user.id))).size).toBe(1);
    expect((await rosterOf(company)).members).toHaveLength(2);
  });

  it('requires an invitation if there is no default role, and then makes the invited member', async () => {
    const { company, email, enter, session } = await openWithNewcomer({ defaultRole: null });
    const refused = await enter();
    expect([refused.error, refused.session]).toEqual(['invitation_required', undefined]);
    expect(await find(at(emailRecord, email))).toBeUndefined();
    await invite(api, company.owner, email.toUpperCase(), 'admin');

    expect((await me(await session())).organizations).toMatchObject([{ slug: company.slug, role: 'admin' }]);
    const { members, invitations } = await rosterOf(company);
    expect([members.length, invitations]).toEqual([2, []]);
  });

  it('keeps within the members of the plan, also at once', async () => {
    const { slug, domain } = await openCompany(api, names, provider);
    await transact([update(at(organizationRecord, slug), { set: { limitOverrides: { maxMembers: 3 } } })]);
    const people = Array.from({ length: 5 }, () => hire(provider, domain));

    const outcomes = await Promise.all(people.map(account => signIn(api, openBrowser(), slug, { account })));
    const errors = outcomes.map(({ error }) => error ?? 'ok').toSorted();
    expect(errors).toEqual(['ok', 'ok', ...Array(3).fill('plan_limit_exceeded')]);
    expect((await find(at(organizationRecord, slug)))?.memberCount).toBe(3);
    const accounts = await Promise.all(people.map(name => find(at(emailRecord, `${name}@${domain}`))));
    expect(accounts.filter(account => account !== undefined)).toHaveLength(2);
  });
});

describe('the provider', () => {
  // Percent-encoded in the header (RFC 6749, 2.3.1), with everything that such encoding changes.
  const clientSecret = 'a secret+with/all=of:it%20&"~';

  it.each<[string, Partial<Parameters<typeof startOpenIdProvider>[0]>]>([
    ['sign with RS256', { algorithm: 'RS256' }],
    ['sign with ES256', { algorithm: 'ES256' }],
    ['sign with ES384', { algorithm: 'ES384' }],
    ['sign with EdDSA', { algorithm: 'EdDSA' }],
    ['support only client_secret_basic', { clientAuthentication: 'client_secret_basic', clientSecret }],
    ['support only client_secret_post', { clientAuthentication: 'client_secret_post', clientSecret }],
    ['have the address in userinfo only', { emailIn: 'userinfo' }],
  ])('can %s', async (_, options) => {
    const special = await startOpenIdProvider({ redirectUri: redirectUriOf(api), accounts: {}, ...options });
    onTestFinished(() => special.stop());
    const { slug, domain } = await openCompany(api, names, special);
    const account = hire(special, domain, { email: `Ada@${domain.toUpperCase()}` });
    const { email } = (await me(await sessionThrough(api, slug, { account }))).user;
    expect(email.toLowerCase()).toBe(`ada@${domain}`);
    expect((await api.get(`/auth/sign-in?email=${email}`)).body.organization.slug).toBe(slug);
  });

  it('is asked with PKCE, a state and a nonce, none of which is used twice', async () => {
    const { company, session } = await openWithNewcomer();
    const countBefore = provider.asked.length;
    for (let round = 0; round < 2; round += 1) await session();

    const asked = provider.asked.slice(countBefore).map(parameters => Object.fromEntries(parameters));
    expect(asked).toHaveLength(2);
    for (const parameters of asked) {
      expect(parameters).toMatchObject({
        response_type: 'code',
        client_id: provider.client.clientId,
        redirect_uri: redirectUriOf(api, company.slug),
        code_challenge_method: 'S256',
        code_challenge: expect.stringMatching(/^[\w-]{43}$/),
        // At least 128 bits (RFC 6749, 10.10).
        state: expect.stringMatching(/^[\w.~-]{22,}$/),
        nonce: expect.stringMatching(/^[\w.~-]{22,}$/),
      });
      expect(parameters.scope?.split(' ')).toEqual(expect.arrayContaining(['openid', 'email']));
    }
    for (const name of ['state', 'nonce', 'code_challenge']) {
      expect(new Set(asked.map(parameters => parameters[name])).size, name).toBe(2);
    }
  });

  it('can refuse: the person is told so, and nothing is written to the organization’s log', async () => {
    const { company, enter } = await openWithNewcomer();
    const { error, session } = await enter({ account: '' });

    expect([error, session]).toEqual(['provider_refused', undefined]);
    expect(await entriesOf(company, 'sign_in.refused')).toEqual([]);
  });

  it('can add parameters to the callback that nobody asked for', async () => {
    const { company, account } = await openWithNewcomer();
    const browser = openBrowser();
    const callback = await goToProvider(api, browser, company.slug, { account });
    callback.search += '&session_state=a.b&authuser=0&prompt=none&hd=example.com&scope=openid%20email';

    expect((await takeCallback(api, browser, callback)).error).toBeUndefined();
    expect(sessionIn(api, browser)).toBeDefined();
  });
});

describe('after the sign-in', () => {
  it('the browser is on the page it wanted', async () => {
    const { company, enter } = await openWithNewcomer();
    const to = `/${company.slug}/shop?tab=secrets`;

    const { landed } = await enter({ to });

    expect([landed.pathname + landed.search, landed.hash]).toEqual([to, '']);
  });

  it('the member has the rights of the role', async () => {
    const { company, session } = await openWithNewcomer();
    const project = `/secrets/${company.slug}/${(await createProject(api, company.owner)).slug}`;
    const as = await session();

    expect(codeOf(await api.put(`${project}/dev`, { key: 'A', value: 'a' }, as))).toBe('201 ok');
    expect(codeOf(await api.get(`${project}/dev`, as))).toBe('200 ok');
    expect(codeOf(await api.get(`${project}/production`, as))).toBe('403 forbidden');
    expect(codeOf(await api.get(settingsPath(company.owner), as))).toBe('403 forbidden');
  });

  it('a session that the browser had before is another one', async () => {
    const { enter } = await openWithNewcomer();
    const browser = openBrowser();
    const { session: first } = await enter({}, browser);
    const { session: second } = await enter({}, browser);

    expect(second?.cookie).not.toBe(first?.cookie);
  });
});

describe('the question how an address can sign in', () => {
  const methodsOf = async (email: string) => api.get(`/auth/sign-in?email=${encodeURIComponent(email)}`);

  it('names the organization of a verified domain, whoever asks for whatever address of it', async () => {
    const { company, email, session } = await openWithNewcomer();
    await session();
    const { slug, domain } = company;

    for (const address of [email, email.toUpperCase(), `nobody@${domain}`, `x+y@${domain}`]) {
      const { status, body } = await methodsOf(address);
      const organization = { slug, name: expect.any(String) };
      expect([status, body]).toEqual([200, { methods: ['password', 'passkey', 'provider'], organization }]);
    }
  });

  it('reveals nothing about addresses of any other domain: with an account, without one, of an owner, of an unverified domain', async () => {
    const company = await openCompany(api, names, provider);
    const [ada, verified] = await Promise.all([seedPerson(), seedPerson({ emailVerified: true })]);
    const unverified = newDomain();
    const { signIn: stored } = (await api.get(settingsPath(company.owner), company.owner.session)).body;
    const { issuer, clientId, defaultRole } = stored;
    const body = { issuer, clientId, defaultRole, domains: [company.domain, unverified] };
    await expectStatus(api.put(settingsPath(company.owner), body, company.owner.session), 200);

    const { domain } = company;
    const domains = ['example.com', unverified, `sub.${domain}`, `not${domain}`, `${domain}.example.com`];
    const emails = [ada.email, verified.email, company.owner.email, ...domains.map(name => `somebody@${name}`)];
    const answers = await Promise.all(emails.map(methodsOf));

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
    const slugs = [organization.slug, 'no-such-organization-at-all'];
    const pages = await Promise.all(slugs.map(slug => openBrowser().open(startUrl(api, slug))));
    const ends = pages.map(page => [page.status, page.location?.href, page.headers.getSetCookie().length]);

    expect(ends[0]).toEqual(ends[1]);
  });
});
