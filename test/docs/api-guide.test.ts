import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { errorStatuses } from '#lib/contracts/error-codes.ts';
import { shared } from '#test/support/fixtures.ts';
import { buildCli } from '../clients/cli/cli.ts';
import { startApi } from '../support/api.ts';
import { blocksOf, read } from './pages.ts';

const chaptersOf = (page: string) => page.split(/^## /m).slice(1);
const page = read('docs/api-guide.md');
const titleOf = (chapter: string) => chapter.split('\n')[0] as string;
const api = shared(startApi);
const cli = shared(buildCli);

/** Runs all commands of some chapters as pasted, between others. @returns the output of each chapter, by its title */
async function walk(chapters: readonly string[], { before = ':', after = ':' } = {}) {
  const end = '--- end of the chapter ---';
  const script = chapters.map(chapter => blocksOf(chapter, 'sh').join('\n')).join(`\necho '${end}'\n`);
  const { stdout } = await cli.shell(`${before}\n${script}\n${after}`, { BASE: api.url });
  const printed = stdout.split(`${end}\n`);
  return Object.fromEntries(chapters.map((chapter, index) => [titleOf(chapter), printed[index] ?? '']));
}

describe('docs/api-guide.md', () => {
  it('has commands that do what the text says', async () => {
    const printed = await walk(chaptersOf(page));
    const titles = [
      'Credentials',
      'Errors',
      'Retries',
      'Pages',
      'Formats',
      'ETag and If-Match',
      'Import, limit, audit',
    ];
    expect(Object.keys(printed)).toEqual(titles);
    expect(printed.Credentials).toContain('"value":"info"');
    expect(printed.Errors).toMatch(/"code":"environment_not_found".*"code":"invalid_request".*"path":"key"/s);
    expect(printed.Retries).toMatch(/"changed":true.*"revision":2.*"changed":false.*"revision":2/s);
    expect(printed.Pages).toMatch(/"key":"WORKERS".*"total":2.*"revision":1\b.*"next":null/s);
    expect(printed.Formats).toBe('export LOG_LEVEL=\'debug\'\nexport WORKERS=\'4\'\n{\n  "LOG_LEVEL": "debug"\n}\n');
    expect(printed['ETag and If-Match']).toMatch(
      /^304\n.*"code":"revision_mismatch".*"currentRevision":2.*"revision":3/s,
    );
    expect(printed['Import, limit, audit']).toMatch(
      /"created":\["CACHE_URL","GREETING"\].*"value":"redis:\/\/localhost".*"action":"secret.pulled"/s,
    );
  });

  it('has a row for every error status', () => {
    const rows = [...page.matchAll(/^\| ([\d, ]+) \|/gm)].flatMap(match => (match[1] as string).split(', '));
    // 504 is the gateway's own.
    expect(rows.toSorted()).toEqual([...new Set([...Object.values(errorStatuses).map(String), '504'])].toSorted());
  });

  it('is at most two screens long', () => {
    expect(page.split('\n').length).toBeLessThanOrEqual(145);
  });
});

describe('docs/audit-log.md', () => {
  it('has commands that do what the text says, after those of the guide', async () => {
    const [credentials = ''] = chaptersOf(page);
    const log = read('docs/audit-log.md');
    const renamed = (text: string) => text.replaceAll('lin@example.com', 'mia@example.com');
    const [introduction = ''] = log.split(/^## /m);
    const first = `${renamed(credentials).replaceAll('guide', 'audit')}${introduction}`;
    // The page follows the feed, which is a minute behind, a minute later, in the same shell.
    const earlier = Date.now() - 120_000 - performance.now();
    vi.useFakeTimers({ toFake: ['Date'] });
    const clock = setInterval(() => vi.setSystemTime(earlier + performance.now()), 1);
    try {
      await walk([first], { after: `declare -p BASE ORG_ID ORG TOKEN DEV \${!HOLDFAST_*} >shell; declare -f >>shell` });
    } finally {
      clearInterval(clock);
      vi.useRealTimers();
    }
    const printed = await walk(chaptersOf(log).map(renamed), { before: 'source ./shell' });
    expect(Object.keys(printed)).toEqual(['Search', 'Follow', 'After a leak', 'In the dashboard']);
    expect(printed.Search).toMatch(/"action":"secret.pulled".*"action":"secret.bulk_set".*"total":2/s);
    expect(printed.Search).toMatch(/\tsecret\.pulled\tweb-shop\/dev\t/);
    expect(readFileSync(join(cli.home, 'audit.csv'), 'utf8')).toMatch(/^createdAt,action,.*\r\n.*secret\.pulled/);
    expect(printed.Follow).toMatch(/"entries":\[\{.*"next":"\w+","upTo":/);
    const lines = readFileSync(join(cli.home, 'audit.jsonl'), 'utf8').trimEnd().split('\n');
    const documents = lines.map(line => JSON.parse(line));
    expect(documents.map(({ action }) => action)).toEqual(expect.arrayContaining(['secret.bulk_set', 'secret.pulled']));
    expect(new Set(documents.map(({ id }) => id)).size).toBe(documents.length);
    expect(printed['After a leak']).toMatch(
      /"key":"LOG_LEVEL","versions":\[1\].*"how":\["pulled","written"\],"grants":\[\],"current":true/s,
    );
    expect(printed['After a leak']).toMatch(/^web-shop\/dev\/LOG_LEVEL\tyes\t1\t.*\tpulled, written$/m);
    expect(printed['After a leak']).toMatch(/^web-shop\/dev\/LOG_LEVEL$/m);
    expect(printed['After a leak']).toMatch(/^mia@example\.com\tyes\t/m);
  });
});
