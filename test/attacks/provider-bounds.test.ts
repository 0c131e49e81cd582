import { SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import type { Counter } from '#lib/limits/count.ts';
import { networkOf } from '#lib/limits/network.ts';
import { accountsFromProvider, accountsFromProviderOfNetwork, completedSignIns } from '#lib/limits/rate-limits.ts';
import { renewAccess } from '#lib/organizations/change-counts.ts';
import { requireVerifiedDomain } from '#lib/providers/identify.ts';
import { profileOf } from '#lib/providers/redeem.ts';
import { at, find } from '#lib/table/read.ts';
import { memberRecord, organizationRecord } from '#lib/table/records/organization.ts';
import { accountLinkRecord, domainRecord, signInRecord } from '#lib/table/records/sign-in.ts';
import { emailRecord } from '#lib/table/records/user.ts';
import { put, remove, transact, update } from '#lib/table/write.ts';
import { nowSeconds } from '../support/api.ts';
import { type Person, seedPerson } from '../support/people.ts';
import { expectStatus, invite, join, membersOf } from '../support/sample-requests.ts';
import { addApp, forgetUsedCodes } from '../support/second-factors.ts';
import { openBrowser } from '../support/sign-in/browser.ts';
import { hire as hireAt, openOwnCompany, seedColleague, useOpenIdProvider } from '../support/sign-in/scene.ts';
import { answerFactor, logInIn, openCompany, requestIn, sessionIn, signIn } from '../support/sign-in/sign-in.ts';

// A local stack lifts these limits.
const scene = useOpenIdProvider({}, { REGISTER_LIMIT_PER_HOUR: '20', REQUESTS_PER_MINUTE: '6000' });
const { api, names, provider } = scene;

/** @returns the name on the person's button at the provider */
const hire = (email: string) => hireAt(provider, '', { email });

it('a browser in which a link waits completes a sign-in after the link was made in another browser', async () => {
  const company = await openCompany(api, names, provider);
  const person = await seedColleague(company);
  const app = await addApp(api, person);
  const account = hire(person.email);
  const [first, second] = [openBrowser(), openBrowser()];
  for (const browser of [first, second]) {
    expect((await signIn(api, browser, company.slug, { account })).error).toBe('link_required');
  }
  const { challenge } = (await logInIn(api, second, person.email)).body.error.details;
  await expectStatus(requestIn(api, second, '/auth/login/verify', { challenge, totp: app.code() }), 200);
  await forgetUsedCodes(person.user.id);

  expect((await signIn(api, first, company.slug, { account })).error).toBe('second_factor_required');
  await expectStatus(answerFactor(api, first, app), 200);

  expect(sessionIn(api, first)).toBeDefined();
});

it('invitations whose inviter may invite again after somebody has joined don’t exceed the plan’s members', async () => {
  const company = await openCompany(api, names, provider);
  const { owner, slug } = company;
  const [admin, invited] = [await seedColleague(company), await seedPerson({ emailVerified: true })];
  await join(api, owner, admin, 'admin');
  const { token } = await invite(api, { ...owner, session: admin.session }, invited.email);
  await transact([update(at(organizationRecord, slug), { set: { limitOverrides: { maxMembers: 3 } } })]);
  const setRole = (role: 'developer' | 'admin') =>
    transact([
      update(at(memberRecord, slug, admin.user.id), { set: { role } }),
      renewAccess({ id: owner.organization.id, slug }),
    ]);

  await setRole('developer');
  const account = hire(`joining@${company.domain}`);
  expect((await signIn(api, openBrowser(), slug, { account })).error).toBeUndefined();
  await setRole('admin');

  expect((await api.post(`/members/invite/${token}/accept`, undefined, invited.session)).status).toBe(400);
  expect(await membersOf(api, owner)).toHaveLength(3);
  expect(await find(at(organizationRecord, slug))).toMatchObject({ memberCount: 3, invitationCount: 0 });
});

const fill = ({ item, bound }: Counter, room: number) =>
  transact([put(item, { tries: bound - room, expiresAt: nowSeconds() + 600 })]);

it.each<[string, (organizationId: string) => Counter]>([
  ['organization', accountsFromProvider],
  ['network', () => accountsFromProviderOfNetwork('127.0.0.1')],
])('new accounts are limited per %s; accounts that exist still sign in', async (_, limitOf) => {
  const company = await openCompany(api, names, provider);
  const limit = limitOf(company.owner.organization.id);
  const [one, other] = [hire(`one@${company.domain}`), hire(`other@${company.domain}`)];
  const outcome = async (account: string) => (await signIn(api, openBrowser(), company.slug, { account })).error;
  await fill(limit, 1);

  expect([await outcome(one), await outcome(other), await outcome(one)]).toEqual([
    undefined,
    'rate_limited',
    undefined,
  ]);

  expect(await find(at(emailRecord, `other@${company.domain}`))).toBeUndefined();
  await transact([remove(limit.item)]);
  expect(await outcome(other)).toBeUndefined();
});

it('sign-ins that come back are limited per organization; above the limit nothing is sent to the provider', async () => {
  const { owner, slug, provider: slow } = await openOwnCompany(scene, 'ada');
  await fill(completedSignIns(owner.organization.id, networkOf('127.0.0.1')), 1);
  expect((await signIn(api, openBrowser(), slug)).error).toBeUndefined();
  expect(slow.requests('token')).toBe(1);

  const { error, session } = await signIn(api, openBrowser(), slug);

  expect([error, session]).toEqual(['rate_limited', undefined]);
  expect(slow.requests('token')).toBe(1);
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
    const { slug, owner, provider: hostile } = await openOwnCompany(scene, 'ada');
    const browser = openBrowser();
    const { session } = await signIn(api, browser, slug);
    const { id: userId } = (await expectStatus(api.get('/auth/me', session), 200)).body.user;
    let isEnded = false;
    hostile.script = {
      claims: { auth_time: nowSeconds() },
      sign: async (claims, key) => {
        await transact([endings[ended](slug, owner.organization.id, userId)]);
        isEnded = true;
        return new SignJWT(claims).setProtectedHeader({ alg: key.alg, kid: key.kid }).sign(key.privateKey);
      },
    };

    const outcome = await signIn(api, browser, slug, purpose === 'step-up' ? { stepUp: 'true' } : {});

    expect([isEnded, outcome.error]).toEqual([true, 'sign_in_expired']);
    expect(outcome.session).toEqual(session);
  });
});

it.each(['organization', 'domain'] as const)('a link that waits is not made once the %s is lost', async lost => {
  const company = await openCompany(api, names, provider);
  const { slug, domain } = company;
  const person = await seedColleague(company);
  const account = hire(person.email);
  const browser = openBrowser();
  expect((await signIn(api, browser, slug, { account })).error).toBe('link_required');
  const setStatus = (status: 'active' | 'deleting') => update(at(organizationRecord, slug), { set: { status } });
  const giveDomainTo = ({ organization }: Pick<Person, 'organization'>) =>
    update(at(domainRecord, domain), { set: { organizationId: organization.id } });
  await transact([lost === 'organization' ? setStatus('deleting') : giveDomainTo(await seedPerson())]);

  await expectStatus(logInIn(api, browser, person.email), 200);

  await transact([setStatus('active'), giveDomainTo(company.owner)]);
  expect((await signIn(api, openBrowser(), slug, { account })).error).toBe('link_required');
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
