import { mkdtempSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { clientOf } from '../support/api.ts';
import { type StartedStack, startStack } from '../support/npm-start.ts';
import { environments, lostChanges, preparePlace, runClient, type Tally } from './clients.ts';

/* `npm run proof -- load --full` (LOAD=<accepted sets>) runs longer. */
const sets = Number(process.env.LOAD ?? 40);
const clients = 32;
const directory = mkdtempSync(join(tmpdir(), 'holdfast-load-'));
let stack: StartedStack | undefined;

afterAll(async () => {
  await stack?.stop();
  rmSync(directory, { recursive: true, force: true });
});

it(
  'mixed work of 32 clients loses nothing, even when the service is stopped in the middle of it',
  async () => {
    stack = await startStack({ DATA_DIR: process.env.LOAD_DIR ?? directory, LOG_LEVEL: 'ERROR' });
    const place = await preparePlace(stack.url);
    const tally: Tally = { accepted: [], requests: new Map(), problems: [], isStopping: false, unheard: 0 };
    const running = Promise.all(Array.from({ length: clients }, (_, number) => runClient(place, number, tally)));
    // Memory that grows at first: compiled code, connections, caches.
    await accepted(tally, 0.3 * sets);
    const warm = stack.residentBytes();
    const samples: number[] = [];
    for (let quarter = 1; quarter <= 4; quarter += 1) {
      await accepted(tally, (0.3 + 0.175 * quarter) * sets);
      samples.push(stack.residentBytes());
      const requests = [...tally.requests.values()].reduce((sum, count) => sum + count, 0);
      writeSync(2, `load: ${requests} requests, ${megabytes(samples.at(-1) ?? 0)} MB\n`);
    }

    // The clients are busy now, and continue until they notice.
    tally.isStopping = true;
    const code = await stack.stop();
    await running;
    expect(code).toBe(0);
    const errors = stack.errors();

    stack = await startStack({ DATA_DIR: directory, LOG_LEVEL: 'ERROR' });
    const again = { ...place, api: clientOf(stack.url) };
    const lost = await lostChanges(again, tally.accepted);
    const list = [...tally.requests].map(([what, count]) => `${what} ${count}`).join(', ');
    writeSync(1, `load: ${list}; ${tally.accepted.length} accepted sets, ${tally.unheard} without an answer\n`);
    expect(tally.problems).toEqual([]);
    expect(errors).not.toMatch(/Error/);
    expect(lost).toEqual([]);
    for (const env of environments) {
      const revisions = tally.accepted.filter(change => change.env === env).map(({ revision }) => revision);
      expect(new Set(revisions).size).toBe(revisions.length);
      const { status, body } = await again.api.get(`/secrets/${place.slug}/shop/${env}`, place.as);
      expect(status).toBe(200);
      expect(body.revision).toBeGreaterThanOrEqual(Math.max(...revisions));
    }
    // Generous, because the timing of garbage collection varies.
    const peak = Math.max(...samples);
    writeSync(1, `load: memory ${megabytes(warm)} MB warm, at most ${megabytes(peak)} MB later\n`);
    expect(peak).toBeLessThan(warm * 1.5 + 64 * 1024 * 1024);
  },
  sets * 3000 + 300_000,
);

/** Waits until the clients have had so many sets accepted, however long a busy machine takes for them. */
async function accepted({ accepted, problems }: Tally, count: number): Promise<void> {
  while (accepted.length < count && problems.length === 0) await sleep(50);
}

const megabytes = (bytes: number): number => Math.round(bytes / 1024 / 1024);
