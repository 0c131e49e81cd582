import { describe, expect, it } from 'vitest';
import { type Entry, refusalsOf } from '#lib/contracts/fields/formats/format.ts';
import { formats } from '#lib/contracts/fields/formats/formats.ts';
import { chunksOf } from '#lib/core/chunks-of.ts';
import { seed } from '#test/support/seed.ts';
import { longValues, nastyValues } from './nasty-values.ts';
import { type Reader, readers } from './readers.ts';

/** `FORMATS=20000 npx vitest run test/clients/cli/formats` passes that many values through every reader. */
const count = Number(process.env.FORMATS ?? 150);
const source = { project: 'web-shop', environment: 'dev' };

const formatOf = (name: string) => {
  const format = formats[name];
  if (format === undefined) throw new Error(`There is no format ${name}.`);
  return format;
};

/** The entries that the reader reads differently. */
async function wrongOf(reader: Reader, entries: readonly Entry[]): Promise<unknown[]> {
  const read = await reader.read(formatOf(reader.format).write(entries, source));
  return entries
    .filter(([key, value]) => read.get(key) !== value)
    .map(([key, value]) => ({ key, value, read: read.get(key) }));
}

describe.each([...readers])('$name reads --format $format', reader => {
  const { format: name, missing } = reader;
  const format = formatOf(name);
  if (missing !== undefined) process.stderr.write(`SKIPPED: ${reader.name} for --format ${name}: ${missing}\n`);
  const takes = ([key, value]: Entry) => format.refuses(key, value) === undefined;

  it.skipIf(missing !== undefined)(
    `unchanged, whatever the value (${count} of seed ${seed})`,
    async () => {
      const entries = nastyValues(count, seed).map((value, index): Entry => [`K${index}`, value]);
      const taken = entries.filter(takes);
      for (const batch of chunksOf(reader.batch ?? 1000, taken)) expect(await wrongOf(reader, batch)).toEqual([]);
      process.stderr.write(
        `${reader.name}, ${name}: ${taken.length} of ${entries.length} exact, ${entries.length - taken.length} refused\n`,
      );
      // A format that rejects everything would pass too.
      expect(taken.length).toBeGreaterThan(entries.length * 0.2);
    },
    1_200_000,
  );

  it.skipIf(missing !== undefined)('unchanged, with 64 KiB', async () => {
    const entries = longValues.map((value, index): Entry => [`L${index}`, value]).filter(takes);
    for (const entry of entries) expect((await wrongOf(reader, [entry])).length).toBe(0);
    expect(entries.length).toBeGreaterThan(0);
  });

  it.skipIf(missing !== undefined)('under every key that it does not reject', async () => {
    const keys = 'A _ a A.B a-b A_B.c-1 __proto__ constructor toString hasOwnProperty if end'.split(' ');
    const entries = keys.map((key): Entry => [key, 'some value']).filter(takes);
    for (const entry of entries) expect(await wrongOf(reader, [entry])).toEqual([]);
    expect(entries.length).toBeGreaterThan(2);
  });
});

describe('a format', () => {
  it('is tested by at least one reader above', () => {
    expect(Object.keys(formats).filter(name => !readers.some(({ format }) => format === name))).toEqual([]);
  });

  it('writes an empty environment too', async () => {
    for (const reader of readers) {
      if (reader.missing === undefined && reader.format !== 'tfvars') expect(await wrongOf(reader, [])).toEqual([]);
    }
  });

  it.each([
    ['env', 'A', 'a\0b'],
    ['env', 'A', 'a\rb'],
    ['env', 'A', `'"`],
    ['env', 'A.B', 'a'],
    ['env', '__proto__', 'a'],
    ['env', 'RANDOM', 'a'],
    ['dotenv', '__proto__', 'a'],
    ['dotenv', 'A', '\'"`'],
    ['node', '__proto__', 'a'],
    ['node', 'A', 'a\rb'],
    ['docker', 'A', 'a\nb'],
    ['docker', 'A', 'a\r'],
    ['docker', 'A', 'x'.repeat(65_536)],
    ['compose', 'A', '\0'],
    ['python-dotenv', 'A', '\0'],
    ['sh', 'a-b', 'a'],
    ['sh', 'UID', 'a'],
    ['fish', 'status', 'a'],
    ['powershell', 'A', ''],
    ['systemd', 'A', '\ufffe'],
    ['systemd', 'a.b', 'a'],
    ['github', 'NODE_OPTIONS', 'a'],
    ['github', 'GITHUB_SHA', 'a'],
    ['k8s', 'A'.repeat(254), 'a'],
    ['tfvars', 'A', 'e\u0301'],
    ['tfvars', 'A.B', 'a'],
    ['tfvars', 'count', 'a'],
  ])('%s rejects %s = %j with the key and a reason', (name, key, value) => {
    const [refusal] = refusalsOf(formatOf(name), [[key, value]]);
    expect(refusal).toMatchObject({ key, reason: expect.stringMatching(/\w/) });
    if (value.length > 1) expect(refusal?.reason).not.toContain(value);
  });

  it('reports every rejected key at once', () => {
    const entries = Object.entries({ A: 'fine', B: '\0', 'c-d': 'x' });
    expect(refusalsOf(formatOf('sh'), entries).map(({ key }) => key)).toEqual(['B', 'c-d']);
  });

  it('rejects what exceeds a Secret as a whole, and keys that Windows can’t tell apart', () => {
    const many = Array.from({ length: 17 }, (_, index): Entry => [`K${index}`, 'x'.repeat(65_536)]);
    expect(refusalsOf(formatOf('k8s'), many)).toMatchObject([{ key: 'K16' }]);
    expect(refusalsOf(formatOf('k8s'), many.slice(1))).toEqual([]);
    expect(refusalsOf(formatOf('powershell'), Object.entries({ a: '1', A: '2' }))).toMatchObject([{ key: 'A' }]);
  });

  it('keeps every key in json and yaml, including __proto__', () => {
    for (const name of ['json', 'yaml']) expect(refusalsOf(formatOf(name), [['__proto__', '\0']])).toEqual([]);
  });

  it('masks every line for github before the text, escaped like its commands', () => {
    const entries: Entry[] = [['A', 'one\ntwo 100%\r\n\n  \nthree']];
    expect(formatOf('github').aside?.(entries)).toBe('::add-mask::one\n::add-mask::two 100%25\n::add-mask::three\n');
  });
});
