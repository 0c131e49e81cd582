import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { newLink } from '#lib/accounts/account-link.ts';
import type { CredentialExposure, SecretReaders } from '#lib/contracts/audit/exposure.ts';
import { planConfigsMs } from '#lib/plans/effective-limits.ts';
import type { Key } from '#lib/table/entity.ts';
import { ranges } from '#lib/table/keys.ts';
import { at, queryItems } from '#lib/table/read.ts';
import { unpacked } from '#lib/table/records/audit.ts';
import { sessionRecord, tokenRecord } from '#lib/table/records/credentials.ts';
import { organizationRecord } from '#lib/table/records/organization.ts';
import { userRecord } from '#lib/table/records/user.ts';
import { removeAll, transact, update } from '#lib/table/write.ts';
import { type Caller, codeOf, sessionOf, startApi } from '#test/support/api.ts';
import { openWorkplace } from '#test/support/environments.ts';
import { fresh, shared } from '#test/support/fixtures.ts';
import { startIssuer } from '#test/support/issuer.ts';
import { type Person, seedPerson, seedSession, testPassword } from '#test/support/people.ts';
import { expectStatus, issueToPipeline, join } from '#test/support/sample-requests.ts';
import { type App, addApp, logInWithApp, settleFactors } from '#test/support/second-factors.ts';
import { auditEntry, seedAudit } from '#test/support/seed-audit.ts';

const api = shared(() => startApi({ REQUESTS_PER_MINUTE: '-1' }));
const issuer = shared(startIssuer);
const place = fresh(() => openWorkplace(api));
const owner = fresh(() => place.owner);
const both = { A: '1', B: '1' };

const ask = (query: string, as: Caller = owner.session) =>
  api.get(`/audit/${owner.organization.id}/exposure?${query}`, as);
const exposureOf = async (query: string, as?: Caller): Promise<CredentialExposure> =>
  (await expectStatus(ask(query, as), 200)).body;
const readersOf = async (env: string, key: string, as?: Caller): Promise<SecretReaders> =>
  (await expectStatus(ask(`environment=${place.environmentId(env)}&key=${key}`, as), 200)).body;

/** For example `dev A 1,2 pulled, outdated`. */
const shown = ({ exposures }: CredentialExposure) =>
  exposures.map(({ environment, key, versions, how, current }) => {
    return `${environment.slug} ${key} ${versions} ${how}, ${current ? 'current' : 'outdated'}`;
  });

async function issueToken(person: Person, scope: object = {}): Promise<{ id: string; caller: { token: string } }> {
  const body = { name: 'ci', access: 'write', organizationId: owner.organization.id, ...scope };
  const { token, cliToken } = (await expectStatus(api.post('/auth/token', body, person.session), 201)).body;
  return { id: cliToken.id, caller: { token } };
}

async function nextMillisecond(): Promise<string> {
  const started = Date.now();
  while (Date.now() <= started + 1) await setImmediate();
  return new Date(started + 1).toISOString();
}

/** As if the organization had existed for a year, and had not kept entries until then. */
async function loseEntries(untilMs = Date.now()): Promise<void> {
  const organization = at(organizationRecord, owner.organization.slug);
  const createdAt = new Date(Date.now() - 365 * 86_400_000).toISOString();
  await transact([update(organization, { set: { createdAt, retentions: [{ days: 0, untilMs }] } })]);
  await removeAll((await queryItems(ranges.audit(owner.organization.id))) as unknown as Key[]);
}

describe('what a token saw', () => {
  it('is every pull with its versions, whatever became of the token, and nothing of other tokens', async () => {
    const [one, other] = [await issueToken(owner), await issueToken(owner)];
    await place.importAll('dev', both);
    await place.pull('dev', '', { as: one.caller });
    await place.set('dev', 'A', '2');
    await place.pull('dev', '?keys=A', { as: one.caller });
    await place.set('dev', 'A', '3');
    await place.pull('dev', '?keys=B', { as: other.caller });
    await expectStatus(api.delete(`/auth/tokens/${one.id}`, owner.session), 200);
    const ownExposures = ['dev B 1 pulled, current', 'dev A 1,2 pulled, outdated'];
    expect(shown(await exposureOf(`tokenId=${one.id}`))).toEqual(ownExposures);
    expect(shown(await exposureOf(`tokenId=${other.id}`))).toEqual(['dev B 1 pulled, current']);
  });

  it('is limited to the period asked for', async () => {
    const { id, caller } = await issueToken(owner);
    await place.set('dev', 'A', '1');
    await place.pull('dev', '', { as: caller });
    const between = await nextMillisecond();
    await place.set('dev', 'A', '2');
    await place.pull('dev', '', { as: caller });
    const versions = async (period: string) => (await exposureOf(`tokenId=${id}${period}`)).exposures[0]?.versions;
    expect(await versions('')).toEqual([1, 2]);
    expect(await versions(`&since=${between}`)).toEqual([2]);
    expect(await versions(`&until=${between}`)).toEqual([1]);
    expect(await versions(`&since=${between}&until=${between}`)).toBeUndefined();
  });

  it('goes on after the secret that a cursor names, and not with environments that were answered', async () => {
    const { id, caller } = await issueToken(owner);
    for (const env of ['dev', 'staging']) {
      await place.importAll(env, both);
      await place.pull(env, '', { as: caller });
    }
    const [first = '', second = ''] = ['dev', 'staging'].map(place.environmentId).toSorted();
    const to = new Date(Date.now() + 1).toISOString();
    const from = new Date(Date.now() - 60_000).toISOString();
    const listedAfter = async (environment: string, key: string) => {
      const cursor = Buffer.from(JSON.stringify({ from, to, environment, key })).toString('base64url');
      const page = await exposureOf(`tokenId=${id}&after=${cursor}`);
      expect(page.next).toBeDefined();
      const rest = await exposureOf(`tokenId=${id}&after=${page.next}`);
      expect([rest.exposures, rest.next]).toEqual([[], undefined]);
      return page.exposures.map(exposure => `${exposure.environment.id} ${exposure.key}`);
    };
    expect(await listedAfter(first, 'A')).toEqual([`${first} B`, `${second} A`, `${second} B`]);
    expect(await listedAfter(first, '~')).toEqual([`${second} A`, `${second} B`]);
    expect(await listedAfter(second, 'B')).toEqual([]);
  });

  it('has each version of an erased environment that was created after all lost entries', async () => {
    await loseEntries(Date.now() - planConfigsMs - 1000);
    const { id, caller } = await issueToken(owner);
    const path = `${place.projectPath}/environments`;
    await expectStatus(api.post(path, { name: 'QA', slug: 'qa', type: 'development' }, owner.session), 201);
    await place.set('qa', 'A', '1');
    await place.set('qa', 'A', '2');
    await place.pull('qa', '', { as: caller });
    await expectStatus(api.delete(`${path}/qa`, owner.session), 200);
    const answer = await exposureOf(`tokenId=${id}`);
    expect(shown(answer)).toEqual(['qa A 2 pulled, outdated']);
  });
});

it('what was seen of an erased environment whose changes are no longer in the log includes every key that an entry names, with no version', async () => {
  await loseEntries(Date.now() - 2 * planConfigsMs);
  const environment = { id: randomUUID(), slug: 'gone' };
  const tokenId = randomUUID();
  const pulls = [['LOST'], undefined].map((keys, n) =>
    auditEntry('secret.pulled', Date.now() - 1000 + n, {
      actor: { id: owner.user.id, email: owner.email, type: 'token', tokenId },
      environment,
      revision: 17,
      ...(keys === undefined ? {} : { keys }),
    }),
  );
  // Somebody deleted it before, but later changes may be lost.
  const deleted = auditEntry('secret.deleted', Date.now() - 3000, { environment, revision: 9, keys: ['DELETED'] });
  await seedAudit(owner.organization.id, [...pulls, deleted]);
  const answer = await exposureOf(`tokenId=${tokenId}&since=${new Date(Date.now() - 5000).toISOString()}`);
  expect(shown(answer)).toEqual(['gone DELETED  pulled, outdated', 'gone LOST  pulled, outdated']);
  expect(answer.incomplete).toEqual([{ reason: 'environment_erased', environment: environment.id }]);
});

describe('what an unknown credential saw', () => {
  it('is nothing, and those of other tenants are unknown', async () => {
    const stranger = await openWorkplace(api);
    await stranger.set('dev', 'A', '1');
    const body = { name: 'ci', access: 'write', organizationId: stranger.owner.organization.id };
    const theirs = (await expectStatus(api.post('/auth/token', body, stranger.owner.session), 201)).body;
    await stranger.pull('dev', '', { as: { token: theirs.token } });
    const unknown = await exposureOf(`tokenId=${randomUUID()}`);
    expect(unknown).toMatchObject({ subject: { name: null }, complete: true, exposures: [] });
    for (const [parameter, id] of [
      ['tokenId', theirs.cliToken.id],
      ['userId', stranger.owner.user.id],
    ]) {
      const answer = await exposureOf(`${parameter}=${id}`);
      expect({ ...answer, subject: undefined }).toEqual({ ...unknown, subject: undefined });
    }
  });

  it('may be everything if entries are lost, also for a token of a member in another organization', async () => {
    await place.set('dev', 'A', '1');
    const foreign = await seedPerson();
    await join(api, foreign, owner);
    const elsewhere = await issueToken(owner, { organizationId: foreign.organization.id });
    const own = await issueToken(owner, { projectId: place.project.id, environmentId: place.environmentId('staging') });
    await loseEntries();
    const until = new Date().toISOString();
    const unknown = await exposureOf(`tokenId=${randomUUID()}&until=${until}`);
    expect(unknown.incomplete).toEqual([{ reason: 'retention', before: expect.any(String) }]);
    expect(shown(unknown)).toEqual(['dev A 1 , current']);
    const answer = await exposureOf(`tokenId=${elsewhere.id}&until=${until}`);
    const told = ({ incomplete, exposures }: CredentialExposure) => ({ incomplete, exposures });
    expect(told(answer)).toEqual(told(unknown));
    // What is known of a token narrows the doubt.
    expect(shown(await exposureOf(`tokenId=${own.id}&until=${until}`))).toEqual([]);
  });
});

describe('a comparison of many keys', () => {
  const keys = Array.from({ length: 30 }, (_, n) => `K${n}`.padEnd(250, '_'));
  const all = Object.fromEntries(keys.map(key => [key, '1']));
  const [first = '', ...others] = keys;
  const dryRun = (secrets: object, { session }: Person) =>
    expectStatus(place.importAll('dev', secrets, { as: session, query: '?dryRun=true' }), 200);

  it('that covers the environment names none of them, and exposes each exactly', async () => {
    await place.importAll('dev', all);
    const reader = await place.member('developer');
    await dryRun(all, reader);
    await place.set('dev', 'LATER', '1');
    const entries = await place.entriesOf('secret.compared');
    expect(entries).toHaveLength(1);
    expect(JSON.stringify(entries[0]).length).toBeLessThan(1000);
    const answer = await exposureOf(`userId=${reader.user.id}`);
    expect(answer.complete).toBe(true);
    expect(shown(answer)).toEqual(keys.toSorted().map(key => `dev ${key} 1 compared, current`));
    const path = `/audit/${owner.organization.id}?action=secret.compared&key=`;
    const totalOf = async (key: string) => (await api.get(path + key, owner.session)).body.pagination.total;
    expect([await totalOf(first), await totalOf('LATER')]).toEqual([1, 0]);
  });

  it('names its keys if it leaves one out', async () => {
    await place.importAll('dev', all);
    const reader = await place.member('developer');
    const secrets = { ...all, [first]: 'a guess' };
    await dryRun(secrets, reader);
    const answer = await exposureOf(`userId=${reader.user.id}`);
    expect(answer.complete).toBe(true);
    expect(shown(answer)).toEqual(others.toSorted().map(key => `dev ${key} 1 compared, current`));
  });

  it('of two environments names none of them either', async () => {
    await Promise.all([place.importAll('dev', all), place.importAll('staging', all)]);
    const reader = await place.member('developer');
    await expectStatus(api.get(place.at('dev', '/compare?with=staging'), reader.session), 200);
    const answer = await exposureOf(`userId=${reader.user.id}`);
    expect(answer.complete).toBe(true);
    const environments = answer.exposures.map(({ environment }) => environment.slug);
    expect(environments.toSorted()).toEqual(['dev', 'staging'].flatMap(env => keys.map(() => env)));
    const items = (await queryItems(ranges.audit(owner.organization.id))).map(unpacked);
    const compared = items.filter(({ action }) => action === 'secret.compared');
    expect(compared.map(item => 'keys' in item)).toEqual([false, false]);
  });
});

it('what a session saw includes what it saw before it stepped up, and ends with it', async () => {
  const currentId = async (session: Caller): Promise<string> => {
    const { sessions } = (await expectStatus(api.get('/auth/sessions', session), 200)).body;
    return sessions.find(({ current }: { current: boolean }) => current).id;
  };
  await place.importAll('dev', both);
  const reader = await place.member('developer');
  const id = await currentId(reader.session);
  await place.pull('dev', '?keys=A', { as: reader.session });
  let session: Caller = reader.session;
  for (const key of ['B', 'A']) {
    const stepped = await expectStatus(api.post('/auth/step-up', { password: testPassword }, session), 200);
    session = sessionOf(stepped);
    await place.pull('dev', `?keys=${key}`, { as: session });
  }

  expect(await currentId(session)).toBe(id);
  const answer = await exposureOf(`sessionId=${id}`);
  expect(answer.complete).toBe(true);
  expect(shown(answer)).toEqual(['dev A 1 pulled, current', 'dev B 1 pulled, current']);
  await expectStatus(api.delete(`/auth/sessions/${id}`, session), 200);
  expect((await place.pull('dev', '', { as: session })).status).toBe(401);
});

describe('everyone who knows a secret', () => {
  const accessOf = ({ readers }: SecretReaders) =>
    Object.fromEntries(readers.map(({ actor, hasAccess }) => [actor.email ?? actor.name, hasAccess]));

  it('is listed with the access of today: by role, membership, and type of the environment', async () => {
    const roles = ['admin', 'developer', 'viewer'] as const;
    const [admin, developer, viewer] = (await Promise.all(roles.map(place.member))) as [Person, Person, Person];
    await place.set('dev', 'A', '1');
    for (const { session } of [admin, developer, viewer]) await place.pull('dev', '', { as: session });
    const all = { [owner.email]: true, [admin.email]: true, [developer.email]: true, [viewer.email]: true };
    expect(accessOf(await readersOf('dev', 'A'))).toEqual(all);

    const { members } = (await api.get(`/members/${owner.organization.id}`, owner.session)).body;
    const idOf = (person: Person) => members.find(({ email }: { email: string }) => email === person.email).id;
    await expectStatus(api.delete(`/members/${owner.organization.id}/${idOf(admin)}`, owner.session), 200);
    const path = `${place.projectPath}/environments/dev`;
    await expectStatus(api.patch(path, { type: 'staging' }, owner.session), 200);
    expect(accessOf(await readersOf('dev', 'A'))).toEqual({ ...all, [admin.email]: false, [viewer.email]: false });
  });

  it('has no access without the second factor that the organization requires', async () => {
    const developer = await place.member('developer');
    await place.set('dev', 'A', '1');
    await place.pull('dev', '', { as: developer.session });
    await transact([
      update(at(organizationRecord, owner.organization.slug), { set: { requireSecondFactor: true } }),
      update(at(userRecord, owner.user.id), { set: { passkeyCount: 1 } }),
    ]);
    expect((await place.pull('dev', '', { as: developer.session })).status).toBe(403);
    const session = await seedSession(owner);
    expect(accessOf(await readersOf('dev', 'A', session))).toEqual({ [owner.email]: true, [developer.email]: false });
  });

  it('has access with every credential that passes a pull’s checks, and with no other', async () => {
    const factors = ['own', 'provider', 'token', 'none'] as const;
    const people = await Promise.all(factors.map(async factor => [factor, await place.member('developer')] as const));
    const persons = Object.fromEntries(people) as Record<(typeof factors)[number], Person>;
    await place.set('dev', 'A', '1');
    const token = await issueToken(persons.token);
    await Promise.all(
      people.map(([factor, { session }]) => place.pull('dev', '', { as: factor === 'token' ? token.caller : session })),
    );
    const { organization } = owner;
    const clientVersion = randomUUID();
    const { id: organizationId, slug: orgSlug } = organization;
    const proof = { trustedFactor: true, confined: true, person: randomUUID() };
    const provider = { organizationId, orgSlug, clientVersion, ...proof };
    const sessionItem = async ({ user }: Person) => {
      const range = ranges.sessions(user.id);
      const [item] = await queryItems(range);
      return at(sessionRecord, user.id, String(item?.sk).slice(range.beginsWith.length));
    };
    const [tokenItem] = await queryItems(ranges.tokens(persons.token.user.id));
    const tokenOf = at(tokenRecord, persons.token.user.id, String(tokenItem?.sk).slice('TOKEN#'.length));
    await transact([
      update(at(organizationRecord, organization.slug), {
        set: { requireSecondFactor: true, trustProviderFactor: true, providerVersion: clientVersion },
      }),
      update(at(userRecord, owner.user.id), { set: { passkeyCount: 1 } }),
      update(at(userRecord, persons.own.user.id), { set: { passkeyCount: 1 } }),
      update(await sessionItem(persons.provider), { set: { provider } }),
      update(tokenOf, { set: { secondFactor: true } }),
    ]);
    const session = await seedSession(owner);
    const ownSession = await seedSession(persons.own);
    const callers = [ownSession, persons.provider.session, token.caller, persons.none.session];
    const pulls = await Promise.all(callers.map(as => place.pull('dev', '', { as })));
    expect(pulls.map(({ status }) => status)).toEqual([200, 200, 200, 403]);
    const expected = (access: Record<string, boolean>) =>
      Object.fromEntries(people.map(([factor, { email }]) => [email, access[factor]]));
    expect(accessOf(await readersOf('dev', 'A', session))).toEqual({
      [owner.email]: true,
      ...expected({ own: true, provider: true, token: true, none: false }),
    });

    // Now the provider is required, and neither a token from elsewhere nor a developer's own log-in passes.
    await transact([update(at(organizationRecord, organization.slug), { set: { requireProvider: true } })]);
    const brokenGlass = await seedSession(owner, [organization.id]);
    expect(accessOf(await readersOf('dev', 'A', brokenGlass))).toEqual({
      [owner.email]: true,
      ...expected({ own: false, provider: true, token: false, none: false }),
    });
  });

  it('has access if a log-in that breaks glass, or a link to the provider that still holds, passes', async () => {
    const { organization } = owner;
    const roles = ['owner', 'owner', 'developer'] as const;
    const [settled, young, linked] = (await Promise.all(roles.map(place.member))) as [Person, Person, Person];
    await place.set('dev', 'A', '1');
    for (const { session } of [settled, young, linked]) await place.pull('dev', '', { as: session });
    const apps = { settled: await addApp(api, settled), young: await addApp(api, young) };
    await settleFactors(settled.user.id);
    const target = { organizationId: organization.id, orgSlug: organization.slug, person: 'ada', issuer: issuer.url };
    await transact([
      update(at(organizationRecord, organization.slug), {
        set: { providerVersion: randomUUID(), requireProvider: true, providerRequiredAt: new Date(0).toISOString() },
      }),
      update(at(userRecord, owner.user.id), { set: { passkeyCount: 1 } }),
      ...newLink(linked.user, target, { replaced: undefined }),
    ]);
    const session = await seedSession(owner, [organization.id]);
    const access = { [owner.email]: true, [settled.email]: true, [young.email]: false, [linked.email]: true };
    expect(accessOf(await readersOf('dev', 'A', session))).toEqual(access);
    const pullAfterLogIn = async (person: Person, app: App) =>
      (await place.pull('dev', '', { as: await logInWithApp(api, person, app) })).status;
    expect(await pullAfterLogIn(settled, apps.settled)).toBe(200);
    expect(await pullAfterLogIn(young, apps.young)).toBe(403);

    // Recovering the account ends its links.
    await transact([update(at(userRecord, linked.user.id), { set: { linkEpoch: 1 } })]);
    expect(accessOf(await readersOf('dev', 'A', session))).toEqual({ ...access, [linked.email]: false });
  });

  it('includes deployers, in their own environment', async () => {
    const scope = { projectId: place.project.id, environmentId: place.environmentId('production') };
    const { id, name, token } = await issueToPipeline(api, issuer, owner, { role: 'deployer', ...scope });
    await place.set('production', 'A', '1');
    await expectStatus(place.pull('production', '', { as: { token } }), 200);
    expect(accessOf(await readersOf('production', 'A'))).toEqual({ [owner.email]: true, [name]: true });
    await expectStatus(api.delete(`/identities/${owner.organization.id}/${id}`, owner.session), 200);
    const [latest] = (await readersOf('production', 'A')).readers;
    expect(latest).toMatchObject({ actor: { id, name, type: 'identity' }, hasAccess: false });
    expect(shown(await exposureOf(`identityId=${id}`))).toEqual(['production A 1 pulled, current']);
  });

  it('includes who saw an equal version that was restored since', async () => {
    const developer = await place.member('developer');
    await place.set('dev', 'A', '1');
    await place.pull('dev', '', { as: developer.session });
    await place.set('dev', 'A', '2');
    expect(accessOf(await readersOf('dev', 'A'))).toEqual({ [owner.email]: true });
    await expectStatus(place.restore('dev', { revision: 1 }), 200);
    const answer = await readersOf('dev', 'A');
    expect(answer.version).toBe(3);
    expect(accessOf(answer)).toEqual({ [owner.email]: true, [developer.email]: true });
  });

  it('includes the author of the value even if its entry is gone', async () => {
    const developer = await place.member('developer');
    await place.set('dev', 'A', '1', { as: developer.session });
    await loseEntries();
    const answer = await readersOf('dev', 'A');
    expect(answer).toMatchObject({ complete: false, incomplete: [{ reason: 'retention' }] });
    expect(answer.readers).toEqual([
      {
        actor: { id: developer.user.id, email: developer.email, type: 'user' },
        tokenIds: [],
        firstAt: expect.any(String),
        lastAt: expect.any(String),
        hasAccess: true,
      },
    ]);
  });

  it('can only be asked of a secret and an environment that exist in the organization', async () => {
    const stranger = await openWorkplace(api);
    await stranger.set('dev', 'A', '1');
    const code = async (environment: string | undefined) => codeOf(await ask(`environment=${environment}&key=A`));
    expect(await code(stranger.environmentId('dev'))).toBe('404 environment_not_found');
    expect(await code(randomUUID())).toBe('404 environment_not_found');
    expect(await code(place.environmentId('dev'))).toBe('404 secret_not_found');
    await place.set('dev', 'A', '1');
    await place.remove('dev', 'A');
    expect(await code(place.environmentId('dev'))).toBe('404 secret_not_found');
  });
});

describe('a question about exposure', () => {
  const cursorOf = (content: object) => Buffer.from(JSON.stringify(content)).toString('base64url');
  it.each([
    cursorOf({}),
    cursorOf({ from: 'yesterday' }),
    cursorOf({ from: '2026-02-31T00:00:00.000Z' }),
    cursorOf({ from: '2026-99-99T99:99:99.999Z' }),
    cursorOf({ from: '2026-02-01T00:00:00.000Z', to: '2026-13-01T00:00:00.000Z' }),
    cursorOf({ from: '2026-02-01T00:00:00.000Z', environment: 'dev' }),
    cursorOf({ from: '2026-02-01T00:00:00.000Z', key: 'K'.repeat(257) }),
    'x',
    '',
  ])('is refused with the cursor %j, as are all others about the log', async after => {
    const log = `/audit/${owner.organization.id}`;
    const paths = [
      `${log}/exposure?userId=${owner.user.id}&`,
      `${log}/exposure?environment=${place.environmentId('dev')}&key=A&`,
    ];
    await place.set('dev', 'A', '1');
    for (const path of [...paths, `${log}/feed?`, `${log}?`]) {
      const answer = await api.get(`${path}after=${after}`, owner.session);
      const details = [expect.objectContaining({ path: 'after' })];
      expect([path, codeOf(answer), answer.body.error.details]).toEqual([path, '400 invalid_request', details]);
    }
  });

  it.each([
    '',
    'tokenId=x',
    `tokenId=${randomUUID()}&userId=${randomUUID()}`,
    `environment=${randomUUID()}`,
    'key=A',
    `tokenId=${randomUUID()}&key=A`,
    `environment=${randomUUID()}&key=A&userId=${randomUUID()}`,
  ])('is refused if it does not ask about one thing: ?%s', async query => {
    expect(codeOf(await ask(query))).toBe('400 invalid_request');
  });
});
