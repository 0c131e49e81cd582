import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { entity, type Upgrade } from '#lib/table/entity.ts';
import { at, find, list, queryPage } from '#lib/table/read.ts';
import { put, transact, update } from '#lib/table/write.ts';
import { useApi } from '#test/support/api.ts';

/*
 * Format 1 had one `scope`, format 2 has `scopes`, format 3 counts uses. An update writes attributes into an item
 * of an older format, so an upgrade keeps what already has the new form.
 */
const key = (group: string, name: string) => ({ pk: `GRANT#${group}`, sk: name });
const scopeToScopes: Upgrade = ({ scope, ...others }) => ({ scopes: [scope], ...others });
const countUses: Upgrade = attributes => ({ uses: 0, ...attributes });
const v2 = { name: z.string(), scopes: z.array(z.string()) };
const v3 = { ...v2, uses: z.int() };
const grantV1 = entity('grant', key, { name: z.string(), scope: z.string() });
const grantV2 = entity('grant', key, v2, { upgrades: [scopeToScopes] });
const grantV3 = entity('grant', key, v3, { upgrades: [scopeToScopes, countUses] });
/** Format 4 may have an end; without one, a grant lasts. */
const v4 = { ...v3, endsAt: z.string().optional() };
const grantV4 = entity('grant', key, v4, { upgrades: [scopeToScopes, countUses, ['endsAt']] });
const grantSinceV2 = entity('grant', key, v3, { oldestFormat: 2, upgrades: [countUses] });
const group = randomUUID();
const storedFormat = async (name: string) => (await queryPage({ pk: `GRANT#${group}`, beginsWith: name })).items[0]?.v;

useApi();
beforeAll(async () => {
  await transact([
    put(at(grantV1, group, 'first'), { name: 'first', scope: 'read' }),
    put(at(grantV2, group, 'second'), { name: 'second', scopes: ['read', 'write'] }),
  ]);
});

describe('items of older formats', () => {
  it('are upgraded step by step when read, individually and in a range', async () => {
    expect(await find(at(grantV3, group, 'first'))).toEqual({ name: 'first', scopes: ['read'], uses: 0 });
    expect(await list(grantV3, { pk: `GRANT#${group}` })).toEqual([
      { name: 'first', scopes: ['read'], uses: 0 },
      { name: 'second', scopes: ['read', 'write'], uses: 0 },
    ]);
    expect(await storedFormat('first')).toBe(1);
  });

  it('stay readable after an update of single attributes, which keeps their format', async () => {
    await transact([update(at(grantV3, group, 'second'), { set: { uses: 7 } })]);

    expect(await storedFormat('second')).toBe(2);
    expect(await find(at(grantV3, group, 'second'))).toEqual({ name: 'second', scopes: ['read', 'write'], uses: 7 });
  });

  it('have the new format once they are written as a whole', async () => {
    const lifted = await find(at(grantV3, group, 'first'));
    if (lifted === undefined) throw new Error('The item is gone.');

    await transact([put(at(grantV3, group, 'first'), lifted)]);

    expect(await storedFormat('first')).toBe(3);
  });

  it('are rejected once support has ended, while later ones are upgraded as before', async () => {
    await transact([put(at(grantV1, group, 'oldest'), { name: 'oldest', scope: 'read' })]);
    await expect(find(at(grantSinceV2, group, 'oldest'))).rejects.toThrow('is of kind grant, format 1');
    expect(grantSinceV2.formatVersion).toBe(grantV3.formatVersion);
    const given = { ...at(grantV2, group, 'given').entity.toItem(key(group, 'given'), { name: 'given', scopes: [] }) };
    expect(grantSinceV2.parse(given)).toEqual({ name: 'given', scopes: [], uses: 0 });
  });

  it('are rejected with the item and format if they are newer than the code', async () => {
    await expect(find(at(grantV2, group, 'first'))).rejects.toThrow(
      `The item GRANT#${group} / first is of kind grant, format 3; expected grant up to format 2.`,
    );
  });
});

describe('an attribute whose absence grants something', () => {
  const lasting = { name: 'lasting', scopes: ['read'], uses: 0 };
  const limited = { ...lasting, endsAt: '2030-01-01' };

  it('makes older code reject the items that have it, and only those', async () => {
    await transact([put(at(grantV4, group, 'lasting'), lasting), put(at(grantV4, group, 'limited'), limited)]);

    expect(await find(at(grantV3, group, 'lasting'))).toEqual(lasting);
    await expect(find(at(grantV3, group, 'limited'))).rejects.toThrow('format 4; expected grant up to format 3');
    expect(await find(at(grantV4, group, 'limited'))).toEqual(limited);
  });

  it('raises the format when an update sets it, of an item in any earlier format', async () => {
    await transact([put(at(grantV1, group, 'old'), { name: 'old', scope: 'read' })]);
    const old = at(grantV4, group, 'old');
    await transact([update(old, { set: { uses: 1 } })]);
    expect(await storedFormat('old')).toBe(1);

    await transact([update(old, { set: { endsAt: '2030-01-01' } })]);

    expect(await storedFormat('old')).toBe(4);
    expect(await find(old)).toEqual({ name: 'old', scopes: ['read'], uses: 1, endsAt: '2030-01-01' });
  });

  it('keeps the format raised when an update removes it, until the item is written as a whole', async () => {
    const item = at(grantV4, group, 'freed');
    await transact([put(item, { ...limited, name: 'freed' })]);
    await transact([update(item, { set: { endsAt: undefined } })]);
    expect(await storedFormat('freed')).toBe(4);

    await transact([put(item, { ...lasting, name: 'freed' })]);

    expect(await storedFormat('freed')).toBe(3);
  });
});
