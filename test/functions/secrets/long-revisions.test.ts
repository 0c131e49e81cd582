import { expect, it } from 'vitest';
import { startApi } from '#test/support/api.ts';
import { openWorkplace } from '#test/support/environments.ts';
import { shared } from '#test/support/fixtures.ts';
import { scanTable } from '#test/support/invariants.ts';

/* Changes of so many long keys that their records need several items. */

const keys = Array.from({ length: 1000 }, (_, index) => `K${index}_`.padEnd(250, 'x')).toSorted();
const api = shared(startApi);
const place = shared(() => openWorkplace(api));

it('a change whose record has several parts can be read at, compared, listed and restored like any other', async () => {
  const asOwner = place.owner.session;
  const all = (value: string) => Object.fromEntries(keys.map(key => [key, value]));
  const change = (body: object) => api.post(place.at('dev', '/changes'), body, asOwner);
  const valuesAt = async (revision: number) => {
    const { body } = await place.pull('dev', `?revision=${revision}`);
    return Object.fromEntries(body.secrets.map(({ key, value }: Record<string, string>) => [key, value]));
  };

  const created = await change({ set: keys.map(key => ({ key, value: 'one' })) });
  const updated = await change({ set: keys.map(key => ({ key, value: 'two' })) });
  const deleted = await change({ delete: keys });
  expect([created, updated, deleted].map(({ status }) => status)).toEqual([200, 200, 200]);
  const parts = (await scanTable()).filter(({ kind }) => kind === 'revisionPart');
  expect(parts.length).toBeGreaterThanOrEqual(3 * 2);

  const first = created.body.revision;
  expect(await valuesAt(first)).toEqual(all('one'));
  expect(await valuesAt(first + 1)).toEqual(all('two'));
  expect(await valuesAt(first + 2)).toEqual({});

  const diff = async (from: number, to: number) =>
    (await api.get(place.at('dev', `/diff?from=${from}&to=${to}`), asOwner)).body;
  const named = keys.map(key => ({ key }));
  expect(await diff(first - 1, first)).toMatchObject({ created: named, updated: [], deleted: [] });
  expect(await diff(first, first + 1)).toMatchObject({ created: [], updated: named, deleted: [] });
  expect(await diff(first + 1, first + 2)).toMatchObject({ created: [], updated: [], deleted: named });

  const listed = [];
  for (let before: number | null = first + 3; before !== null; ) {
    const { body }: { body: { revisions: object[]; next: number | null } } = await api.get(
      place.at('dev', `/revisions?before=${before}`),
      asOwner,
    );
    listed.push(...body.revisions);
    before = body.next;
  }
  expect(listed).toMatchObject([
    { revision: first + 2, created: [], updated: [], deleted: keys },
    { revision: first + 1, created: [], updated: keys, deleted: [] },
    { revision: first, created: keys, updated: [], deleted: [] },
  ]);

  const restored = await api.post(place.at('dev', '/restore'), { revision: first }, asOwner);
  expect(restored.status).toBe(200);
  expect(await place.values('dev')).toEqual(all('one'));
});
