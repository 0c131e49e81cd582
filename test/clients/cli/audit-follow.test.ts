import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ranges } from '#lib/table/keys.ts';
import { at, ofKind, queryItems } from '#lib/table/read.ts';
import { type AuditRecord, auditRecord } from '#lib/table/records/audit.ts';
import { organizationRecord } from '#lib/table/records/organization.ts';
import { transact, update } from '#lib/table/write.ts';
import { eventually } from '#test/support/eventually.ts';
import { fresh } from '#test/support/fixtures.ts';
import { expectStatus } from '#test/support/sample-requests.ts';
import { oldestFirst, seedPulls } from '#test/support/seed-audit.ts';
import { passTo } from '../relay.ts';
import { type Respond, refusal, reset, startServer } from '../sdk/scripted-server.ts';
import { useWorkplace } from './workplace.ts';

const day = 86_400_000;
const { api, cli, place, owner, variables, tokenOf, value } = useWorkplace();

const start = (words: string[], env: Record<string, string | undefined> = variables) =>
  cli.start(['audit', '--follow', '--json', '--interval', '1', ...words], { env });

interface Document {
  id: string;
  createdAt: string;
  cursor: string;
}

/** The whole lines of an output. A process that was killed may have written a part of the last one. */
const documentsOf = (text: string): Document[] =>
  text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line));

const idsOf = (some: readonly { id: string }[]) => some.map(({ id }) => id);
const seeded = (count: number, startMs = Date.now() - 3_600_000) => seedPulls(owner.organization.id, count, startMs);

describe('holdfast audit --follow', () => {
  it('prints one document a line, oldest first, and ends where it is told to', async () => {
    const entries = await seeded(25);
    const until = entries[20]?.createdAt ?? '';
    const { code, stdout, stderr } = await start(['--since', '2h', '--until', until]).ended;
    const expected = entries.filter(({ createdAt }) => createdAt < until);
    expect([code, stderr, idsOf(documentsOf(stdout))]).toEqual([0, '', idsOf(expected)]);
    const filtered = await start(['--since', '2h', '--until', '30m', '--token', entries[7]?.actor.tokenId ?? '']).ended;
    expect(idsOf(documentsOf(filtered.stdout))).toEqual(idsOf(entries.slice(7, 8)));
  });

  it('goes on after the cursor of any document, or of the file', async () => {
    const entries = await seeded(9);
    const words = ['--since', '2h', '--until', '30m'];
    const documents = documentsOf((await start(words).ended).stdout);
    for (const [index, { cursor }] of documents.entries()) {
      const { stdout } = await start([...words, '--after', cursor]).ended;
      expect(idsOf(documentsOf(stdout))).toEqual(idsOf(entries.slice(index + 1)));
    }
    const file = cli.file('cursor', `${documents[3]?.cursor}\n`);
    const { stdout } = await start([...words, '--cursor-file', file]).ended;
    expect(idsOf(documentsOf(stdout))).toEqual(idsOf(entries.slice(4)));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await start([...words, '--cursor-file', file]).ended).stdout).toBe('');
    writeFileSync(file, 'nonsense');
    const { code, stderr } = await start([...words, '--cursor-file', file]).ended;
    expect([code, stderr]).toEqual([2, expect.stringContaining(`${file} contains no audit log cursor`)]);
  });

  it('prints rows in columns on a terminal, and in a pipe lines with tabs', async () => {
    const entries = await seeded(3);
    const words = ['audit', '--follow', '--since', '2h', '--until', '30m'];
    const piped = await cli.run(words, { env: variables });
    const times = piped.stdout.split('\n').map(line => line.split('\t')[0]);
    expect(times).toEqual([...entries.map(({ createdAt }) => createdAt), '']);
    const { stdout } = await cli.converse(words, [], { env: { ...variables, TERM: 'dumb' } });
    expect(stdout).toMatch(/^WHEN +WHO +ACTION [^\n]+\n(?:\d{4}-\d\d-\d\d [\d:]{8} +ada@example\.com [^\n]+\n){3}$/);
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('ends with success on %s', async signal => {
    await seeded(2);
    const started = start(['--since', '2h', '--cursor-file', 'cursor']);
    await started.until('"cursor"');
    await eventually(() => readFileSync(join(cli.home, 'cursor')));
    started.child.kill(signal);
    const { code, signal: by, stderr } = await started.ended;
    expect([code, by, stderr]).toEqual([0, null, '']);
  });

  it('ends without a word when nobody reads any more, and has stored no cursor beyond that', async () => {
    const entries = await seeded(2500);
    const started = start(['--since', '2h', '--cursor-file', 'cursor']);
    await started.until('"cursor"');
    started.child.stdout?.destroy();
    const { code, stderr } = await started.ended;
    expect([code, stderr]).toEqual([141, '']);
    const { stdout } = await start(['--since', '2h', '--until', '30m', '--cursor-file', 'cursor']).ended;
    const rest = idsOf(documentsOf(stdout));
    expect(rest).toEqual(idsOf(entries).slice(-rest.length));
    expect(rest.length).toBeGreaterThanOrEqual(1500);
  });

  it('says which period is missing if retention has passed its cursor, and goes on from there', async () => {
    const createdAt = new Date(Date.now() - 200 * day).toISOString();
    await transact([update(at(organizationRecord, owner.organization.slug), { set: { createdAt } })]);
    const entries = await seeded(5, Date.now() - day);
    const old = new Date(Date.now() - 150 * day);
    const next = Buffer.from(JSON.stringify({ from: old.toISOString() })).toString('base64url');
    const cursor = `${next}.${old.getTime()}`;
    for (const words of Object.entries({ '--after': cursor, '--since': '150d' })) {
      const { code, stdout, stderr } = await start([...words, '--until', '1h']).ended;
      expect([code, idsOf(documentsOf(stdout))]).toEqual([0, idsOf(entries)]);
      const [, from = '', to = ''] = /Entries between (\S+Z) and (\S+Z) are no longer retained/.exec(stderr) ?? [];
      expect(Math.abs(Date.parse(from) - old.getTime())).toBeLessThan(60_000);
      expect(Date.parse(to)).toBeGreaterThan(old.getTime());
      expect(to < (entries[0]?.createdAt ?? '')).toBe(true);
    }
  });
});

describe('an outage', () => {
  let script: Respond[] = [];
  const pass: Respond = (...call) => void passTo(api.url)(...call);
  const relay = fresh(() =>
    startServer((request, response) => {
      const isFeed = request.path.endsWith('/feed') && request.query.has('after');
      const step = isFeed ? script.shift() : undefined;
      (step ?? pass)(request, response);
    }),
  );

  const times = (count: number, step: Respond) => Array.from({ length: count }, () => step);

  it('is survived, whatever kind it is, without a repeated or a missing entry', async () => {
    const wait = { 'retry-after': '1' };
    // The client tries four times before it says that the service does not answer.
    script = [
      pass,
      ...times(4, reset),
      ...times(4, refusal(503, 'temporarily_unavailable', undefined, wait)),
      ...times(4, refusal(429, 'rate_limited', undefined, wait)),
      refusal(500, 'internal_error'),
    ];
    const first = await seeded(4);
    const started = start(['--since', '2h', '--cursor-file', 'cursor'], { ...variables, HOLDFAST_URL: relay.url });
    await started.until('Trying again until the service responds');
    // Younger than what the first page has read, and soon old enough for the feed.
    const later = await seeded(4, Date.now() - 55_000);
    await started.until('The service responds again');
    await started.until(later[3]?.id ?? '');
    started.child.kill('SIGTERM');
    const { code, stdout, stderr } = await started.ended;
    expect([code, script]).toEqual([0, []]);
    expect(idsOf(documentsOf(stdout))).toEqual(idsOf([...first, ...later]));
    expect(stderr.match(/Trying again/g)?.length).toBeGreaterThan(1);
  });

  it('ends the command at once if it is there from the beginning, or if the token is no longer valid', async () => {
    script = times(40, reset);
    const refused = await start([], { ...variables, HOLDFAST_URL: relay.url }).ended;
    expect([refused.code, refused.stderr]).toEqual([8, expect.stringContaining('No connection')]);
    script = [];
    const { id, token } = await tokenOf(owner);
    const started = start(['--since', '2h', '--cursor-file', 'cursor'], { ...variables, HOLDFAST_TOKEN: token });
    await eventually(() => readFileSync(join(cli.home, 'cursor')));
    await expectStatus(api.delete(`/auth/tokens/${id}`, owner.session), 200);
    const { code, stderr } = await started.ended;
    expect([code, stderr]).toEqual([3, expect.not.stringContaining(token)]);
  });

  it('is none if the token in HOLDFAST_TOKEN_FILE is replaced in time', async () => {
    const [old, next] = [await tokenOf(owner), await tokenOf(owner)];
    const file = cli.file('token', old.token, 0o600);
    const { HOLDFAST_TOKEN: _, ...others } = variables;
    const started = start(['--since', '2h', '--cursor-file', 'cursor'], { ...others, HOLDFAST_TOKEN_FILE: file });
    await eventually(() => readFileSync(join(cli.home, 'cursor')));
    writeFileSync(file, next.token);
    await expectStatus(api.delete(`/auth/tokens/${old.id}`, owner.session), 200);
    const before = readFileSync(join(cli.home, 'cursor'), 'utf8');
    await eventually(() => expect(readFileSync(join(cli.home, 'cursor'), 'utf8')).not.toBe(before));
    started.child.kill('SIGTERM');
    expect(await started.ended).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('a follower that is killed again and again, while four writers write', () => {
  /** So fast does time pass, to wait less for entries to settle. */
  const speed = 10;
  let clock: NodeJS.Timeout;

  beforeEach(() => {
    const started = { real: performance.now(), ms: Date.now() };
    vi.useFakeTimers({ toFake: ['Date'], now: started.ms });
    clock = setInterval(() => vi.setSystemTime(started.ms + (performance.now() - started.real) * speed), 1);
  });
  afterEach(() => {
    clearInterval(clock);
    vi.useRealTimers();
  });

  async function write(writer: number): Promise<void> {
    for (let n = 0; n < 25; n += 1) {
      if (n % 3 > 0) await expectStatus(place.pull('dev'), 200);
      else await expectStatus(place.set(writer % 2 === 0 ? 'dev' : 'staging', `K${writer}`, `${value}${n}`), 200, 201);
      await pause(Math.random() * 300);
    }
  }

  async function stored(): Promise<AuditRecord[]> {
    return oldestFirst(ofKind(auditRecord, await queryItems(ranges.audit(owner.organization.id, 0))));
  }

  /** @param wordsAfter how a follower goes on, by the documents that the earlier ones printed */
  async function followKilled(wordsAfter: (printed: readonly Document[]) => string[]) {
    let isWriting = true;
    const writing = Promise.all([0, 1, 2, 3].map(write)).finally(() => {
      isWriting = false;
    });
    const printed: Document[] = [];
    let kills = 0;
    while (isWriting || kills < 8) {
      const started = start(wordsAfter(printed));
      await Promise.race([started.ended, pause(200 + Math.random() * 2000)]);
      started.child.kill('SIGKILL');
      const { signal, stdout, stderr } = await started.ended;
      expect([signal, stderr]).toEqual(['SIGKILL', '']);
      printed.push(...documentsOf(stdout));
      kills += 1;
    }
    await writing;
    const until = new Date(Date.now() + 1).toISOString();
    const last = await start([...wordsAfter(printed), '--until', until]).ended;
    expect([last.code, last.stderr]).toEqual([0, '']);
    printed.push(...documentsOf(last.stdout));
    expect(JSON.stringify(printed)).not.toContain(value);
    const all = (await stored()).filter(({ createdAt }) => createdAt < until);
    expect(all.length).toBeGreaterThan(100);
    return { printed: idsOf(printed), all: idsOf(all) };
  }

  it('misses nothing with --cursor-file, and only repeats what was printed since the cursor was stored', async () => {
    const { printed, all } = await followKilled(() => ['--cursor-file', 'cursor']);
    expect([...new Set(printed)]).toEqual(all);
    // A repetition begins where a follower was killed, and ends where that one had come to.
    const isStep = (id: string, before: string) => all.indexOf(id) <= all.indexOf(before) + 1;
    expect(printed.slice(1).every((id, index) => isStep(id, printed[index] ?? ''))).toBe(true);
  }, 240_000);

  it('has everything exactly once and in order if it goes on after the last whole document', async () => {
    const { printed, all } = await followKilled(documents => {
      const cursor = documents.at(-1)?.cursor;
      return cursor === undefined ? [] : ['--after', cursor];
    });
    expect(printed).toEqual(all);
  }, 240_000);
});
