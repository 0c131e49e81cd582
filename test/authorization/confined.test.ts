import { beforeAll, describe, expect, it } from 'vitest';
import { newLink } from '#lib/accounts/account-link.ts';
import { routes } from '#lib/contracts/routes.ts';
import { renewAccess } from '#lib/organizations/change-counts.ts';
import { at } from '#lib/table/read.ts';
import { memberRecord, membershipRecord, organizationRecord } from '#lib/table/records/organization.ts';
import { personOf, signInRecord } from '#lib/table/records/sign-in.ts';
import { put, transact, update } from '#lib/table/write.ts';
import { type Answer, type Caller, createToken, nowSeconds, sessionOf } from '../support/api.ts';
import { type Person, seedPerson, testPassword } from '../support/people.ts';
import { expectStatus } from '../support/sample-requests.ts';
import { type App, addApp, forgetUsedCodes, logInWithApp } from '../support/second-factors.ts';
import { openBrowser } from '../support/sign-in/browser.ts';
import { type Company, logInAs, useSignIn } from '../support/sign-in/scene.ts';
import { answerFactor, openCompany, sessionIn, signIn } from '../support/sign-in/sign-in.ts';

/* What each kind of session of a person in two organizations reaches, for every combination of the settings. */

const { api, names, provider } = useSignIn({ email_verified: true, amr: ['mfa'] });
let here: Company;
let there: Company;
interface Someone extends Person {
  app?: App;
}
let people: Record<'with a factor' | 'without a factor', Someone>;

beforeAll(async () => {
  [here, there] = [await openCompany(api, names, provider), await openCompany(api, names, provider)];
  const [ada, bob] = [await seedPerson({ emailVerified: true }), await seedPerson({ emailVerified: true })];
  people = { 'with a factor': { ...ada, app: await addApp(api, ada) }, 'without a factor': bob };
  for (const person of [ada, bob]) for (const company of [here, there]) await join(company, person);
});

/** Makes the person a developer, and links the account to the person at the provider. */
async function join({ owner: { organization }, slug }: Company, { user, email }: Person): Promise<void> {
  const { id: userId } = user;
  const membership = { organizationId: organization.id, orgSlug: slug };
  const named = { id: crypto.randomUUID(), userId, email, name: email };
  const link = { ...membership, person: personOf(provider.url, email), issuer: provider.url };
  await transact([
    put(at(memberRecord, slug, userId), { ...named, role: 'developer', joinedAt: new Date().toISOString() }),
    renewAccess(organization),
    put(at(membershipRecord, userId, organization.id), membership),
    ...newLink({ id: userId }, link, { replaced: undefined }),
  ]);
}

const codeOf = ({ status, body }: Answer) => (status < 300 ? 'ok' : body.error.code);
const projects = ({ owner }: Company) => `/projects/${owner.organization.id}`;

/** The person's session through the company's provider, completed with the app if it is asked for. */
async function through({ slug }: Company, { email, user, app }: Someone): Promise<{ cookie: string }> {
  provider.script = { person: { sub: email, email }, claims: { auth_time: nowSeconds() } };
  const browser = openBrowser();
  const { error } = await signIn(api, browser, slug);
  if (error === 'second_factor_required') {
    await expectStatus(answerFactor(api, browser, app as App), 200);
    await forgetUsedCodes(user.id);
  }
  return sessionIn(api, browser) as { cookie: string };
}

async function lift(session: { cookie: string }, { app, user }: Someone): Promise<{ cookie: string }> {
  const body = { password: testPassword, ...(app === undefined ? {} : { totp: app.code() }) };
  const lifted = sessionOf(await expectStatus(api.post('/auth/step-up', body, session), 200));
  if (app !== undefined) await forgetUsedCodes(user.id);
  return lifted;
}

interface Settings {
  required: boolean;
  trustFactor: boolean;
  requireSecondFactor: boolean;
}

const either = [false, true];
const settings = either.flatMap(required =>
  either.flatMap(trustFactor => either.map(requireSecondFactor => ({ required, trustFactor, requireSecondFactor }))),
);

async function apply({ slug }: Company, { required, trustFactor, requireSecondFactor }: Settings): Promise<void> {
  const set = { requireProvider: required, trustProviderFactor: trustFactor, requireSecondFactor };
  await transact([
    update(at(organizationRecord, slug), { set }),
    update(at(signInRecord, slug), { set: { required, trustFactor } }),
  ]);
}

describe.each(['with a factor', 'without a factor'] as const)('a member %s', who => {
  it.each(settings)('reaches with each session what it proved there: %j', async wanted => {
    await apply(here, wanted);
    const person = people[who];
    const hasApp = person.app !== undefined;
    const own = person.app === undefined ? await logInAs(api, person) : await logInWithApp(api, person, person.app);
    const [throughHere, throughThere] = [await through(here, person), await through(there, person)];
    const inHere = { organizationId: here.owner.organization.id };
    const tokenOf = (session: { cookie: string }) => createToken(api, { ...person, session }, inHere);

    const needsFactor = (hasFactor: boolean) =>
      wanted.requireSecondFactor && !hasFactor ? 'second_factor_required' : 'ok';
    const withoutProvider = wanted.required ? 'provider_required' : needsFactor(hasApp);
    const withProvider = needsFactor(hasApp || wanted.trustFactor);
    const callers: Record<string, [Caller, string]> = {
      'own log-in': [own, withoutProvider],
      'its token': [await tokenOf(own), withoutProvider],
      'through the provider': [throughHere, withProvider],
      // An account's own factor that the provider's replaced is not proved, so it makes no fresh session's token.
      'its token too': [await tokenOf(throughHere), withProvider],
      'through the other’s provider': [throughThere, 'organization_not_found'],
      'through the other’s provider, lifted': [await lift(throughThere, person), withoutProvider],
      'through the provider, lifted': [await lift(throughHere, person), withProvider],
    };
    const actual: Record<string, string> = {};
    // The other sessions were replaced when they were lifted.
    const replaced = ['through the provider', 'through the other’s provider'];
    for (const [name, [caller]] of Object.entries(callers).filter(([one]) => !replaced.includes(one))) {
      actual[name] = codeOf(await api.get(projects(here), caller));
    }
    actual['through the provider'] = codeOf(await api.get(projects(here), await through(here, person)));
    actual['through the other’s provider'] = codeOf(await api.get(projects(here), await through(there, person)));

    expect(actual).toEqual(Object.fromEntries(Object.entries(callers).map(([name, [, verdict]]) => [name, verdict])));
  });
});

describe('a session through the provider', () => {
  /** The routes without an organization that it may use. Each shows and changes only what belongs to its organization. */
  const admitted = [
    'GET /v1/auth/me',
    'POST /v1/auth/logout',
    'POST /v1/auth/step-up',
    'POST /v1/auth/token',
    'GET /v1/auth/tokens',
    'DELETE /v1/auth/tokens/{tokenId}',
    'GET /v1/auth/sessions',
    'DELETE /v1/auth/sessions/{sessionId}',
    'POST /v1/members/invite/{token}/accept',
    'GET /v1/orgs/deleted',
    'POST /v1/orgs/deleted/{orgId}/restore',
  ];
  const ofAccount = routes.filter(({ access }) => access.kind === 'account' || access.kind === 'admin');

  it('is refused on every route of the account but these', async () => {
    await apply(here, { required: false, trustFactor: false, requireSecondFactor: false });
    await transact([update(at(organizationRecord, here.slug), { set: { requireProvider: undefined } })]);
    const session = await through(here, people['without a factor']);
    const verdicts: Record<string, string> = {};
    for (const { method, path, access } of ofAccount) {
      const name = `${method} ${path}`;
      if (admitted.includes(name)) continue;
      const asked = path.slice('/v1'.length).replace(/\{\w+\}/g, crypto.randomUUID());
      const code = codeOf(await api.call(method, asked, { as: session, ...(method === 'GET' ? {} : { body: {} }) }));
      if (code !== (access.kind === 'admin' ? 'admin_required' : 'session_confined')) verdicts[name] = code;
    }

    expect(verdicts).toEqual({});
    expect(ofAccount.map(({ method, path }) => `${method} ${path}`)).toEqual(expect.arrayContaining(admitted));
  });
});
