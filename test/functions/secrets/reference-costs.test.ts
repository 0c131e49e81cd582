// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the service expands them
import { describe, expect, it } from 'vitest';
import { resetProcessMemory } from '#lib/core/process-memory.ts';
import { at, find } from '#lib/table/read.ts';
import { headRecord, versionRecord } from '#lib/table/records/secret.ts';
import { transact, update } from '#lib/table/write.ts';
import { codeOf, startApi } from '#test/support/api.ts';
import { useWorkplace } from '#test/support/environments.ts';
import { allItems } from '#test/support/table-dump.ts';

// What can't be opened is an error in the log.
const { api, owner, place } = useWorkplace(() => startApi({ LOG_LEVEL: 'SILENT' }));

/** Keys of which each names the one before twice, so that the last one has 1,024 times the first. */
const doubling = (first: string) => [
  { key: 'D0', value: first },
  ...Array.from({ length: 10 }, (_, index) => ({
    key: `D${index + 1}`,
    value: `\${D${index}}`.repeat(2),
    expand: true,
  })),
];

/** Makes every value of the environment impossible to open: whatever opens one fails. */
async function spoil(env: string): Promise<void> {
  const { orgSlug, project } = place.pathOf(env);
  const own = (await allItems()).filter(({ pk }) => String(pk).endsWith(`#${orgSlug}#${project}#${env}`));
  for (const { kind, key, version } of own) {
    if (kind === headRecord.kind) await spoilItem(at(headRecord, place.pathOf(env), String(key)));
    if (kind === versionRecord.kind)
      await spoilItem(at(versionRecord, place.pathOf(env), String(key), Number(version)));
  }
  resetProcessMemory('snapshots');
}

async function spoilItem(item: Parameters<typeof find<{ sealed?: Uint8Array | undefined }>>[0]): Promise<void> {
  const { sealed } = (await find(item)) ?? {};
  if (sealed !== undefined) await transact([update(item, { set: { sealed: new Uint8Array(sealed.length) } })]);
}

describe('values that double', () => {
  it('are refused by their size, before anything is built or written', async () => {
    const refused = await place.importAll('dev', doubling('x'.repeat(65)));
    expect(codeOf(refused)).toBe('413 payload_too_large');
    expect(refused.body.error.details).toEqual({ key: 'D10', sizeBytes: 65 * 1024, maximumBytes: 64 * 1024 });
    expect(await place.values('dev')).toEqual({});

    expect(codeOf(await place.importAll('dev', doubling('x'.repeat(64))))).toBe('200 ok');
    const grown = await place.set('dev', 'D0', 'x'.repeat(65));
    expect(codeOf(grown)).toBe('413 payload_too_large');
    expect(await place.values('dev', '?keys=D10')).toEqual({ D10: 'x'.repeat(64 * 1024) });
  });

  it('are named once each in the entry of a pull, and are as short as they were set in everything raw', async () => {
    await place.importAll('dev', doubling('x'));
    await place.importAll('staging', doubling('y'));
    await place.pull('dev', '?keys=D10');
    const [entry] = await place.entriesOf('secret.pulled');
    expect(entry?.keys).toHaveLength(11);

    const reads = ['?raw=true', '?raw=true&revision=1', '?raw=true&format=json', '/diff?from=0&to=1&values=true'];
    for (const read of [...reads, '/compare?with=staging&values=true', '/versions/D10?values=true', '/keys']) {
      const { status, body } = await place.pull('dev', read);
      expect([read, status, JSON.stringify(body).includes('xx')]).toEqual([read, 200, false]);
    }
  });
});

describe('an environment that has grown beyond what can be pulled at once', () => {
  const parts = [1, 2, 3, 4];
  const keys = parts.map(part => `U${part}`).join();

  /** Only whoever can't read the values, and so must not learn their sizes, can make them that large. */
  async function grow(): Promise<number> {
    const named = parts.flatMap(part => [
      { key: `P${part}`, value: 'x' },
      { key: `U${part}`, value: `\${P${part}}`.repeat(20), expand: true },
    ]);
    expect(codeOf(await place.importAll('production', named))).toBe('200 ok');
    const { session: as } = await place.member('developer');
    for (const part of parts) {
      expect(codeOf(await place.set('production', `P${part}`, 'x'.repeat(60_000), { as }))).toBe('200 ok');
    }
    const { revision } = (await place.pull('production', '/keys')).body;
    // The past is as large.
    expect(codeOf(await place.set('production', 'P1', 'y'))).toBe('200 ok');
    expect(codeOf(await place.set('production', 'P1', 'x'.repeat(60_000), { as }))).toBe('200 ok');
    return revision;
  }

  it('is refused in every way of pulling it before a value is opened', async () => {
    const revision = await grow();
    const template = `/templates/${owner.organization.slug}/${place.project.slug}`;
    for (const part of parts) await api.post(template, { key: `U${part}`, pattern: 'x+' }, owner.session);
    await spoil('production');
    // A value can't be opened any more.
    expect((await place.pull('production', '?keys=P1')).status).toBe(500);
    const entries = await place.entriesOf('secret.pulled');

    const pulls = ['', '?format=json', '?format=dotenv', '?limit=8', `?keys=${keys}`, `?revision=${revision}`];
    for (const pull of [...pulls, `?format=yaml&keys=${keys}`, `?revision=${revision}&keys=${keys}`, '?search=U']) {
      expect([pull, codeOf(await place.pull('production', pull))]).toEqual([pull, '413 payload_too_large']);
    }
    expect(codeOf(await api.get(`${template}/validate/production`, owner.session))).toBe('413 payload_too_large');
    expect(await place.entriesOf('secret.pulled')).toEqual(entries);
  });

  it('is answered 304 as any other', async () => {
    await grow();
    const { revision } = (await place.pull('production', '/keys')).body;
    await spoil('production');
    for (const query of ['', '?raw=true', `?keys=${keys}`]) {
      const { status } = await place.pull('production', query, { headers: { 'if-none-match': `"${revision}"` } });
      expect([query, status]).toEqual([query, 304]);
    }
  });
});
