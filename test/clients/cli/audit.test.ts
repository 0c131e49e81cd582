import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { AuditEntry } from '#lib/contracts/audit/entries.ts';
import { csvColumns, csvRecord } from '#lib/contracts/fields/formats/entry-csv.ts';
import { openWorkplace } from '#test/support/environments.ts';
import { expectStatus } from '#test/support/sample-requests.ts';
import { auditEntry, oldestFirst, seedAudit } from '#test/support/seed-audit.ts';
import { failure } from './cli.ts';
import { useWorkplace } from './workplace.ts';

const { api, cli, place, owner, variables, tokenOf, holdfast: run, value } = useWorkplace();
const holdfast = (...words: string[]) => run('audit', ...words);
const idsOf = (entries: readonly { id: string }[]) => entries.map(({ id }) => id);
const listed = async (...words: string[]) => JSON.parse((await holdfast(...words, '--json')).stdout);

async function asked(query: string) {
  const path = `/audit/${owner.organization.id}?limit=500&${query}`;
  return (await expectStatus(api.get(path, owner.session), 200)).body.entries as AuditEntry[];
}

async function live() {
  const admin = await place.member('admin');
  const other = await openWorkplace(api, owner);
  await place.importAll('dev', { A: value, B: value });
  await place.set('staging', 'A', value, { as: admin.session });
  await other.set('dev', 'A', value);
  const token = await tokenOf(admin);
  await expectStatus(place.pull('dev', '', { as: token }), 200);
  await expectStatus(place.pull('dev', '?keys=B'), 200);
  const path = `/projects/${owner.organization.id}/${place.project.slug}`;
  const { environments } = (await expectStatus(api.get(path, owner.session), 200)).body.project;
  const dev = environments.find(({ slug }: { slug: string }) => slug === 'dev').id as string;
  return { admin, other, tokenId: token.id, dev };
}

describe('holdfast audit', () => {
  it('lists what the service answers to each filter, alone and combined', async () => {
    const { admin, other, tokenId, dev } = await live();
    const middle = (await asked(''))[3]?.createdAt ?? '';
    for (const [words, query] of [
      [['--actor', admin.email], `actor=${admin.user.id}`],
      [['--actor', admin.user.id], `actor=${admin.user.id}`],
      [['--token', tokenId], `tokenId=${tokenId}`],
      [['-p', other.project.slug], `project=${other.project.id}`],
      [['--project', other.project.id], `project=${other.project.id}`],
      [['-e', 'dev'], `environment=${dev}`],
      [['-e', dev], `environment=${dev}`],
      [['-e', `${owner.organization.slug}/${place.project.slug}/dev`], `environment=${dev}`],
      [['--key', 'A'], 'key=A'],
      [['--since', middle], `since=${middle}`],
      [['--until', middle], `until=${middle}`],
      [['--action', 'secret.pulled', '--key', 'A'], 'action=secret.pulled&key=A'],
      [
        ['--actor', admin.email, '-e', 'staging', '--since', '1h'],
        `actor=${admin.user.id}&key=A&action=secret.created`,
      ],
    ] as const) {
      const expected = idsOf(await asked(query));
      expect(expected.length).toBeGreaterThan(0);
      expect([words, idsOf((await listed(...words)).entries)]).toEqual([words, expected]);
    }
    expect((await listed('--since', '2026-01-01', '--until', '2026-01-02T03:04')).entries).toEqual([]);
  });

  it('shows the whole organization unless a flag says otherwise, also in a linked directory', async () => {
    const { other } = await live();
    const { entries, pagination } = await listed('--all');
    const everything = await asked('');
    expect([idsOf(entries), pagination.total]).toEqual([idsOf(everything), everything.length]);
    expect(JSON.stringify(entries)).toContain(other.project.slug);
  });

  it('counts what it does not show', async () => {
    await live();
    const all = await asked('');
    const { stdout, stderr } = await holdfast('--limit', '2', '--offset', '1');
    expect(stdout.split('\n').slice(0, -1)).toHaveLength(2);
    expect(stdout).toContain(`${all[1]?.createdAt}\t`);
    expect(stderr).toBe(`Shown: 2 of ${all.length}. More: --limit, --all\n`);
    expect((await holdfast('--all')).stderr).toBe('');
  });

  it('refuses with a sentence what does not go together, and what is no id, key or time', async () => {
    for (const words of [
      ['--token', 'service_tok_geheim'],
      ['--key', 'A=geheim'],
      ['--since', '31.01.2026'],
      ['--since', '2026-01-31T25:00'],
      ['--since', '1h', '--until', '2h'],
      ['--format', 'csv', '--json'],
      ['--follow', '--all'],
      ['--follow', '--limit', '7'],
      ['--cursor-file', 'cursor'],
      ['--follow', '--after', 'geheim'],
    ]) {
      expect(await holdfast(...words), words.join(' ')).toEqual(failure(2, /^(?!.*geheim)/s));
    }
    expect((await holdfast('--actor', 'nobody@example.com')).code).toBe(5);
    expect((await holdfast('-p', 'nowhere')).code).toBe(5);
  });
});

it('a long log is listed whole, also beyond the offset at which the service ends', async () => {
  const start = Date.now() - 3_600_000;
  // Groups with the same time lie across every edge of a page.
  const entries = Array.from({ length: 10_650 }, (_, n) =>
    auditEntry('secret.pulled', start + Math.floor(n / 7), { keys: [`K${n % 3}`] }),
  );
  await seedAudit(owner.organization.id, entries);
  const newestFirst = idsOf(oldestFirst(entries)).toReversed();
  const { entries: last, pagination } = await listed('--action', 'secret.pulled', '--offset', '9480', '--all');
  expect(idsOf(last)).toEqual(newestFirst.slice(9480));
  expect(pagination.total).toBe(10_650);
}, 240_000);

describe('holdfast audit --format csv', () => {
  type Entry = Parameters<typeof csvRecord>[0];

  /** RFC 4180. */
  function parse(text: string): string[][] {
    const records: string[][] = [[]];
    for (const match of text.matchAll(/("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n)/g)) {
      const [, cell = '', end] = match;
      records.at(-1)?.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);
      if (end === '\r\n') records.push([]);
    }
    expect(records.pop()).toEqual([]);
    return records;
  }

  it('has a header and every entry with all of its members', async () => {
    await live();
    const { code, stdout } = await holdfast('--format', 'csv', '--all');
    const [header, ...records] = parse(stdout);
    const entries = await asked('');
    expect([code, header, records.length]).toEqual([0, [...csvColumns], entries.length]);
    expect(records.map(record => record[csvColumns.indexOf('id')])).toEqual(idsOf(entries));
    const at = (column: (typeof csvColumns)[number]) => records.map(record => record[csvColumns.indexOf(column)]);
    expect(at('keys')).toContain('A B');
    expect(at('actor.email')).toContain(owner.email);
  });

  it('has a column for each member that an entry can have', () => {
    const leaves = (shape: Record<string, unknown>, before = ''): string[] =>
      Object.entries(shape).flatMap(([name, schema]) => {
        let inner = schema as { shape?: Record<string, unknown>; unwrap?: () => unknown };
        while (inner.shape === undefined && inner.unwrap !== undefined && !('element' in inner)) {
          inner = inner.unwrap() as typeof inner;
        }
        return inner.shape === undefined ? [before + name] : leaves(inner.shape, `${before}${name}.`);
      });
    expect([...csvColumns].toSorted()).toEqual(leaves(AuditEntry.shape).toSorted());
  });

  it('starts no formula in a spreadsheet, and keeps quotes, commas and line breaks', () => {
    const cellOf = (message: string) => {
      const entry = AuditEntry.parse({ ...auditEntry('secret.changed', 0), message }) as Entry;
      return parse(csvRecord(entry))[0]?.[csvColumns.indexOf('message')];
    };
    for (const start of ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']) {
      expect(cellOf(`${start}HYPERLINK("https://evil.example")`)?.startsWith("'")).toBe(true);
    }
    for (const text of ['a "quoted", text;\r\nof lines', "it's", 'a=b', '']) expect(cellOf(text)).toBe(text);
  });

  it('is followed too, with the header only at the beginning', async () => {
    const entries = Array.from({ length: 3 }, (_, n) => auditEntry('secret.pulled', Date.now() - 3_600_000 + n));
    await seedAudit(owner.organization.id, entries);
    const words = ['--follow', '--format', 'csv', '--since', '2h', '--cursor-file', 'cursor'];
    const first = await holdfast(...words, '--until', entries[1]?.createdAt ?? '');
    const second = await holdfast(...words, '--until', '30m');
    const ids = parse(first.stdout + second.stdout).map(record => record.at(-1));
    expect(ids).toEqual(['id', ...idsOf(entries)]);
  });
});

it.each([80, 120])(
  'on a terminal fits %i columns: the address and the keys are left out where they do not fit, else keys wrap',
  async width => {
    const keys = Array.from({ length: 40 }, (_, n) => `A_LONG_KEY_${n}`);
    const target = { type: 'project', id: randomUUID(), name: 'web-shop' } as const;
    const actions = ['secret.updated', 'member.role_changed'] as const;
    const writtenMs = Date.now() - 1000;
    await seedAudit(
      owner.organization.id,
      actions.map(action => auditEntry(action, writtenMs, { target, keys, ip: '203.0.113.7' })),
    );
    const env = { ...variables, TERM: 'dumb' };
    const words = ['audit', '--limit', '2', '--until', new Date(writtenMs + 1).toISOString()];
    const { stdout } = await cli.converse(words, [], { env, columns: width });
    const [header = '', ...lines] = stdout.replaceAll('\r', '').trimEnd().split('\n');
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(width);
    expect([header.includes('FROM'), header.includes('KEYS')]).toEqual([width === 120, width === 120]);
    expect(lines.join(' ').includes('and 35 more')).toBe(width === 120);
  },
);
