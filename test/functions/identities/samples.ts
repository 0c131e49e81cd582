import { randomBytes } from 'node:crypto';
import { maximumLiveTokens } from '#lib/contracts/fields/identity-limits.ts';
import { at } from '#lib/table/read.ts';
import { liveTokensRecord } from '#lib/table/records/identity.ts';
import { put, transact } from '#lib/table/write.ts';
import type { Api } from '#test/support/api.ts';
import { type Samples, sample } from '#test/support/derive-sample.ts';
import { identityOf } from '#test/support/issuer.ts';
import { seedPerson } from '#test/support/people.ts';
import {
  assertionOf,
  expectStatus,
  makeIdentity,
  place,
  sampleIssuer,
  sampleKeys,
} from '#test/support/sample-requests.ts';

const withAssertion = async (api: Api) => {
  const person = await seedPerson();
  const { id } = await makeIdentity(api, person);
  return { ...person, id, assertion: await assertionOf(person, id) };
};

const exchanging = (world: typeof withAssertion) =>
  sample({
    world,
    body: ({ assertion }) => assertion,
    repeats: [409],
    isDone: async ({ organization, session }, api) => {
      const path = `/audit/${organization.id}?action=identity.token_issued`;
      return (await expectStatus(api.get(path, session), 200)).body.entries.length > 0;
    },
  });

export const samples: Samples = {
  'list-identities': sample({
    world: async api => {
      const person = await seedPerson();
      await makeIdentity(api, person);
      return person;
    },
  }),
  'create-identity': sample({
    world: place,
    body: async ({ project: { id: projectId } }) => ({ ...identityOf(sampleIssuer, await sampleKeys()), projectId }),
  }),
  'update-identity': sample({ body: () => ({ role: 'viewer', claims: { repository_id: '75' } }) }),
  'exchange-assertion': exchanging(withAssertion),
  'exchange-assertion limit': exchanging(async api => {
    const there = await withAssertion(api);
    const issuedAtMs = Date.now() - 60_000;
    const hashes = Array.from({ length: maximumLiveTokens }, () => randomBytes(32).toString('base64url'));
    const tokens = Object.fromEntries(
      hashes.map((hash, index): [string, [number, number]] => [hash, [issuedAtMs + index, issuedAtMs + 600_000]]),
    );
    const record = { tokens, count: maximumLiveTokens, expiresAt: Math.ceil(issuedAtMs / 1000) + 3600 };
    await transact([put(at(liveTokensRecord, there.id), record)]);
    return there;
  }),
};
