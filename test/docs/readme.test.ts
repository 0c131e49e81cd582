import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { shared } from '#test/support/fixtures.ts';
import { buildCli } from '../clients/cli/cli.ts';
import { startApi } from '../support/api.ts';
import { blocksOf, chapterOf, read, root } from './pages.ts';

const readme = read('README.md');
const shellBlocksOf = (heading: string) => blocksOf(chapterOf('README.md', `## ${heading}`), 'sh');
const api = shared(startApi);
const cli = shared(buildCli);

beforeAll(() => {
  // Installed like `npm ci` does, from the current sources.
  const installed = join(cli.home, 'node_modules/@holdfast/cli');
  for (const folder of [join(installed, 'dist'), join(cli.home, 'node_modules/.bin')]) {
    mkdirSync(folder, { recursive: true });
  }
  cpSync(cli.bundle, join(installed, 'dist/holdfast.cjs'));
  cpSync(join(root, 'clients/cli/bin'), join(installed, 'bin'), { recursive: true });
  symlinkSync('../@holdfast/cli/bin/holdfast.cjs', join(cli.home, 'node_modules/.bin/holdfast'));
});
/** Runs the tour as pasted, or modified for another round. @returns the output of curl and of the command line */
async function walk(change: (script: string) => string = script => script) {
  const script = change(shellBlocksOf('A tour').join('\n'));
  const { stdout, stderr } = await cli.shell(script, { BASE: api.url });
  const [byCurl = '', byCli = ''] = stdout.split(/304\n/);
  return { byCurl, byCli, stderr };
}

describe('the README', () => {
  it('walks through the service with commands that work as printed', async () => {
    const { byCurl, byCli, stderr } = await walk();
    const pulled = '"value":"postgres://localhost/shop"';
    expect(byCurl.split(pulled).length - 1).toBe(2);
    expect(byCurl).toContain('"created":["CACHE_URL","GREETING"]');
    expect(byCurl).toContain('"action":"secret.bulk_set"');
    expect(byCurl).not.toContain('"error"');
    expect(byCli.split('\n')).toEqual([
      'postgres://db.internal/shop',
      '~ DATABASE_URL "postgres://localhost/shop" → "postgres://db.internal/shop"',
      '+ LOG_LEVEL "info"',
      expect.stringMatching(/^3\t.*\tsecret\.changed\t\+LOG_LEVEL ~DATABASE_URL\ta database of its own$/),
      expect.stringMatching(/^2\t/),
      expect.stringMatching(/^1\t/),
      '',
    ]);
    for (const said of ['Signed in to', 'push .env to dev: 1 to create, 1 to update', 'staging is at revision 1']) {
      expect(stderr).toContain(said);
    }
    expect(stderr).toMatch(/1 to delete, 2 unchanged\.\nDone; dev is at revision 4\.\n$/);
  });

  it('does so with --json too, where every command prints exactly one document', async () => {
    // Without npx, which is slow.
    const path = `PATH=${cli.home}/node_modules/.bin:$PATH\n`;
    const { byCli, stderr } = await walk(
      script =>
        path + script.replaceAll('npx holdfast ', 'holdfast --json ').replace('ada@example.com', 'grace@example.com'),
    );
    const documents = [...byCli.matchAll(/^\{[\s\S]*?^\}$/gm)].map(([document]) => JSON.parse(document));
    expect(documents).toMatchObject([
      { user: { email: 'grace@example.com' } },
      { project: 'web-shop', environment: 'dev' },
      { created: ['LOG_LEVEL'], updated: ['DATABASE_URL'], deleted: [], revision: 3 },
      { from: 'dev@2', to: 'dev@3', created: [{ key: 'LOG_LEVEL', after: 'info' }] },
      { promoted: ['CACHE_URL', 'DATABASE_URL', 'GREETING', 'LOG_LEVEL'], revision: 1 },
      { revisions: [{ revision: 3 }, { revision: 2 }, { revision: 1 }], next: null },
      { restored: 2, deleted: ['LOG_LEVEL'], revision: 4 },
    ]);
    expect(byCli.replaceAll(/^\{[\s\S]*?^\}\n/gm, '')).toBe('postgres://db.internal/shop\n');
    expect(stderr).toBe('');
  });

  it('stays short', () => {
    expect(readme.split('\n').length).toBeLessThanOrEqual(140);
  });

  it('states its two commands like the package and the CI', () => {
    const [start, check] = shellBlocksOf('Two commands').map(block => block.trim());
    const { scripts } = JSON.parse(read('package.json'));
    const ci = read('.ci/run');
    expect(start).toBe('npm ci && npm start');
    expect(ci).toContain(`\n${check}\n`);
    expect(scripts).toHaveProperty('start');
    expect(scripts).toHaveProperty('check');
  });
});
