import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorStatuses } from '../../lib/contracts/error-codes.ts';
import { type Api, startApi } from '../support/api.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/api-guide.md'), 'utf8');
const chapters = page.split(/^## /m).slice(1);
const titleOf = (chapter: string) => chapter.split('\n')[0] as string;

let api: Api;
let directory: string;

beforeAll(async () => {
  api = await startApi();
  directory = mkdtempSync(join(tmpdir(), 'holdfast-api-guide-'));
});
afterAll(async () => {
  rmSync(directory, { recursive: true });
  await api.stop();
});

/** Runs all commands of the guide as pasted. @returns the output of each chapter, by its title */
async function walk(): Promise<Record<string, string>> {
  const end = '--- end of the chapter ---';
  const script = chapters
    .map(chapter => [...chapter.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(match => match[1]).join('\n'))
    .join(`\necho '${end}'\n`);
  const { stdout } = await promisify(execFile)('bash', ['--norc', '-euo', 'pipefail', '-c', script], {
    cwd: directory,
    env: { PATH: process.env.PATH, HOME: directory, BASE: api.url },
  });
  const printed = stdout.split(`${end}\n`);
  return Object.fromEntries(chapters.map((chapter, index) => [titleOf(chapter), printed[index] ?? '']));
}

describe('docs/api-guide.md', () => {
  it('has commands that do what the text says', async () => {
    const printed = await walk();
    expect(Object.keys(printed)).toEqual(['Credentials', 'Errors', 'Retries', 'Pages', 'Formats', 'ETag and If-Match']);
    expect(printed.Credentials).toContain('"value":"info"');
    expect(printed.Errors).toMatch(/"code":"environment_not_found".*"code":"invalid_request".*"path":"key"/s);
    expect(printed.Retries).toMatch(/"changed":true.*"revision":2.*"changed":false.*"revision":2/s);
    expect(printed.Pages).toMatch(/"key":"WORKERS".*"total":2.*"revision":1\b.*"next":null/s);
    expect(printed.Formats).toBe('export LOG_LEVEL=\'debug\'\nexport WORKERS=\'4\'\n{\n  "LOG_LEVEL": "debug"\n}\n');
    expect(printed['ETag and If-Match']).toMatch(
      /^304\n.*"code":"revision_mismatch".*"currentRevision":2.*"revision":3/s,
    );
  });

  it('has a row for every error status', () => {
    const rows = [...page.matchAll(/^\| ([\d, ]+) \|/gm)].flatMap(match => (match[1] as string).split(', '));
    // 504 is the gateway's own.
    expect(rows.toSorted()).toEqual([...new Set([...Object.values(errorStatuses).map(String), '504'])].toSorted());
  });

  it('is at most two screens long', () => {
    expect(page.split('\n').length).toBeLessThanOrEqual(130);
  });
});
