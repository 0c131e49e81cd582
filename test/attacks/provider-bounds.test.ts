import { SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import type { Counter } from '#lib/limits/count.ts';
import { networkOf } from '#lib/limits/network.ts';
import { accountsFromProvider, accountsFromProviderOfNetwork, completedSignIns } from '#lib/limits/rate-limits.ts';
import { requireVerifiedDomain } from '#lib/providers/identify.ts';
import { profileOf } from '#lib/providers/redeem.ts';
import { at, find } from '#lib/table/read.ts';
import { memberRecord, organizationRecord } from '#lib/table/records/organization.ts';
import { accountLinkRecord, domainRecord, signInRecord } from '#lib/table/records/sign-in.ts';
import { emailRecord, userRecord } from '#lib/table/records/user.ts';
import { put, remove, transact, update } from '#lib/table/write.ts';
import { type Person, seedPerson } from '../support/people.ts';
import { expectStatus } from '../support/sample-requests.ts';
import { addApp } from '../support/second-factors.ts';
import { openBrowser } from '../support/sign-in/browser.ts';
import { startHostileProvider } from '../support/sign-in/hostile-provider.ts';
import { type Company, seedColleague, useOpenIdProvider } from '../support/sign-in/scene.ts';
import { logInIn, newDomain, openCompany, requestIn, sessionIn, signIn } from '../support/sign-in/sign-in.ts';

/* What a sign-in through a provider must not exceed, bypass or break. */

// A local stack lifts these limits.
const limits = { REGISTER_LIMIT_PER_HOUR: '20', REQUESTS_PER_MINUTE: '6000' };
const { api, names, provider } = useOpenIdProvider({}, limits);

let hired = 0;
/** A person at the provider. @returns the name on their button */
function hire(email: string): string {
  hired += 1;
  const name = `person-${hired}`;
  provider.accounts[name] = { sub: `sub-${hired}`, email, email_verified: true };
  return name;
}

/** Invites an address. @returns the token */
async function invite(company: Company, email: string, role: string, as = company.owner.session): Promise<string> {
  const path = `/members/${company.owner.organization.id}/invite`;
  return (await expectStatus(api.post(path, { email, role }, as), 201)).body.token;
}

describe('a browser in which a link waits', () => {
  it('completes a sign-in with the account’s own factor after the link was made in another browser', async () => {
    const company = await openCompany(api, names, provider);
    const person = await seedColleague(company);
    const app = await addApp(api, person);
    const account = hire(person.email);
    const [first, second] = [openBrowser(), openBrowser()];
    for (const browser of [first, second]) {
      expect((await signIn(api, browser, company.slug, { account })).error).toBe('link_required');
    }
    const { challenge: ofLogIn } = (await logInIn(api, second, person.email)).body.error.details;
    const linking = { challenge: ofLogIn, totp: app.code() };
    await expectStatus(requestIn(api, second, '/auth/login/verify', linking), 200);
    await transact([update(at(userRecord, person.user.id), { set: { 'totp.lastStep': 0 } })]);

    expect((await signIn(api, first, company.slug, { account })).error).toBe('second_factor_required');
    const { challenge } = (await expectStatus(requestIn(api, first, '/auth/provider/factor', {}), 200)).body;
    await expectStatus(requestIn(api, first, '/auth/login/verify', { challenge, totp: app.code() }), 200);

    expect(sessionIn(api, first)).toBeDefined();
  });
});

describe('the plan’s members', () => {
  it('are not exceeded by invitations whose inviter may invite again after somebody has joined', async () => {
    const company = await openCompany(api, names, provider);
    const { owner, slug } = company;
    const [admin, invited] = [await seedColleague(company), await seedPerson({ emailVerified: true })];
    const accept = (token: string, by: Person) => api.post(`/members/invite/${token}/accept`, undefined, by.session);
    await expectStatus(accept(await invite(company, admin.email, 'admin'), admin), 200);
    const token = await invite(company, invited.email, 'developer', admin.session);
    await transact([update(at(organizationRecord, slug), { set: { limitOverrides: { maxMembers: 3 } } })]);
    const setRole = (role: 'developer' | 'admin') =>
      transact([update(at(memberRecord, slug, admin.user.id), { set: { role } })]);

    await setRole('developer');
    const account = hire(`joining@${company.domain}`);
    expect((await signIn(api, openBrowser(), slug, { account })).error).toBeUndefined();
    await setRole('admin');

    expect((await accept(token, invited)).status).toBe(400);
    const { members } = (await api.get(`/members/${owner.organization.id}`, owner.session)).body;
    expect(members).toHaveLength(3);
    expect(await find(at(organizationRecord, slug))).toMatchObject({ memberCount: 3, invitationCount: 0 });
  });
});

/** Leaves room for so many more. */
async function fill({ item, bound }: Counter, room: number): Promise<void> {
  const expiresAt = Math.floor(Date.now() / 1000) + 600;
  await transact([put(item, { tries: bound - room, expiresAt })]);
}

describe('new accounts', () => {
  it.each(['organization', 'network'] as const)('are limited per %s; accounts that exist still sign in', async by => {
    const company = await openCompany(api, names, provider);
    const limit =
      by === 'organization'
        ? accountsFromProvider(company.owner.organization.id)
        : accountsFromProviderOfNetwork('127.0.0.1');
    const [one, other] = [hire(`one@${company.domain}`), hire(`other@${company.domain}`)];
    const outcome = async (account: string) => (await signIn(api, openBrowser(), company.slug, { account })).error;
    await fill(limit, 1);

    expect(await outcome(one)).toBeUndefined();
    expect(await outcome(other)).toBe('rate_limited');

    expect(await outcome(one)).toBeUndefined();
    expect(await find(at(emailRecord, `other@${company.domain}`))).toBeUndefined();
    await transact([remove(limit.item)]);
    expect(await outcome(other)).toBeUndefined();
  });
});

describe('sign-ins that come back from a provider', () => {
  it('are limited per organization, and above the limit nothing is sent to the provider', async () => {
    const domain = newDomain();
    const slow = await startHostileProvider({ sub: 'ada', email: `ada@${domain}`, email_verified: true });
    try {
      const company = await openCompany(api, names, slow, { domain });
      await fill(completedSignIns(company.owner.organization.id, networkOf('127.0.0.1')), 1);
      expect((await signIn(api, openBrowser(), company.slug)).error).toBeUndefined();
      const sent = slow.requests('token');
      expect(sent).toBe(1);

      const { error, session } = await signIn(api, openBrowser(), company.slug);

      expect([error, session]).toEqual(['rate_limited', undefined]);
      expect(slow.requests('token')).toBe(sent);
    } finally {
      await slow.stop();
    }
  });
});

describe('what ends while the person is at the provider', () => {
  const endings = {
    'the organization': (slug: string) => update(at(organizationRecord, slug), { set: { status: 'deleting' } }),
    'the provider’s client': (slug: string) => update(at(signInRecord, slug), { set: { clientVersion: 'changed' } }),
    'the person’s link': (_: string, organizationId: string, userId: string) =>
      update(at(accountLinkRecord, userId, organizationId), { set: { id: undefined } }),
  };

  it.each([
    ['sign-in', 'the organization'],
    ['step-up', 'the organization'],
    ['step-up', 'the provider’s client'],
    ['step-up', 'the person’s link'],
  ] as const)('ends the %s: %s', async (purpose, ended) => {
    const domain = newDomain();
    const hostile = await startHostileProvider({ sub: 'ada', email: `ada@${domain}`, email_verified: true });
    try {
      const { slug, owner } = await openCompany(api, names, hostile, { domain });
      const browser = openBrowser();
      const { session } = await signIn(api, browser, slug);
      const { id: userId } = (await expectStatus(api.get('/auth/me', session), 200)).body.user;
      let isEnded = false;
      hostile.script = {
        claims: { auth_time: Math.floor(Date.now() / 1000) },
        sign: async (claims, key) => {
          await transact([endings[ended](slug, owner.organization.id, userId)]);
          isEnded = true;
          return new SignJWT(claims).setProtectedHeader({ alg: key.alg, kid: key.kid }).sign(key.privateKey);
        },
      };

      const outcome = await signIn(api, browser, slug, purpose === 'step-up' ? { stepUp: 'true' } : {});

      expect([isEnded, outcome.error]).toEqual([true, 'sign_in_expired']);
      expect(outcome.session).toEqual(session);
    } finally {
      await hostile.stop();
    }
  });
});

describe('a link that waits', () => {
  it('is not made for an organization that is being deleted, or that lost the domain', async () => {
    const taker = await seedPerson();
    for (const lost of ['organization', 'domain'] as const) {
      const company = await openCompany(api, names, provider);
      const { slug, domain } = company;
      const person = await seedColleague(company);
      const account = hire(person.email);
      const browser = openBrowser();
      expect((await signIn(api, browser, slug, { account })).error).toBe('link_required');
      const setStatus = (status: 'active' | 'deleting') => update(at(organizationRecord, slug), { set: { status } });
      const takeDomain = update(at(domainRecord, domain), { set: { organizationId: taker.organization.id } });
      await transact([lost === 'organization' ? setStatus('deleting') : takeDomain]);

      await expectStatus(logInIn(api, browser, person.email), 200);

      const takeBack = update(at(domainRecord, domain), { set: { organizationId: company.owner.organization.id } });
      await transact([setStatus('active'), takeBack]);
      expect((await signIn(api, openBrowser(), slug, { account })).error, lost).toBe('link_required');
    }
  });
});

describe('an issuer that companies share', () => {
  const domains = [
    { domain: 'acme.example', token: 't', verifiedAt: '2026-01-01T00:00:00.000Z' },
    { domain: 'unverified.example', token: 't', verifiedAt: null },
  ];
  const attempt = (issuer: string, hd: unknown) => () =>
    requireVerifiedDomain(
      { issuer, domains },
      { claims: { sub: 'ada' }, profile: profileOf({ email: 'ada@acme.example', email_verified: true, hd }) },
    );

  it.each([undefined, 'other.example', 'unverified.example', '', 42, ['acme.example']])(
    'must say that a verified domain manages the account: not %j',
    hd => {
      expect(attempt('https://accounts.google.com', hd)).toThrow('domain_not_verified');
      expect(attempt('https://acme.okta.com', hd)).not.toThrow();
    },
  );

  it('admits the accounts of a verified domain', () => {
    expect(attempt('https://accounts.google.com', 'Acme.example')).not.toThrow();
  });
});
