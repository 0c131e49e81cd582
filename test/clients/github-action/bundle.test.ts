import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const folder = join(import.meta.dirname, '../../../clients/github-action');
const check = (...args: string[]) =>
  promisify(execFile)(process.execPath, [join(folder, 'build.ts'), '--check', ...args]);

it('is committed as the sources give it, and the check fails if it is not', async () => {
  expect(await check()).toEqual({ stdout: '', stderr: '' });
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-action-'));
  const stale = join(directory, 'index.js');
  writeFileSync(stale, `${readFileSync(join(folder, 'dist/index.js'), 'utf8')}\n`);

  await expect(check(stale)).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('npm run generate -- action'),
  });
  rmSync(directory, { recursive: true });
});
