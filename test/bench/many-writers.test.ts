import { writeSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { describe, expect, it } from 'vitest';
import { startApi } from '../support/api.ts';
import { openWorkplace } from '../support/environments.ts';

/*
 * `npm run bench:writers`: writers of different keys of one environment, and one alone, side by side in one run. Each
 * sends its next change when it has the answer to the last.
 */

const roundMs = Number(process.env.ROUND_MS ?? 6000);
const rounds = Number(process.env.ROUNDS ?? 3);
const crowd = Number(process.env.WRITERS ?? 32);

interface Round {
  perSecond: number;
  made: number[];
  statuses: number[];
  slowestMs: number;
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);
const median = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

describe.skipIf(process.env.BENCH === undefined)('many writers of one environment', () => {
  it('reach most of what one alone reaches, none failing and none starved', { timeout: 600_000 }, async () => {
    const api = await startApi({ LOG_LEVEL: 'SILENT' });
    const place = await openWorkplace(api);
    const run = async (writers: number): Promise<Round> => {
      const startedAt = performance.now();
      const round: Round = { perSecond: 0, made: [], statuses: [], slowestMs: 0 };
      round.made = await Promise.all(
        Array.from({ length: writers }, async (_, writer) => {
          let count = 0;
          while (performance.now() - startedAt < roundMs) {
            const sentAt = performance.now();
            const { status } = await place.set('dev', `KEY_${writer}`, `${sentAt}`);
            round.slowestMs = Math.max(round.slowestMs, performance.now() - sentAt);
            if (status < 300) count += 1;
            else round.statuses.push(status);
          }
          return count;
        }),
      );
      round.perSecond = sum(round.made) / ((performance.now() - startedAt) / 1000);
      return round;
    };
    try {
      await run(crowd);
      const alone: Round[] = [];
      const together: Round[] = [];
      for (let round = 0; round < rounds; round += 1) {
        alone.push(await run(1));
        together.push(await run(crowd));
      }
      const one = median(alone.map(({ perSecond }) => perSecond));
      const many = median(together.map(({ perSecond }) => perSecond));
      const share = Math.min(...together.map(({ made }) => (Math.min(...made) * crowd) / sum(made)));
      const failed = together.flatMap(({ statuses }) => statuses);
      const slowest = Math.max(...together.map(({ slowestMs }) => slowestMs)) / 1000;
      writeSync(
        1,
        `one writer: ${one.toFixed(1)} changes a second\n` +
          `${crowd} writers: ${many.toFixed(1)} changes a second, ${Math.round((100 * many) / one)} % of one alone\n` +
          `the slowest writer: ${Math.round(100 * share)} % of the mean; the slowest change: ${slowest.toFixed(1)} s\n` +
          `failed: ${failed.length}\n`,
      );
      expect(failed).toEqual([]);
      expect(many / one).toBeGreaterThanOrEqual(0.6);
      expect(share).toBeGreaterThanOrEqual(0.25);
    } finally {
      await api.stop();
    }
  });
});
