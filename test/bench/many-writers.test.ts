import { writeSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startApi } from '../support/api.ts';
import { openWorkplace } from '../support/environments.ts';
import { type Conductor, conductedHandlers } from '../support/observe-calls.ts';
import { median } from './measure.ts';

/* `npm run bench -- writers`: many writers of one environment, next to a single one; then `CROWD` more, all at once. */

const roundMs = Number(process.env.ROUND_MS ?? 6000);
const rounds = Number(process.env.ROUNDS ?? 3);
/** Milliseconds added to each AWS call: round trips dominate, as over a network. 0 compares processor time. */
const callMs = Number(process.env.CALL_MS ?? 20);
const writersAtOnce = Number(process.env.WRITERS ?? 32);
const crowd = Number(process.env.CROWD ?? 500);

interface Round {
  perSecond: number;
  changes: number[];
  statuses: number[];
  slowestMs: number;
  /** AWS calls, commits among them, and rejected commits. */
  calls: Map<string, number>;
  refused: number;
  /** The share of the time without a commit in progress. */
  idleShare: number;
  /** The CPU time of this process: the service, its clients and the gateway, but not DynamoDB Local. */
  cores: number;
}

function watch() {
  const calls = new Map<string, number>();
  let refused = 0;
  let underWay = 0;
  let busyMs = 0;
  let busySince = 0;
  const startedAt = performance.now();
  const cpu = process.cpuUsage();
  const conductor: Conductor = {
    async call({ operation, input }, answer) {
      const send = async () => {
        await setTimeout(callMs / 2);
        try {
          return await answer();
        } finally {
          await setTimeout(callMs / 2);
        }
      };
      const isCommit = operation === 'TransactWriteItems' && input.TransactItems.length > 1;
      const name = isCommit ? 'commits' : operation;
      calls.set(name, (calls.get(name) ?? 0) + 1);
      if (!isCommit) return send();
      if (underWay === 0) busySince = performance.now();
      underWay += 1;
      try {
        return await send();
      } catch (error) {
        refused += 1;
        throw error;
      } finally {
        underWay -= 1;
        if (underWay === 0) busyMs += performance.now() - busySince;
      }
    },
  };
  const end = () => {
    const ms = performance.now() - startedAt;
    const { user, system } = process.cpuUsage(cpu);
    return { calls, refused, idleShare: 1 - busyMs / ms, cores: (user + system) / 1000 / ms };
  };
  return { conductor, end };
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

function effort(who: string, of: readonly Round[]): string {
  const count = sum(of.flatMap(({ changes }) => changes));
  const names = [...new Set(of.flatMap(({ calls }) => [...calls.keys()]))].toSorted();
  const each = names.map(name => {
    return `${name} ${(sum(of.map(({ calls }) => calls.get(name) ?? 0)) / count).toFixed(2)}`;
  });
  const percent = (share: number) => `${Math.round(100 * share)} %`;
  const idle = percent(sum(of.map(({ idleShare }) => idleShare)) / of.length);
  const cores = (sum(of.map(round => round.cores)) / of.length).toFixed(2);
  const refused = percent(sum(of.map(round => round.refused)) / count);
  return `${who}, for each change: ${each.join(', ')}; refused ${refused}; no commit under way ${idle} of the time; this process used ${cores} cores`;
}

describe.skipIf(process.env.BENCH === undefined)('many writers of one environment', () => {
  it('together reach most of a single writer’s throughput, with none failing or starving', {
    timeout: 600_000,
  }, async () => {
    let watched = watch();
    const handlers = conductedHandlers(() => watched.conductor);
    const api = await startApi({ LOG_LEVEL: 'SILENT' }, handlers);
    onTestFinished(api.stop);
    const place = await openWorkplace(api);
    const run = async (writers: number): Promise<Round> => {
      const startedAt = performance.now();
      watched = watch();
      const round: Round = { perSecond: 0, changes: [], statuses: [], slowestMs: 0, ...watched.end() };
      round.changes = await Promise.all(
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
      round.perSecond = sum(round.changes) / ((performance.now() - startedAt) / 1000);
      return { ...round, ...watched.end() };
    };
    await run(writersAtOnce);
    const alone: Round[] = [];
    const together: Round[] = [];
    for (let round = 0; round < rounds; round += 1) {
      alone.push(await run(1));
      together.push(await run(writersAtOnce));
    }
    const single = median(alone.map(({ perSecond }) => perSecond));
    const many = median(together.map(({ perSecond }) => perSecond));
    const share = Math.min(...together.map(({ changes }) => (Math.min(...changes) * writersAtOnce) / sum(changes)));
    const failed = together.flatMap(({ statuses }) => statuses);
    const slowest = Math.max(...together.map(({ slowestMs }) => slowestMs)) / 1000;
    writeSync(
      1,
      `one writer: ${single.toFixed(1)} changes a second\n` +
        `${writersAtOnce} writers: ${many.toFixed(1)} changes a second, ${Math.round((100 * many) / single)} % of one alone\n` +
        `${effort('one writer', alone)}\n${effort(`${writersAtOnce} writers`, together)}\n` +
        `the slowest writer: ${Math.round(100 * share)} % of the mean; the slowest change: ${slowest.toFixed(1)} s\n` +
        `failed: ${failed.length}\n`,
    );
    expect(failed).toEqual([]);
    expect(many / single).toBeGreaterThanOrEqual(0.6);
    expect(share).toBeGreaterThanOrEqual(0.25);
  });

  it('all get an answer when they come at once', { timeout: 120_000 }, async () => {
    const api = await startApi({ LOG_LEVEL: 'SILENT' });
    onTestFinished(api.stop);
    const place = await openWorkplace(api);
    const startedAt = performance.now();
    const answers = await Promise.all(Array.from({ length: crowd }, (_, n) => place.set('dev', `KEY_${n}`, 'x')));
    const seconds = (performance.now() - startedAt) / 1000;
    const tally = Object.entries(Object.groupBy(answers, ({ status }) => status));
    const text = tally.map(([status, of]) => `${of?.length ?? 0} × ${status}`).join(', ');
    writeSync(1, `${crowd} writers at once: ${text}, the last after ${seconds.toFixed(1)} s\n`);
    expect(answers.filter(({ status }) => status !== 201)).toEqual([]);
  });
});
