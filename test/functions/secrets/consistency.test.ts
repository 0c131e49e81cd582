import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { at, find } from '#lib/table/read.ts';
import { headRecord, versionRecord } from '#lib/table/records/secret.ts';
import { transact, update } from '#lib/table/write.ts';
import { codeOf, startApi } from '#test/support/api.ts';
import { useWorkplace } from '#test/support/environments.ts';
import { numbered } from '#test/support/numbered.ts';

const { place } = useWorkplace(() => startApi({ LOG_LEVEL: 'SILENT' }));

/** Pulls all the time until the change is over, and until something else is true. */
async function pullingThroughout<T>(
  changing: Promise<T>,
  check: (revision: number, values: Record<string, string>) => void,
  isEnough = () => true,
): Promise<T> {
  let over = false;
  const pulling = Array.from({ length: 3 }, async () => {
    while (!over || !isEnough()) {
      const { status, body } = await place.pull('dev');
      expect(status).toBe(200);
      check(body.revision, Object.fromEntries(body.secrets.map((s: Record<string, string>) => [s.key, s.value])));
      // The changes need the processor too.
      await sleep(5);
    }
  });
  const result = await changing.finally(() => {
    over = true;
  });
  await Promise.all(pulling);
  return result;
}

describe('concurrent changes', () => {
  it('twenty sets of one key create twenty versions and twenty revisions, and none is lost', async () => {
    const values = Array.from({ length: 20 }, (_, i) => `value ${i}`);
    const answers = await Promise.all(values.map(value => place.set('dev', 'A', value)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(19).fill(200), 201]);
    const revisions = answers.map(({ body }) => body.revision).toSorted((a, b) => a - b);
    expect(revisions).toEqual(values.map((_, i) => i + 1));
    expect(answers.every(({ body }) => body.secret.version === body.revision)).toBe(true);
    const versions = await place.history('dev', 'A');
    expect(versions.map(({ version }) => version)).toEqual(values.map((_, i) => 20 - i));
    expect(new Set(versions.map(({ value }) => value))).toEqual(new Set(values));
  });

  it('of twenty sets that expect the key not to exist, one succeeds', async () => {
    const body = { expectedVersion: 0 };
    const sets = Array.from({ length: 20 }, (_, i) => place.set('dev', 'A', `value ${i}`, { body }));
    const answers = await Promise.all(sets);
    const codes = answers.map(({ status }) => status).toSorted();
    expect(codes).toEqual([201, ...Array(19).fill(412)]);
    expect((await place.pull('dev')).body).toMatchObject({ revision: 1, secrets: [{ version: 1 }] });
  });

  it('the last free place under the plan is taken once', async () => {
    await place.importAll('dev', numbered(995, ''));
    const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => place.set('dev', `NEW_${i}`, 'v')));
    const statuses = answers.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([...Array(5).fill(201), ...Array(7).fill(402)]);
    expect(Object.keys(await place.values('dev'))).toHaveLength(1000);
  });

  it('ten large imports of overlapping keys, with pulls throughout: each pull returns exactly one of them', async () => {
    const count = 120;
    // Import n sets keys n*10 … n*10+119, and each sets MARK, which reveals the order.
    const secrets = (n: number) => ({
      MARK: `import ${n}`,
      ...Object.fromEntries(Array.from({ length: count }, (_, i) => [`K${n * 10 + i}`, `import ${n}`])),
    });
    // The results of all pulls, by revision.
    const seen = new Map<number, Record<string, string>>([[0, {}]]);
    const answers = await pullingThroughout(
      Promise.all(Array.from({ length: 10 }, (_, n) => place.importAll('dev', secrets(n)))),
      (revision, values) => {
        expect(values).toEqual(seen.get(revision) ?? values);
        seen.set(revision, values);
      },
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));

    const order = answers
      .map(({ body }, n) => ({ n, revision: body.revision }))
      .toSorted((a, b) => a.revision - b.revision);
    expect(order.map(({ revision }) => revision)).toEqual(Array.from({ length: 10 }, (_, i) => i + 1));
    let expected: Record<string, string> = {};
    for (const { n, revision } of order) {
      expected = { ...expected, ...secrets(n) };
      const shown = seen.get(revision);
      if (shown !== undefined) expect(shown).toEqual(expected);
    }
    expect(await place.values('dev')).toEqual(expected);
    expect(seen.size).toBeGreaterThan(3);
  });

  it('1,000 sets and deletions are one revision, and each pull returns all of them or none', async () => {
    const names = (letter: string) => Array.from({ length: 333 }, (_, i) => `${letter}${i}`);
    const filled = (keys: string[], value: string) => Object.fromEntries(keys.map(key => [key, value]));
    const old = filled([...names('A'), ...names('B'), 'K'], 'old');
    const now = filled([...names('B'), ...names('C'), 'K'], 'new');
    await place.importAll('dev', old);
    const seen = { old: 0, new: 0 };
    const set = Object.entries(now).map(([key, value]) => ({ key, value }));
    const { status, body: answer } = await pullingThroughout(
      place.change('dev', { set, delete: names('A') }),
      (revision, values) => {
        expect(values).toEqual(revision === 1 ? old : now);
        seen[revision === 1 ? 'old' : 'new'] += 1;
      },
      () => seen.new > 0,
    );
    expect([status, answer.revision]).toEqual([200, 2]);
    expect([answer.created, answer.updated, answer.deleted].map(({ length }) => length)).toEqual([333, 334, 333]);
    expect(seen.old).toBeGreaterThan(0);
    expect((await place.pull('dev', '/revisions?limit=1')).body.revisions[0].deleted).toHaveLength(333);
  });

  it('sets and large imports coexist: every set creates a version of its own', async () => {
    const answers = await Promise.all([
      ...['a', 'b', 'c'].map(fill => place.importAll('dev', numbered(100, fill))),
      ...Array.from({ length: 15 }, (_, i) => place.set('dev', 'K7', `set ${i}`)),
    ]);
    expect(answers.every(({ status }) => status < 300)).toBe(true);
    expect(await place.history('dev', 'K7')).toHaveLength(18);
    const { body } = await place.pull('dev');
    expect(body.revision).toBe(18);
    expect(body.secrets.find(({ key }: { key: string }) => key === 'K7')).toMatchObject({ version: 18 });
  });
});

describe('a misplaced ciphertext', () => {
  const head = (env: string, key: string) => at(headRecord, place.pathOf(env), key);
  const firstVersion = () => find(at(versionRecord, place.pathOf(), 'A', 1));
  const setHead = (set: object) => transact([update(head('dev', 'A'), { set })]);

  it('makes the pull fail and return nothing, and is repaired by setting the key again', async () => {
    await place.importAll('dev', { A: 'secret of A', B: 'secret of B' });
    const other = await find(head('dev', 'B'));
    await setHead({ sealed: other?.sealed });
    const pulled = await place.pull('dev');
    expect([pulled.status, pulled.body.error.code]).toEqual([500, 'internal_error']);
    expect(JSON.stringify(pulled.body)).not.toContain('secret of');
    expect((await place.set('dev', 'A', 'secret of A')).body).toMatchObject({ changed: true, secret: { version: 2 } });
    expect(await place.values('dev')).toEqual({ A: 'secret of A', B: 'secret of B' });
  });

  it('is detected if it comes from another environment or an older version, or has a flipped bit', async () => {
    await place.set('dev', 'A', 'old');
    await place.set('dev', 'A', 'new');
    await place.set('staging', 'A', 'other');
    const current = await find(head('dev', 'A'));
    const elsewhere = await find(head('staging', 'A'));
    const older = await firstVersion();
    const flipped = Uint8Array.from(current?.sealed ?? []);
    flipped[flipped.length - 1] = (flipped.at(-1) as number) ^ 1;
    for (const sealed of [elsewhere?.sealed, older?.sealed, flipped, current?.sealed?.slice(0, 20)]) {
      await setHead({ sealed });
      expect((await place.pull('dev')).status).toBe(500);
    }
    await setHead({ sealed: current?.sealed });
    expect(await place.values('dev')).toEqual({ A: 'new' });
  });

  it('is detected even if it comes from an older version together with its number: the digest does not match', async () => {
    await place.set('dev', 'A', 'old');
    await place.set('dev', 'A', 'new');
    const older = await firstVersion();
    await setHead({ sealed: older?.sealed, version: 1, revision: 1 });
    expect(codeOf(await place.pull('dev'))).toBe('503 temporarily_unavailable');
  });
});
