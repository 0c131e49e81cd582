import { describe, expect, it } from 'vitest';
import { maximumMessageBytes } from '#lib/deliveries/message.ts';
import { batchesOf } from '#lib/deliveries/queue-deliveries.ts';

const messages = (count: number, bytes: number) => Array.from({ length: count }, () => ({ body: 'x'.repeat(bytes) }));

describe('batchesOf', () => {
  it('puts at most ten messages into a batch', () => {
    expect(batchesOf(messages(23, 100)).map(batch => batch.length)).toEqual([10, 10, 3]);
  });

  it('keeps a batch within the bytes of one message', () => {
    const batches = batchesOf(messages(7, 100 * 1024));
    expect(batches.map(batch => batch.length)).toEqual([2, 2, 2, 1]);
    for (const batch of batches) {
      expect(batch.reduce((bytes, { body }) => bytes + body.length, 0)).toBeLessThanOrEqual(maximumMessageBytes);
    }
  });

  it('sends the longest messages alone', () => {
    expect(batchesOf(messages(3, maximumMessageBytes)).map(batch => batch.length)).toEqual([1, 1, 1]);
  });
});
