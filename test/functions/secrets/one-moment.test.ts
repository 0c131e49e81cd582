import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { expect, it } from 'vitest';
import type { Answer } from '#test/support/api.ts';
import { openWorkplace } from '#test/support/environments.ts';
import { shared } from '#test/support/fixtures.ts';
import { numbered } from '#test/support/numbered.ts';
import type { AwsCall, Conductor } from '#test/support/observe-calls.ts';
import { recordRequest, startObservedApi, withFault } from '#test/support/observed-api.ts';
import { words } from '#test/support/words.ts';

/* Each call of a request in turn is delayed until after a change. It must answer as before, or as after the change. */

const api = shared(() => startObservedApi({ REQUESTS_PER_MINUTE: '-1' }));
const place = shared(() => openWorkplace(api));
const fillers = Object.keys(numbered(60, ''));
let changes = 0;

/** Sets A and B to one new value, and creates or deletes C; every second time with too many keys for a transaction. */
async function changeAll(): Promise<void> {
  changes += 1;
  const value = `value ${changes}`;
  const keys = ['A', 'B', ...(changes % 4 < 2 ? ['C'] : []), ...(changes % 2 === 0 ? fillers : [])];
  const body = {
    set: keys.map(key => ({ key, value })),
    delete: changes > 1 && changes % 4 === 2 ? ['C'] : [],
    message: `change ${changes}`,
  };
  const { status } = await place.change('dev', body);
  expect([changes, status]).toEqual([changes, 200]);
}

function changeDuring(position: number, moment: 'before' | 'after'): Conductor {
  return {
    call: async (call: AwsCall, send) => {
      if (call.position !== position) return send();
      if (moment === 'before') await changeAll();
      const answer = await send();
      if (moment === 'after') await changeAll();
      return answer;
    },
  };
}

const requests: [name: string, method: string, rest: string, body?: unknown][] = [
  ...[
    '',
    ...words(`?keys=A,B ?revision=1 /keys /revisions /revisions?limit=1 /diff?from=1&values=true
      /compare?with=staging&values=true /versions/A?values=true /versions/C`),
  ].map((rest): [string, string, string] => [`GET ${rest}`, 'GET', rest]),
  ['a dry run of PUT set', 'PUT', '?dryRun=true', { key: 'A', value: 'other' }],
  ['a dry run of POST bulk', 'POST', '/bulk?dryRun=true', { secrets: { A: 'other', C: 'other' } }],
  ['a dry run of POST changes', 'POST', '/changes?dryRun=true', { set: [{ key: 'C', value: 'other' }], delete: ['A'] }],
  ['a dry run of POST bulk-delete', 'POST', '/bulk-delete?dryRun=true', { keys: ['A', 'C'] }],
  ['a dry run of POST restore', 'POST', '/restore?dryRun=true', { revision: 1 }],
  ['a dry run of DELETE of a key', 'DELETE', '/B?dryRun=true'],
];

const shown = ({ status, body }: Answer) => ({
  status,
  body: body.error === undefined ? body : { ...body, error: { ...body.error, requestId: undefined } },
});

it.each(requests)(
  'a consistent snapshot is returned, whichever call a change coincides with, by %s',
  async (_, method, rest, body) => {
    if (changes === 0) await changeAll();
    const send = (headers = {}) => api.call(method, place.at('dev', rest), { body, as: place.owner.session, headers });
    const { calls } = await recordRequest(send);
    for (const { position, operation } of calls) {
      for (const moment of ['before', 'after'] as const) {
        const earlier = shown(await send());
        const during = shown(await withFault({ conductor: changeDuring(position, moment) }, send));
        const later = shown(await send());
        expect([200, 404]).toContain(during.status);
        const call = `${moment} call ${position}: ${operation}`;
        expect({ call, ...during }).toEqual({ call, ...(isDeepStrictEqual(during, later) ? later : earlier) });
      }
    }
  },
);

it('named secrets come from one revision in every pull while small and large changes and deletions continue', async () => {
  const values = new Map<number, string>();
  let over = false;
  let pulls = 0;
  const pulling = Array.from({ length: 4 }, async () => {
    while (!over) {
      const { status, body } = await place.pull('dev', '?keys=A,B,K1,K59');
      expect(status).toBe(200);
      const [a, b, k1, k59] = body.secrets.map(({ value }: { value: string }) => value);
      expect([b, k59]).toEqual([a, k1]);
      const seen = `${a} ${k1}`;
      expect(values.get(body.revision) ?? seen).toBe(seen);
      values.set(body.revision, seen);
      pulls += 1;
      await sleep(1);
    }
  });
  try {
    for (let round = 0; round < 26; round += 1) await changeAll();
  } finally {
    over = true;
  }
  await Promise.all(pulling);
  expect(pulls).toBeGreaterThan(24);
  expect(values.size).toBeGreaterThan(5);
});

it('a pull of several pages succeeds at once even if a key is deleted before each page', async () => {
  const large = numbered(25, 'x'.repeat(60_000), 'L');
  const small = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`Z${index}`, `value ${index}`]));
  // With an older snapshot in memory, the pull reads the state before the pages.
  await place.pull('staging');
  const { revision } = (await place.importAll('staging', { ...large, ...small })).body;
  const left = Object.keys(small);
  let pages = 0;
  const conductor = {
    call: async (call: AwsCall, send: () => Promise<unknown>) => {
      if (call.operation === 'Query' && call.input.ExpressionAttributeValues[':from'].startsWith('HEAD')) {
        pages += 1;
        const deleted = await place.remove('staging', left.pop() ?? '');
        expect(deleted.status).toBe(200);
      }
      return send();
    },
  };
  const pulled = await withFault({ conductor }, headers => place.pull('staging', '', { headers }));
  expect([pulled.status, pulled.body.revision, pulled.body.secrets.length]).toEqual([200, revision, 45]);
  expect(pages).toBeGreaterThan(1);
  expect(pages).toBeLessThan(5);
});
