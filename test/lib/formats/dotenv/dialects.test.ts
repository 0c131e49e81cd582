import { parse as parse16 } from 'dotenv-16';
import { parse as parse17 } from 'dotenv-17';
import { parse as parse18 } from 'dotenv-18';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseDotenv } from '#lib/contracts/fields/dotenv.ts';
import { ambiguousLines } from '#lib/formats/dotenv/ambiguous.ts';
import { type Dialect, dialectReaders } from '#lib/formats/dotenv/dialects.ts';
import type { Assigned } from '#lib/formats/dotenv/reading.ts';
import { dotenvFile, dotenvLine } from './nasty-files.ts';
import { continuesComments, type Tool, tools } from './real-tools.ts';

const count = Number(process.env.DIALECTS ?? 200);
const files = fc.sample(dotenvFile, count);
const available = tools.filter(({ missing }) => missing === undefined);
for (const { name, missing } of tools) {
  if (missing !== undefined) process.stdout.write(`skipped ${name}: ${missing}\n`);
}

interface Read {
  values: Map<string, string>;
  /** Keys whose value the tool takes from its environment, or that a line without a value removes again. */
  open: Set<string>;
  isWhole: boolean;
}

function readAs(dialect: Dialect, text: string): Read {
  const readings = dialectReaders[dialect](text);
  const assigned = readings.filter((reading): reading is Assigned => !('problem' in reading));
  const values = new Map(assigned.map(({ key, value }) => [key, value]));
  const open = new Set(assigned.filter(({ unset }) => unset).map(({ key }) => key));
  return { values, open, isWhole: readings.length === assigned.length && open.size === 0 };
}

/** What may be given to the tool: a shell gets only files in which nothing would run. */
function filesFor({ dialect, runsFiles }: Tool, texts: readonly string[]): string[] {
  if (dialect === 'systemd' && continuesComments) return texts.filter(text => !/[#;].*\\[\r\n]/.test(text));
  return texts.filter(text => !runsFiles || readAs(dialect, text).isWhole);
}

describe.each(available.map(tool => [tool.name, tool] as const))('%s', (_name, tool) => {
  test(`reads ${count} files as its dialect does`, { timeout: 300_000 }, () => {
    const given = filesFor(tool, files);
    expect(given.length).toBeGreaterThan(count / 20);
    const answers = tool.read(given);
    for (const [index, text] of given.entries()) {
      const { values, open, isWhole } = readAs(tool.dialect, text);
      const answer = answers[index];
      if (answer === undefined) {
        expect({ text, isWhole }).toEqual({ text, isWhole: false });
        continue;
      }
      for (const [key, value] of answer) if (value === null) open.add(key);
      const known = (entries: Iterable<[string, string | null]>) =>
        Object.fromEntries([...entries].filter(([key]) => !open.has(key)));
      expect({ text, values: known(values) }).toEqual({ text, values: known(answer) });
    }
  });
});

describe('ambiguous lines', () => {
  const lines = fc.sample(dotenvLine, count).filter(line => {
    const { entries, problems } = parseDotenv(line);
    return entries.length === 1 && problems.length === 0;
  });
  /** npm dotenv also trims white space, such as U+FEFF, that is part of the value for all others. */
  const isTrimmedByNpm = (line: string) => /[^\S \t\n]/.test(line);
  const keysOtherInNpm = (line: string) => {
    if (isTrimmedByNpm(line)) return [];
    const values = [...readAs('node', line).values].filter(([key]) => /^[A-Za-z_][\w.-]*$/.test(key));
    return [parse16, parse17, parse18].flatMap(parse => {
      const read = parse(line);
      return values.filter(([key, value]) => read[key] !== value).map(([key]) => key);
    });
  };
  const isListed = (line: string) => ambiguousLines(line, parseDotenv(line).entries).length > 0;

  test('are those on which two real tools differ', { timeout: 300_000 }, () => {
    const contents = new Map(lines.map(line => [line, new Set<string>()]));
    const add = (line: string, dialect: Dialect, values: Iterable<[string, string | null]>) => {
      const { open } = readAs(dialect, line);
      // Tools that take a value from the environment agree, whatever it is there.
      const content = [...values]
        .filter(([key, value]) => value !== null || open.has(key))
        .map(([key, value]) => [key, open.has(key) ? { from: 'environment' } : value]);
      if (content.length > 0) contents.get(line)?.add(JSON.stringify(content));
    };
    const counted = available.filter(({ name, dialect }) => dialect !== 'sh' || name === 'dash');
    const readByAll = new Set(counted.length === 4 ? lines : []);
    for (const tool of counted) {
      const given = new Set(filesFor(tool, lines));
      const answers = tool.read([...given]);
      for (const [index, line] of [...given].entries()) add(line, tool.dialect, answers[index] ?? []);
      for (const line of lines)
        if (!given.has(line) && readAs(tool.dialect, line).values.size > 0) readByAll.delete(line);
    }
    for (const line of lines) add(line, 'compose', readAs('compose', line).values);
    expect(counted.length).toBeGreaterThan(0);
    for (const [line, { size }] of contents) {
      const isOpen = (['python', 'compose', 'sh'] as const).some(dialect => readAs(dialect, line).open.size > 0);
      if (size > 1) expect({ line, isListed: isListed(line) }).toEqual({ line, isListed: true });
      else if (readByAll.has(line) && !isOpen && !isTrimmedByNpm(line) && keysOtherInNpm(line).length === 0)
        expect({ line, isListed: isListed(line) }).toEqual({ line, isListed: false });
    }
  });

  test('leave no line that npm dotenv 16, 17 or 18 reads differently from all others', () => {
    const missed = ['A=`#f', ...lines].filter(line => !isListed(line));
    expect(missed.filter(line => keysOtherInNpm(line).length > 0)).toEqual([]);
  });
});
