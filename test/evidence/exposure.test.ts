import { describe, expect, it } from 'vitest';
import type { CredentialExposure, Exposure, SecretReaders } from '#lib/contracts/audit/exposure.ts';
import { shared } from '#test/support/fixtures.ts';
import { type Caller, startApi } from '../support/api.ts';
import { openWorkplace, type Workplace } from '../support/environments.ts';
import { startIssuer } from '../support/issuer.ts';
import { type Person, seedPerson, seedSession } from '../support/people.ts';
import { expectStatus, issueToPipeline } from '../support/sample-requests.ts';
import { randomFrom, seed } from '../support/seed.ts';
import { type Credential, Environment, mayRead, type Seen, World } from './world.ts';

const operations = Number(process.env.OPERATIONS ?? 500);
const api = shared(() => startApi({ REQUESTS_PER_MINUTE: '-1' }));
const issuer = shared(startIssuer);

async function openWorld(): Promise<{ world: World; owner: Person }> {
  const place = await openWorkplace(api);
  const { owner, project } = place;
  for (const key of ['API_KEY', 'TOKEN']) {
    const body = { key, required: false, pattern: '^value' };
    await expectStatus(api.post(`/templates/${owner.organization.slug}/${project.slug}`, body, owner.session), 201);
  }
  const world = new World(api, place, await credentialsOf(place), randomFrom(seed));
  const { environments } = (await api.get(place.projectPath, owner.session)).body.project;
  for (const one of environments) world.environments.push(new Environment({ ...one, revision: 0 }));
  await world.addEnvironment();
  return { world, owner };
}

async function credentialsOf({ owner, member }: Workplace): Promise<Credential[]> {
  const { id: organizationId } = owner.organization;
  const admin = await member('admin');
  const tokenBody = { name: 'ci', access: 'write', organizationId };
  const { token, cliToken } = (await expectStatus(api.post('/auth/token', tokenBody, admin.session), 201)).body;
  const identity = await issueToPipeline(api, issuer, owner, { access: 'write' });
  const credential = (name: string, caller: Caller, actorId: string, question: string): Credential => {
    return { name, caller, actorId, question, isDeveloper: name === 'identity', seen: [] };
  };
  const session = async (name: string, person: Person, caller: Caller) => {
    const { sessions } = (await expectStatus(api.get('/auth/sessions', caller), 200)).body;
    const { id } = sessions.find(({ current }: { current: boolean }) => current);
    return credential(name, caller, person.user.id, `sessionId=${id}`);
  };
  return [
    await session('owner', owner, owner.session),
    await session('owner elsewhere', owner, await seedSession(owner)),
    await session('admin', admin, admin.session),
    credential('token', { token }, admin.user.id, `tokenId=${cliToken.id}`),
    credential('identity', { token: identity.token }, identity.id, `identityId=${identity.id}`),
  ];
}

async function ask(orgId: string, question: string, as: Caller): Promise<CredentialExposure> {
  const first: CredentialExposure = (await expectStatus(api.get(`/audit/${orgId}/exposure?${question}`, as), 200)).body;
  expect(first.next).toBeUndefined();
  return first;
}

type Expected = Pick<Exposure, 'key' | 'versions' | 'how' | 'current'> & { environment: string; type: string | null };

const ways = ['pulled', 'history', 'compared', 'written', 'validated'] as const;

function expectedOf(seen: readonly Seen[], isWanted: (environment: Environment) => boolean): Expected[] {
  const groups = Map.groupBy(
    seen.filter(({ environment }) => isWanted(environment)),
    one => `${one.environment.id} ${one.key}`,
  );
  return [...groups.values()].map(some => {
    const [{ environment, key }] = some as [Seen];
    const now = environment.isGone ? undefined : environment.at().get(key)?.origin;
    return {
      environment: environment.id,
      type: environment.isGone ? null : environment.type,
      key,
      versions: [...new Set(some.map(({ version }) => version))].toSorted((a, b) => a - b),
      how: ways.filter(way => some.some(({ how }) => how === way)),
      current: some.some(({ origin }) => origin === now),
    };
  });
}

const inOrder = <T extends { environment: string; key: string }>(some: readonly T[]) =>
  some.toSorted((a, b) => (`${a.environment} ${a.key}` < `${b.environment} ${b.key}` ? -1 : 1));

function shown({ exposures }: CredentialExposure): Expected[] {
  return exposures.map(({ environment, key, versions, how, current }) => {
    return { environment: environment.id, type: environment.type, key, versions, how, current };
  });
}

function expectNothingMissing(answer: CredentialExposure, seen: readonly Seen[]): void {
  const listed = new Map(shown(answer).map(one => [`${one.environment} ${one.key}`, one]));
  for (const { environment, key, versions, current } of expectedOf(seen, () => true)) {
    const one = listed.get(`${environment} ${key}`);
    expect(one, `${key} of ${environment}`).toBeDefined();
    expect(one?.versions).toEqual(expect.arrayContaining(versions));
    if (current) expect(one?.current).toBe(true);
  }
}

async function expectAnswers(world: World, owner: Person): Promise<void> {
  const byActor = Map.groupBy(world.credentials, ({ actorId }) => actorId);
  const people = [...byActor].flatMap(([id, some]) => {
    const isPerson = some.every(({ name }) => name !== 'identity');
    return isPerson ? [{ question: `userId=${id}`, seen: some.flatMap(({ seen }) => seen) }] : [];
  });
  for (const { question, seen } of [...world.credentials, ...people]) {
    const answer = await ask(owner.organization.id, question, owner.session);
    const exact = expectedOf(seen, ({ isGone }) => !isGone);
    const live = new Set(world.live().map(({ id }) => id));
    expect(inOrder(shown(answer).filter(({ environment }) => live.has(environment))), question).toEqual(inOrder(exact));
    expectNothingMissing(answer, seen);
    const gone = new Set(seen.filter(({ environment }) => environment.isGone).map(({ environment }) => environment.id));
    const erased = (answer.incomplete ?? []).map(({ environment }) => environment);
    // More may have been seen: not every entry says whether it set or deleted a key.
    expect(erased).toEqual(expect.arrayContaining([...gone]));
    expect(erased.filter(id => id === undefined || live.has(id))).toEqual([]);
    expect(answer.complete).toBe(erased.length === 0);
    const order = answer.exposures.map(({ current }) => current);
    expect(order).toEqual(order.toSorted((a, b) => Number(b) - Number(a)));
  }
}

async function expectReaders(
  world: World,
  owner: Person,
  hasAccess: (credential: Credential, environment: Environment) => boolean,
): Promise<void> {
  for (const environment of world.live()) {
    for (const [key, { origin, version }] of environment.at()) {
      const question = `environment=${environment.id}&key=${key}`;
      const path = `/audit/${owner.organization.id}/exposure?${question}`;
      const answer: SecretReaders = (await expectStatus(api.get(path, owner.session), 200)).body;
      const knowing = world.credentials.filter(({ seen }) =>
        seen.some(one => one.environment === environment && one.key === key && one.origin === origin),
      );
      expect(answer).toMatchObject({ key, version, complete: true });
      expect(Object.fromEntries(answer.readers.map(reader => [reader.actor.id, reader.hasAccess]))).toEqual(
        Object.fromEntries(knowing.map(one => [one.actorId, hasAccess(one, environment)])),
      );
    }
  }
}

async function endAllBut(owner: Person, { credentials }: World): Promise<void> {
  const { id: orgId } = owner.organization;
  const named = (name: string) => credentials.find(one => one.name === name);
  const [, sessionId] = named('owner elsewhere')?.question.split('=') ?? [];
  await expectStatus(api.delete(`/auth/sessions/${sessionId}`, owner.session), 200);
  await expectStatus(api.delete(`/identities/${orgId}/${named('identity')?.actorId}`, owner.session), 200);
  const { members } = (await expectStatus(api.get(`/members/${orgId}`, owner.session), 200)).body;
  for (const { id, role } of members) {
    if (role !== 'owner') await expectStatus(api.delete(`/members/${orgId}/${id}`, owner.session), 200);
  }
}

describe(`what a credential saw, in ${operations} random operations with the seed ${seed}`, () => {
  it('is what the service answers, for each credential and for each secret', async () => {
    const { world, owner } = await openWorld();
    const done: string[] = [];
    for (let count = 0; count < operations; count += 1) done.push(await world.step());
    const kinds = new Set(done.filter(line => / [23]\d\d$/.test(line)).map(line => line.split(' ')[0]));
    expect(kinds.size, [...kinds].join(' ')).toBeGreaterThan(20);

    await expectAnswers(world, owner);
    await expectReaders(world, owner, mayRead);
    await endAllBut(owner, world);
    await expectAnswers(world, owner);
    await expectReaders(world, owner, ({ actorId }) => actorId === owner.user.id);
  });

  it('is a part of the answer if retention has taken entries', async () => {
    const { world, owner } = await openWorld();
    const platform = await seedPerson({ isAdmin: true });
    const retain = (auditRetentionDays: number) => {
      const body = { limitOverrides: { auditRetentionDays } };
      return expectStatus(api.patch(`/admin/orgs/${owner.organization.id}`, body, platform.session), 200);
    };
    await retain(0);
    for (let count = 0; count < operations / 4; count += 1) await world.step();
    await retain(90);
    for (let count = 0; count < operations / 4; count += 1) await world.step();
    for (const { question, seen } of world.credentials) {
      const answer = await ask(owner.organization.id, question, owner.session);
      expect(answer.complete).toBe(false);
      expect(answer.incomplete).toContainEqual({ reason: 'retention', before: expect.any(String) });
      expectNothingMissing(
        answer,
        seen.filter(({ environment }) => !environment.isGone),
      );
    }
  });
});
