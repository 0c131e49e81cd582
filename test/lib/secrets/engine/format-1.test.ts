import { hash } from 'node:crypto';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requiredSetting } from '../../../../lib/core/settings.ts';
import { tableClient } from '../../../../lib/table/client.ts';
import { ranges } from '../../../../lib/table/keys.ts';
import { queryItems, removeAll } from '../../../../lib/table/store.ts';
import type { Api, Person } from '../../../support/api.ts';
import { expireLease, openWorkplace, registerOwner, type Workplace } from '../../../support/environments.ts';
import { injectFault } from '../../../support/inject-faults.ts';
import { scanTable, violationsOf } from '../../../support/invariants.ts';
import { startObservedApi, withFault } from '../../../support/observed-api.ts';

let api: Api;
let owner: Person;
beforeAll(async () => {
  api = await startObservedApi();
  owner = await registerOwner(api);
});
afterAll(() => api.stop());

const many = (fill: string) => Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`K${i}`, fill]));

/** The sum by which states of format 1 were verified: one hash for each key and version. */
function digestOfFormat1(versions: readonly Record<string, unknown>[]): string {
  const terms = versions.map(({ key, version }) =>
    BigInt(`0x${hash('sha256', `${key}#${version}`, 'hex').slice(0, 32)}`),
  );
  return (terms.reduce((sum, term) => sum + term, 0n) % 2n ** 128n).toString(16).padStart(32, '0');
}

/** Writes the environment's items as the code of format 1 left them. */
async function toFormat1(place: Workplace): Promise<void> {
  const items = await queryItems(ranges.environmentItems(owner.organization.slug, place.project.slug, 'dev'));
  const revision = Number(items.find(isState)?.revision);
  const versions = items.filter(item => item.kind === 'version' && Number(item.revision) <= revision);
  // In the order of their numbers, so the newest one of each key stays.
  const committed = [...new Map(versions.map(version => [version.key, version])).values()];
  const isNewer = ({ kind }: Record<string, unknown>) => ['fence', 'revision', 'revisionPart'].includes(String(kind));
  const others = items.filter(item => !isNewer(item));
  await removeAll(items.filter(isNewer) as unknown as { pk: string; sk: string }[]);
  for (const { fence: _, leaseMs: __, ...item } of others) {
    const changed = isState(item)
      ? { digest: digestOfFormat1(committed), changeId: 'of the last change', ...pendingOfFormat1(item) }
      : {};
    await tableClient().send(
      new PutCommand({ TableName: requiredSetting('TABLE_NAME'), Item: { ...item, ...changed, v: 1 } }),
    );
  }
}

function isState({ kind }: Record<string, unknown>): boolean {
  return kind === 'environmentState';
}

function pendingOfFormat1({ pending }: Record<string, unknown>): Record<string, unknown> {
  if (pending === undefined) return {};
  const { revision } = pending as { revision: number };
  return { pending: { changeId: 'of a writer that died', revision, beatAtMs: Date.now() - 60_000 } };
}

const stored = async (place: Workplace) =>
  (await queryItems(ranges.environmentHeads(owner.organization.slug, place.project.slug, 'dev')))[0];

describe('an environment of format 1', () => {
  it('is read as it is, and upgraded by the next change, whether small or large', async () => {
    for (const change of ['small', 'large']) {
      const place = await openWorkplace(api, owner);
      await place.importAll('dev', many('old'));
      await toFormat1(place);
      expect(await place.values('dev')).toEqual(many('old'));
      expect((await stored(place))?.v).toBe(1);

      const answer =
        change === 'small' ? await place.set('dev', 'K1', 'new') : await place.importAll('dev', many('new'));

      expect([answer.status, answer.body.revision]).toEqual([200, 2]);
      expect(await stored(place)).toMatchObject({ v: 3, revision: 2, fence: 1 });
      expect(await place.values('dev')).toEqual(change === 'small' ? { ...many('old'), K1: 'new' } : many('new'));
      expect((await place.set('dev', 'K1', 'next')).body.revision).toBe(3);
      expect((await api.delete(place.at('dev', '/K2'), owner.session)).status).toBe(200);
    }
  });

  it('in which a large change was abandoned has it undone', async () => {
    const place = await openWorkplace(api, owner);
    await place.importAll('dev', many('old'));
    await withFault({ conductor: injectFault('dies-after', 7) }, headers =>
      place.importAll('dev', { ...many('new'), BORN: 'new' }, { headers }),
    );
    await toFormat1(place);
    expect(await place.values('dev')).toEqual(many('old'));
    await expireLease(place, 'dev');
    expect((await place.set('dev', 'K1', 'next')).body.revision).toBe(2);
    expect(await place.values('dev')).toEqual({ ...many('old'), K1: 'next' });
    expect(await stored(place)).toMatchObject({ v: 3, revision: 2 });
  });

  it('leaves a table in which everything fits', async () => {
    expect(violationsOf(await scanTable())).toEqual([]);
  });
});
