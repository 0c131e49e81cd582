import { readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { useApi } from '../support/api.ts';
import { startObservedApi } from '../support/observed-api.ts';
import { beyondBounds, countOperations, type OperationCounts, renderCounts, worseThan } from './count-operations.ts';

/* `npm run bench` writes the counts to counts.json and counts.md; other runs compare with them. */
const file = join(import.meta.dirname, 'counts.json');
const api = useApi(startObservedApi);
let rows: OperationCounts[];
let clock: NodeJS.Timeout;
beforeAll(async () => {
  // Time passes slowly, so that no cache that is refreshed once a minute expires while a busy machine counts.
  const started = { real: performance.now(), ms: Date.now() };
  vi.useFakeTimers({ toFake: ['Date'], now: started.ms });
  clock = setInterval(() => vi.setSystemTime(started.ms + (performance.now() - started.real) / 20), 10);
  // Warms the caches.
  await countOperations(api);
  rows = await countOperations(api);
});
afterAll(() => {
  clearInterval(clock);
  vi.useRealTimers();
});

it('makes no more AWS calls than the design allows', () => {
  if (process.env.BENCH !== undefined) writeSync(1, `\n${renderCounts(rows)}\n`);
  expect(rows.flatMap(beyondBounds)).toEqual([]);
});

it('makes no more AWS calls than when the counts were committed', () => {
  if (process.env.BENCH !== undefined) {
    writeFileSync(file, `[\n${rows.map(row => `  ${JSON.stringify(row)}`).join(',\n')}\n]\n`);
    writeFileSync(join(import.meta.dirname, 'counts.md'), renderCounts(rows));
  }
  const committed = new Map(
    (JSON.parse(readFileSync(file, 'utf8')) as OperationCounts[]).map(row => [row.operation, row]),
  );
  expect(rows.flatMap(row => worseThan(committed.get(row.operation), row))).toEqual([]);
});
