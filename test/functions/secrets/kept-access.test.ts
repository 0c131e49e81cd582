import { DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { resetProcessMemory } from '#lib/core/process-memory.ts';
import { requiredSetting } from '#lib/core/settings.ts';
import { tableClient } from '#lib/table/client.ts';
import type { Key } from '#lib/table/entity.ts';
import { keys } from '#lib/table/keys.ts';
import { type Answer, type Caller, codeOf, createToken } from '#test/support/api.ts';
import { createWhenFree } from '#test/support/create-when-free.ts';
import { openWorkplace } from '#test/support/environments.ts';
import { fresh, shared } from '#test/support/fixtures.ts';
import { identityOf } from '#test/support/issuer.ts';
import type { AwsCall, Conductor } from '#test/support/observe-calls.ts';
import { recordRequest, startObservedApi, withFault } from '#test/support/observed-api.ts';
import { seedPerson } from '#test/support/people.ts';
import { countsOf } from '#test/support/record-calls.ts';
import { assertionOf, expectStatus, memberIdOf, sampleIssuer, sampleKeys } from '#test/support/sample-requests.ts';
import { conflict, hidingTransactions } from '#test/support/seen-item-by-item.ts';

/* Time stands still, unless a test says otherwise: requests follow each other at once, and nothing expires. */

const api = shared(() => startObservedApi({ STEP_UP_FRESH_SECONDS: '86400' }));
const place = fresh(() => openWorkplace(api));
const startedAt = Date.now();

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: startedAt });
  resetProcessMemory('kept-access');
});
afterEach(() => {
  vi.useRealTimers();
});

type Send = (headers: Record<string, string>) => Promise<Answer>;

/** The organization's items that a call reads, once for each unit. */
function unitsOfOrganization({ operation, input }: AwsCall): string[] {
  const read: Record<string, () => Key[]> = {
    GetItem: () => [input.Key],
    BatchGetItem: () => Object.values<{ Keys: Key[] }>(input.RequestItems).flatMap(({ Keys }) => Keys),
    TransactGetItems: () => input.TransactItems.flatMap(({ Get }: { Get: { Key: Key } }) => [Get.Key, Get.Key]),
    Query: () => [{ pk: input.ExpressionAttributeValues[':pk'], sk: 'a query' }],
  };
  const ofPartition = (read[operation]?.() ?? []).filter(({ pk }) => pk.startsWith('ORG#'));
  return ofPartition.map(({ sk }) => sk.split('#')[0] as string).sort();
}

async function reads(send: Send) {
  const { answer, calls } = await recordRequest(send);
  expect(answer.status).toBeLessThan(400);
  return { organization: calls.flatMap(unitsOfOrganization), ...countsOf(calls) };
}

const pullAs =
  (as: Caller, query = ''): Send =>
  headers =>
    place.pull('dev', query, { as, headers });

async function until(times: number, send: Send) {
  for (let count = 1; count < times; count += 1) await expectStatus(send({}), 200, 201, 304);
  return reads(send);
}

describe('the third request with a token within a second', () => {
  it('costs the organization’s partition one read unit for a pull, and the first one as much as ever', async () => {
    const token = await createToken(api, place.owner);
    await place.set('dev', 'KEY', 'value');

    const [first, second, third] = [await reads(pullAs(token)), await reads(pullAs(token)), await reads(pullAs(token))];

    expect(first.organization.sort()).toEqual(['MEMBER', 'ORG', 'PROJECT']);
    expect(second.organization.sort()).toEqual(['MEMBER', 'MEMBER', 'ORG', 'ORG', 'PROJECT', 'PROJECT']);
    expect(third.organization).toEqual(['ORG']);
    expect(third).toMatchObject({ readUnits: 3, roundTrips: 2 });
  });

  it.each([
    ['named keys', '?keys=KEY'],
    ['a list of keys', '/keys'],
    ['versions', '/versions/KEY?values=true'],
    ['revisions', '/revisions'],
  ])('also for %s', async (_, path) => {
    const token = await createToken(api, place.owner);
    await place.set('dev', 'KEY', 'value');
    expect((await until(3, pullAs(token, path))).organization).toEqual(['ORG']);
  });

  it('also for one that finds nothing new, and a change reads neither member nor project', async () => {
    const token = await createToken(api, place.owner);
    const { revision } = (await place.set('dev', 'KEY', 'value')).body;
    const since: Send = headers =>
      place.pull('dev', '', { as: token, headers: { ...headers, 'if-none-match': `"${revision}"` } });
    expect((await until(3, since)).organization).toEqual(['ORG']);

    const change: Send = headers => place.set('dev', 'KEY', `${Math.random()}`, { as: token, headers });
    expect((await until(3, change)).organization).not.toContain('MEMBER');
    expect((await until(1, change)).organization).not.toContain('PROJECT');
  });

  it('costs no more than the first if it comes from a stranger', async () => {
    const stranger = await createToken(api, await seedPerson());
    for (let count = 0; count < 3; count += 1) {
      const { answer, calls } = await recordRequest(pullAs(stranger));
      expect(codeOf(answer)).toBe('404 organization_not_found');
      expect(calls.map(({ operation }) => operation)).not.toContain('TransactGetItems');
    }
  });

  it('reads everything again a second later, and again five seconds after it was kept', async () => {
    const token = await createToken(api, place.owner);
    await expectStatus(pullAs(token)({}), 200);
    vi.setSystemTime(startedAt + 1_000);
    expect((await reads(pullAs(token))).organization.sort()).toEqual(['MEMBER', 'ORG', 'PROJECT']);
    expect((await until(2, pullAs(token))).organization).toEqual(['ORG']);
    vi.setSystemTime(startedAt + 6_000);
    expect((await reads(pullAs(token))).organization.sort()).toEqual(['MEMBER', 'ORG', 'PROJECT']);
  });
});

async function identity(changes: object = {}) {
  const { organization, session } = place.owner;
  const body = { ...identityOf(sampleIssuer, await sampleKeys()), ...changes };
  const { id } = (await expectStatus(api.post(`/identities/${organization.id}`, body, session), 201)).body.identity;
  const { token } = (await expectStatus(api.post('/auth/exchange', await assertionOf(place.owner, id)), 201)).body;
  return { path: `/identities/${organization.id}/${id}`, as: { token } };
}

async function developer() {
  const person = await place.member('developer');
  const id = await memberIdOf(api, place.owner, person);
  return { person, path: `/members/${place.owner.organization.id}/${id}`, as: await createToken(api, person) };
}

interface Revocation {
  as: Caller;
  /** Each is one request. */
  changes: ((headers: Record<string, string>) => Promise<Answer>)[];
  refused: string;
  request?: (as: Caller, headers: Record<string, string>) => Promise<Answer>;
}

const pull = (as: Caller, headers: Record<string, string>) => place.pull('dev', '', { as, headers });
const write = (as: Caller, headers: Record<string, string>) => place.set('dev', 'KEY', 'value', { as, headers });

const revocations: Record<string, () => Promise<Revocation>> = {
  'a removal': async () => {
    const { path, as } = await developer();
    const changes = [(headers: Record<string, string>) => api.delete(path, place.owner.session, headers)];
    return { as, changes, refused: '404 organization_not_found' };
  },
  leaving: async () => {
    const { person, as } = await developer();
    const path = `/members/${place.owner.organization.id}/me`;
    const changes = [(headers: Record<string, string>) => api.delete(path, person.session, headers)];
    return { as, changes, refused: '404 organization_not_found' };
  },
  'another role': async () => {
    const { path, as } = await developer();
    const changes = [
      (headers: Record<string, string>) => api.patch(path, { role: 'viewer' }, place.owner.session, headers),
    ];
    return { as, changes, refused: '403 forbidden', request: write };
  },
  'another trust of an identity': async () => {
    const { path, as } = await identity();
    const claims = { ...identityOf(sampleIssuer).claims, ref: 'refs/heads/other' };
    return {
      as,
      changes: [headers => api.patch(path, { claims }, place.owner.session, headers)],
      refused: '401 unauthenticated',
    };
  },
  'another access of an identity': async () => {
    const { path, as } = await identity({ access: 'write', role: 'developer' });
    const change = (headers: Record<string, string>) =>
      api.patch(path, { access: 'read' }, place.owner.session, headers);
    return { as, changes: [change], refused: '403 insufficient_scope', request: write };
  },
  'the deletion of an identity': async () => {
    const { path, as } = await identity();
    return { as, changes: [headers => api.delete(path, place.owner.session, headers)], refused: '401 unauthenticated' };
  },
  'the deletion of the project': async () => {
    const as = await createToken(api, place.owner);
    return {
      as,
      changes: [headers => api.delete(place.projectPath, place.owner.session, headers)],
      refused: '404 project_not_found',
    };
  },
};

describe('what was kept', () => {
  it.each(Object.entries(revocations))(
    'is not used after %s, whose items become visible one by one',
    async (_, make) => {
      await place.set('dev', 'KEY', 'value');
      const { as, changes, refused, request = pull } = await make();
      const { reader, writer } = hidingTransactions();
      const send = (conductor: Conductor = reader) => withFault({ conductor }, headers => request(as, headers));
      for (let count = 0; count < 3; count += 1) await expectStatus(send(), 200, 201);
      let during = 0;

      for (const change of changes) {
        const between = async () => {
          during += 1;
          const code = codeOf(await send());
          expect(code === refused || code.startsWith('20')).toBe(true);
        };
        await expectStatus(withFault({ conductor: writer(between) }, change), 200, 204);
      }

      expect(during).toBeGreaterThan(1);
      for (let count = 0; count < 4; count += 1) expect(codeOf(await send())).toBe(refused);
    },
  );

  it('is not used for a new project under the slug', async () => {
    const token = await createToken(api, place.owner);
    await place.set('dev', 'KEY', 'of the old project');
    for (let count = 0; count < 3; count += 1) await expectStatus(pull(token, {}), 200);
    vi.useRealTimers();
    await expectStatus(api.delete(place.projectPath, place.owner.session), 200);
    const { name, slug } = place.project as unknown as { name: string; slug: string };
    await createWhenFree(api, `/projects/${place.owner.organization.id}`, { name, slug }, place.owner.session);
    await expectStatus(place.set('dev', 'OTHER', 'of the new project'), 201);

    const { body } = await expectStatus(pull(token, {}), 200);

    expect(body.secrets).toMatchObject([{ key: 'OTHER', value: 'of the new project' }]);
  });

  it('follows rotations of the data key', async () => {
    const token = await createToken(api, place.owner);
    await place.set('dev', 'KEY', 'value');
    for (let count = 0; count < 3; count += 1) await expectStatus(pull(token, {}), 200);
    vi.useRealTimers();
    await expectStatus(place.rotateKey(), 202);
    await expectStatus(place.set('dev', 'OTHER', 'under the new key', { as: token }), 201);
    for (let count = 0; count < 3; count += 1) await expectStatus(pull(token, {}), 200);
    await place.whenRotated();
    for (let count = 0; count < 3; count += 1) {
      const { body } = await expectStatus(pull(token, {}), 200);
      expect(body.secrets).toMatchObject([{ value: 'value' }, { value: 'under the new key' }]);
    }
  });

  it('outlives a change by code that doesn’t renew the revision for less than five seconds', async () => {
    const { person, as } = await developer();
    for (let count = 0; count < 3; count += 1) await expectStatus(pull(as, {}), 200);
    const Key = keys.member(place.owner.organization.slug, person.user.id);
    await tableClient().send(new DeleteCommand({ TableName: requiredSetting('TABLE_NAME'), Key }));

    vi.setSystemTime(startedAt + 5_000);

    expect(codeOf(await pull(as, {}))).toBe('404 organization_not_found');
  });

  it('is nothing while the organization has no revision, as one that an earlier version created', async () => {
    const token = await createToken(api, place.owner);
    await tableClient().send(
      new UpdateCommand({
        TableName: requiredSetting('TABLE_NAME'),
        Key: keys.organization(place.owner.organization.slug),
        UpdateExpression: 'REMOVE accessRevision',
      }),
    );
    for (let count = 0; count < 4; count += 1) {
      expect((await reads(pullAs(token))).organization.sort()).toEqual(['MEMBER', 'ORG', 'PROJECT']);
    }
  });

  it('is nothing that was read while a transaction was in progress: the request reads once more', async () => {
    const token = await createToken(api, place.owner);
    const conflicting: Conductor = {
      call: (call, send) => (call.operation === 'TransactGetItems' ? Promise.reject(conflict()) : send()),
    };
    await expectStatus(pull(token, {}), 200);
    for (let count = 0; count < 2; count += 1) {
      await expectStatus(withFault({ conductor: conflicting }, pullAs(token)), 200);
    }
    expect((await reads(pullAs(token))).organization).toContain('MEMBER');
    expect((await reads(pullAs(token))).organization).toEqual(['ORG']);
  });
});
