import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { buildDashboard } from '#clients/dashboard/build.ts';
import { dashboardHeaders } from '#infra/plan/dashboard-headers.ts';
import { shared } from '#test/support/fixtures.ts';
import { expectQuiet, settled, visit, withoutBrowser } from './browser.ts';
import { useWorld } from './world.ts';

const kilobytes = (bytes: number) => bytes / 1024;
const print = (line: string) => process.stdout.write(`${line}\n`);

describe('the dashboard’s files', () => {
  const files = shared(buildDashboard);

  const sizeOf = (names: string[]) =>
    kilobytes(names.reduce((sum, name) => sum + gzipSync(files.get(name) ?? Buffer.alloc(0), { level: 9 }).length, 0));

  it('are at most 45 KB of script at /log-in and 10 KB of style sheets, compressed', () => {
    const page = String(files.get('/'));
    const scripts = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+\.js)"/g)].map(match => match[1] as string);
    const styles = [...files.keys()].filter(name => name.endsWith('.css'));
    const all = [...files.keys()].filter(name => name.endsWith('.js'));
    print(
      `script at /log-in ${sizeOf(scripts).toFixed(1)} KB, all scripts ${sizeOf(all).toFixed(1)} KB, styles ${sizeOf(styles).toFixed(1)} KB (gzip)`,
    );
    expect(scripts.length).toBeGreaterThan(0);
    expect(sizeOf(scripts)).toBeLessThanOrEqual(45);
    expect(sizeOf(styles)).toBeLessThanOrEqual(10);
  });

  it('include three packages, and none of the service’s validator', () => {
    const manifest = JSON.parse(
      readFileSync(join(import.meta.dirname, '../../../clients/dashboard/package.json'), 'utf8'),
    );
    expect(Object.keys(manifest.dependencies)).toEqual(['@preact/signals', 'lean-qr', 'preact']);
    for (const [name, content] of files) if (name.endsWith('.js')) expect(String(content)).not.toContain('ZodError');
  });

  it('contain no script or style in the markup, which the policy forbids', () => {
    const page = String(files.get('/'));
    expect(page).not.toMatch(/<style|style=|<script(?![^>]*src=)|data:/);
  });
});

describe.skipIf(withoutBrowser)('the dashboard as it is served', () => {
  const { world, browser, come } = useWorld();

  it('has the policy and the other headers on every file, and passes the API’s paths to the API', async () => {
    for (const path of ['/', '/log-in', '/organizations/a/projects/b']) {
      const answer = await fetch(world.origin + path);
      expect(answer.status).toBe(200);
      for (const [name, value] of Object.entries(dashboardHeaders)) expect(answer.headers.get(name)).toBe(value);
      await answer.body?.cancel();
    }
    for (const path of ['/v1', '/v1/nothing', '/nothing.php']) {
      const answer = await fetch(world.origin + path);
      expect(answer.status).toBe(404);
      expect((await answer.json()).error.code).toBe('route_not_found');
    }
  });

  it('blocks markup from strings and scripts in the page, and reports both', async () => {
    const { page, heard, close } = await visit(browser, world.origin);
    await page.goto('/log-in');
    const made = await page.evaluate(() => {
      try {
        document.body.insertAdjacentHTML('beforeend', '<img src=x>');
        return 'made';
      } catch (error) {
        return String(error);
      }
    });
    expect(made).toContain('TrustedHTML');
    expect(() => expectQuiet(heard)).toThrow();
    await close();
  });

  it.each([
    { keys: 2000, width: 1280, drawn: 'all' },
    { keys: 2000, width: 360, drawn: 'all' },
    { keys: 10_000, width: 1280, drawn: 'those in sight' },
    { keys: 10_000, width: 360, drawn: 'those in sight' },
  ])('shows $keys keys at $width px at once, and draws $drawn', async ({ keys, width, drawn: which }) => {
    const page = await come(world.people.owner, { width });
    const at = '2026-01-31T09:26:53.589Z';
    const list = Array.from({ length: keys }, (_, index) => ({
      key: `KEY_${String(index).padStart(5, '0')}`,
      version: 1,
      createdAt: at,
      updatedAt: at,
      updatedBy: { id: world.people.owner.user.id, email: world.people.owner.email },
      // Every tenth one is described and due.
      ...(index % 10 === 0 ? { tags: ['payments'], owner: world.people.owner.user.id, dueAt: at } : {}),
    }));
    // The test measures the page, so it provides the response: no plan limit or upload is involved.
    await page.route('**/keys?*', route => route.fulfill({ json: { keys: list, revision: 17 } }));
    await page.addInitScript(() => {
      new MutationObserver((_, observer) => {
        if (document.querySelector('tr[data-index]') === null) return;
        observer.disconnect();
        (globalThis as unknown as { rowsAt: number }).rowsAt = performance.now();
      }).observe(document, { childList: true, subtree: true });
      const original = globalThis.fetch;
      globalThis.fetch = async (...given) => {
        const answer = await original(...given);
        if (!new URL(new Request(...given).url).pathname.endsWith('/keys')) return answer;
        const text = await answer.text();
        (globalThis as unknown as { answeredAt: number }).answeredAt = performance.now();
        return new Response(text, { status: answer.status, headers: answer.headers });
      };
    });
    const times: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      await page.goto(world.screen('dev'));
      await settled(page);
      times.push(
        await page.evaluate(() => {
          const { rowsAt, answeredAt } = globalThis as unknown as { rowsAt: number; answeredAt: number };
          return rowsAt - answeredAt;
        }),
      );
    }
    // The rows in sight come first, and the other ones follow.
    if (which === 'all')
      await page.waitForFunction(all => document.querySelectorAll('tr[data-index]').length === all, keys);
    const drawn = await page.locator('tr[data-index]').count();
    print(
      `${keys} keys at ${width} px: rows ${times.map(time => time.toFixed(0)).join(', ')} ms after the answer, ${drawn} rows drawn`,
    );
    if (which !== 'all') expect(drawn).toBeLessThan(120);
    expect(await page.locator('tr[data-index] .acts').count()).toBeLessThan(120);
    expect(await page.getByText('Your browser’s own search only finds').count()).toBe(which === 'all' ? 0 : 1);
    expect(await page.locator('table.secrets').getAttribute('aria-rowcount')).toBe(String(keys + 1));
    await page.locator('tr[data-index="0"]').focus();
    await page.keyboard.press('End');
    await page.waitForFunction(last => document.activeElement?.getAttribute('data-index') === String(last), keys - 1);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(
      0,
    );
  });
});
