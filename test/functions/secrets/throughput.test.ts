import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { at, find } from '#lib/table/read.ts';
import { environmentStateRecord } from '#lib/table/records/environment.ts';
import { sizeOf } from '#test/support/capacity.ts';
import { openWorkplace } from '#test/support/environments.ts';
import { eventually } from '#test/support/eventually.ts';
import { shared } from '#test/support/fixtures.ts';
import { isTableWrite } from '#test/support/inject-faults.ts';
import { numbered } from '#test/support/numbered.ts';
import { type AwsCall, type Conductor, replenishRetries } from '#test/support/observe-calls.ts';
import { startObservedApi, withFault } from '#test/support/observed-api.ts';
import { seedOwner } from '#test/support/people.ts';
import { throttled } from '#test/support/throttled.ts';

const api = shared(startObservedApi);
const owner = shared(seedOwner);

/** The write units of a call, by the items it writes; all other writes here are of small items. */
function unitsOf({ input }: AwsCall): number {
  if (input.TransactItems === undefined) return 1;
  const parts = input.TransactItems as { Put?: { Item: Record<string, unknown> } }[];
  return parts.reduce((sum, { Put }) => sum + 2 * Math.max(1, Math.ceil(sizeOf(Put?.Item ?? {}) / 1024)), 0);
}

/** DynamoDB's limit without burst capacity: one write may exceed it, and all others fail until that is made up. */
function partition(unitsPerSecond: number) {
  let units = 0;
  let at = Date.now();
  let refused = 0;
  const conductor: Conductor = {
    attempt: (call, send) => {
      if (!isTableWrite(call)) return send();
      const now = Date.now();
      units = Math.min(unitsPerSecond / 10, units + ((now - at) / 1000) * unitsPerSecond);
      at = now;
      if (units <= 0) {
        refused += 1;
        return Promise.reject(throttled());
      }
      units -= unitsOf(call);
      return send();
    },
  };
  return { conductor, refused: () => refused };
}

it.concurrent.each([
  { count: 62, bytes: 65_000 },
  { count: 500, bytes: 7_000 },
])(
  'on a partition at its limit of 1,000 write units a second, while one key is set each second an import of $count secrets of $bytes bytes succeeds, and no set waits for it: it succeeds or gets Retry-After',
  async ({ count, bytes }) => {
    const place = await openWorkplace(api, owner);
    await place.set('dev', 'SMALL', 'first');
    const { conductor, refused } = partition(1000);
    const value = 'x'.repeat(bytes);
    const secrets = numbered(count, value);
    let over = false;
    const sets: (number | string)[] = [];
    const setting = (async () => {
      while (!over) {
        const { status, headers: answered } = await withFault({ conductor }, headers =>
          place.set('dev', 'SMALL', `${sets.length}`, { headers }),
        );
        sets.push(status === 503 && answered.has('retry-after') ? 'later' : status);
        // One client would not use up the SDK's retry quota, but all clients in this process share it.
        await replenishRetries();
        await sleep(1000);
      }
    })();
    await eventually(() => expect(sets.length).toBeGreaterThan(0));
    const imported = await withFault({ conductor }, headers => place.importAll('dev', secrets, { headers }));
    over = true;
    await setting;
    expect(imported.status).toBe(200);
    expect(sets.filter(status => status !== 200 && status !== 'later')).toEqual([]);
    await eventually(async () => expect((await place.set('dev', 'SMALL', 'last')).status).toBe(200));
    expect(sets.length).toBeGreaterThan(1);
    expect(refused()).toBeGreaterThan(10);
    expect(Object.keys(await place.values('dev'))).toHaveLength(count + 1);
    expect((await find(at(environmentStateRecord, place.pathOf())))?.pending).toBeUndefined();
  },
);
