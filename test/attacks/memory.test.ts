import { expect, it } from 'vitest';
import { createDataKey, dataKey, sweepDataKeys } from '#lib/crypto/data-keys.ts';
import { cipherKey } from '#lib/crypto/envelope.ts';
import { useApi } from '../support/api.ts';
import { recordCalls } from '../support/record-calls.ts';

useApi();

const minuteMs = 60_000;
const id = () => ({ organizationId: crypto.randomUUID(), projectId: crypto.randomUUID(), keyVersion: 1 });

it('a plaintext data key is overwritten after five minutes, and is not handed out in the last of them', async () => {
  const place = id();
  const wrapped = await createDataKey(place);
  const key = await dataKey(place, wrapped);
  const copy = Uint8Array.from(key);

  sweepDataKeys(Date.now() + 3 * minuteMs);
  expect(await dataKey(place, wrapped)).toBe(key);
  sweepDataKeys(Date.now() + 4 * minuteMs);
  expect(key).toEqual(copy);
  const { result: fresh, calls } = await recordCalls(() => dataKey(place, wrapped));
  expect(calls.map(({ operation }) => operation)).toEqual(['Decrypt']);
  expect([fresh === key, fresh.every((byte, index) => byte === copy[index])]).toEqual([false, true]);
  sweepDataKeys(Date.now() + 5 * minuteMs);
  await Promise.resolve();

  expect(key.every(byte => byte === 0)).toBe(true);
});

it('a key that was overwritten seals nothing', () => {
  expect(() => cipherKey(new Uint8Array(32))).toThrow('overwritten');
});
