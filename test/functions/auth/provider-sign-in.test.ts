import { describe, expect, it } from 'vitest';
import { requireVerifiedDomain } from '#lib/providers/identify.ts';
import { profileOf } from '#lib/providers/redeem.ts';
import { at, find } from '#lib/table/read.ts';
import { emailRecord } from '#lib/table/records/user.ts';
import { type Caller, codeOf, nowSeconds } from '#test/support/api.ts';
import { expectStatus, invite, membersOf, resetPassword } from '#test/support/sample-requests.ts';
import { addApp, forgetUsedCodes } from '#test/support/second-factors.ts';
import { type Browser, openBrowser } from '#test/support/sign-in/browser.ts';
import { type Company, logInAs, seedColleague, useSignIn } from '#test/support/sign-in/scene.ts';
import {
  logInIn,
  openCompany,
  requestIn,
  sessionIn,
  sessionThrough,
  settingsOf,
  settingsPath,
  signIn,
  startUrl,
} from '#test/support/sign-in/sign-in.ts';
import { words } from '#test/support/words.ts';

/* What the settings of a provider change about a sign-in, and what its person can do with the session. */

const { api, names, provider } = useSignIn({ email_verified: true });
let hired = 0;
function hire({ domain }: Company, claims: Record<string, unknown> = {}): string {
  hired += 1;
  const email = `person-${hired}@${domain}`;
  provider.script = { person: { sub: `sub-${hired}`, email }, claims };
  return email;
}

const errorOf = async ({ slug }: Company) => (await signIn(api, openBrowser(), slug)).error;
const open = (changes: Record<string, unknown> = {}) => openCompany(api, names, provider, changes);
const remove = async ({ owner }: Company, email: string) => {
  const member = (await membersOf(api, owner)).find(one => one.email === email);
  await expectStatus(api.delete(`/members/${owner.organization.id}/${member?.id}`, owner.session), 200);
};
const tokenIn = ({ owner }: Company) => ({ name: 't', organizationId: owner.organization.id });

it('a parameter of the provider’s own address is kept', async () => {
  provider.script = { discovery: { authorization_endpoint: `${provider.url}/authorize?tenant=acme` } };
  const { slug } = await open();
  const { location } = await openBrowser().open(startUrl(api, slug));
  expect(location?.searchParams.get('client_id')).toBe(provider.client.clientId);
  expect(location?.searchParams.get('tenant')).toBe('acme');
});

it('an invitation brings a removed member back in a session of their own', async () => {
  const company = await open();
  const email = hire(company);
  await sessionThrough(api, company.slug);
  await remove(company, email);
  const { token } = await invite(api, company.owner, email, 'viewer');
  expect(await errorOf(company)).toBe('invitation_required');
  await resetPassword(api, { email }, 'a sentence of my own');
  const own = await logInAs(api, { email }, 'a sentence of my own');
  await expectStatus(api.post(`/members/invite/${token}/accept`, undefined, own), 200);
  expect(await membersOf(api, company.owner)).toMatchObject([{ role: 'owner' }, { email, role: 'viewer' }]);
});

describe('a provider that doesn’t say whether addresses are verified', () => {
  it('is believed if its organization trusts it, but never against its word', async () => {
    const company = await open({ trustEmail: true });
    const ended = async (changes: Record<string, unknown>) => {
      hire(company);
      const person = { ...provider.script.person, email_verified: undefined, ...changes };
      provider.script = { person };
      return errorOf(company);
    };

    expect(await ended({})).toBeUndefined();
    for (const email_verified of [false, 'true', 'false', null, 1, {}]) {
      expect(await ended({ email_verified })).toBe('email_not_verified');
    }
    expect(await ended({ email: 'eve@other.example' })).toBe('domain_not_verified');
    expect(await ended({ email: undefined })).toBe('email_missing');
  });

  const tenants = words('common organizations consumers 9188040d-6c67-4c5b-b112-36a304b66dad acme.example');
  it.each([
    ...tenants.map(tenant => `login.microsoftonline.com/${tenant}/v2.0`),
    ...words('LOGIN.microsoftonline.com./common/v2.0/ accounts.google.com gitlab.com'),
  ])('can’t be https://%s, which is not one company’s', async issuer => {
    const { owner, domain } = await open();
    const body = settingsOf(provider, domain, { issuer: `https://${issuer}`, trustEmail: true });
    const refused = await api.put(settingsPath(owner), body, owner.session);
    expect(codeOf(refused)).toBe('400 invalid_request');
    expect(refused.body.error.details).toMatchObject([{ path: expect.stringMatching(/^(trustEmail|issuer)$/) }]);
  });

  it('can be a tenant of Entra ID, whose tokens must be of that tenant', async () => {
    const tenant = '72f988bf-86f1-41af-91ab-2d7cd011db47';
    const issuer = `https://login.microsoftonline.com/${tenant}/v2.0`;
    const { owner, domain } = await open();
    const put = api.put(settingsPath(owner), settingsOf(provider, domain, { issuer, trustEmail: true }), owner.session);
    expect((await expectStatus(put, 200)).body.signIn.trustEmail).toBe(true);

    const domains = [{ domain, token: 't', verifiedAt: new Date().toISOString() }];
    const attempt = (tid: unknown) => () =>
      requireVerifiedDomain(
        { issuer, domains, trustEmail: true },
        { claims: { sub: 'ada', tid }, profile: profileOf({ email: `ada@${domain}` }) },
      );
    expect(attempt(tenant)).not.toThrow();
    for (const tid of [undefined, '9188040d-6c67-4c5b-b112-36a304b66dad', [tenant]]) {
      expect(attempt(tid)).toThrow('email_not_verified');
    }
  });
});

describe('stepping up', () => {
  const currentId = async (session: Caller): Promise<string> => {
    const { sessions } = (await expectStatus(api.get('/auth/sessions', session), 200)).body;
    return sessions.find(({ current }: { current: boolean }) => current).id;
  };
  const stepUp = (browser: Browser, { slug }: Company, auth_time?: unknown) => {
    provider.script = { ...provider.script, claims: { auth_time } };
    return signIn(api, browser, slug, { stepUp: 'true' });
  };

  it('asks for the account’s own factor, and keeps the session’s id through any number of times', async () => {
    const company = await open();
    const ada = await seedColleague(company);
    const app = await addApp(api, ada);
    provider.script = { person: { sub: ada.email, email: ada.email } };
    const browser = openBrowser();
    expect((await signIn(api, browser, company.slug)).error).toBe('link_required');
    const answer = async (asked: { challenge: string }) => {
      const body = { challenge: asked.challenge, totp: app.code() };
      await expectStatus(requestIn(api, browser, '/auth/login/verify', body), 200);
      await forgetUsedCodes(ada.user.id);
    };
    await answer((await logInIn(api, browser, ada.email)).body.error.details);
    const answerFactor = async (ended: { error: string | undefined }) => {
      expect(ended.error).toBe('second_factor_required');
      await answer((await expectStatus(requestIn(api, browser, '/auth/provider/factor', {}), 200)).body);
    };
    await answerFactor(await signIn(api, browser, company.slug));
    const id = await currentId(sessionIn(api, browser));
    for (let times = 0; times < 2; times += 1) {
      const before = sessionIn(api, browser);
      await answerFactor(await stepUp(browser, company, nowSeconds()));
      expect(await currentId(sessionIn(api, browser))).toBe(id);
      expect(codeOf(await api.get('/auth/me', before))).toBe('401 unauthenticated');
    }
    expect((await stepUp(browser, company, nowSeconds())).error).toBe('second_factor_required');
    const { challenge } = (await expectStatus(requestIn(api, browser, '/auth/provider/factor', {}), 200)).body;
    await remove(company, ada.email);
    // The removal has ended both the link and the session.
    const late = { challenge, totp: app.code() };
    expect(codeOf(await requestIn(api, browser, '/auth/login/verify', late))).toBe('400 invalid_token');
  });

  it('needs a provider that says when its person has signed in', async () => {
    const company = await open();
    hire(company);
    const browser = openBrowser();
    await signIn(api, browser, company.slug);
    for (const auth_time of [undefined, nowSeconds() - 3600]) {
      expect((await stepUp(browser, company, auth_time)).error).toBe('not_fresh');
    }
    expect((await stepUp(browser, company, nowSeconds())).error).toBeUndefined();
  });

  it('accepts the round trip instead of a time that is never sent, if the organization does', async () => {
    const company = await open({ acceptRoundTrip: true });
    hire(company);
    const browser = openBrowser();
    await signIn(api, browser, company.slug);
    const makeToken = async (body: object = tokenIn(company)) =>
      codeOf(await api.post('/auth/token', body, sessionIn(api, browser)));
    // A sign-in is no round trip that a session began.
    expect(await makeToken()).toBe('403 step_up_required');
    for (const auth_time of [null, 'now', nowSeconds() - 3600, nowSeconds() + 120, Date.now()]) {
      expect((await stepUp(browser, company, auth_time)).error).toBe('not_fresh');
    }
    expect((await stepUp(browser, company)).error).toBeUndefined();
    expect(await makeToken()).toBe('201 ok');
    expect(await makeToken({ name: 'all' })).toBe('403 session_confined');
  });
});

it('a test by the owner checks everything, and changes nothing', async () => {
  const company = await open();
  const email = hire(company);
  const browser = openBrowser();
  browser.setCookie(api.url, `${company.owner.session.cookie}; Path=/`);
  const { landed } = await signIn(api, browser, company.slug, { test: 'true', to: '/settings' });
  expect(`${landed.pathname}${landed.hash}`).toBe('/settings#tested');
  expect(sessionIn(api, browser)).toEqual(company.owner.session);
  expect(await find(at(emailRecord, email))).toBeUndefined();
  const stranger = await openBrowser().open(startUrl(api, company.slug, { test: 'true' }));
  expect(stranger.location?.hash).toBe('#error=session_required');
});
