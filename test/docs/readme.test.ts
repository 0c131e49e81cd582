import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, startApi } from '../support/api.ts';

const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');

/** The shell blocks of a chapter, as they stand. */
function shellBlocksOf(heading: string): string[] {
  const [, chapter = ''] = readme.split(`\n## ${heading}\n`);
  const [text = ''] = chapter.split('\n## ');
  return [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(match => match[1] as string);
}

let api: Api;
let directory: string;

beforeAll(async () => {
  api = await startApi();
  directory = mkdtempSync(join(tmpdir(), 'holdfast-readme-'));
});
afterAll(async () => {
  rmSync(directory, { recursive: true });
  await api.stop();
});

describe('the README', () => {
  it('walks through the service with commands that work as printed', async () => {
    const script = shellBlocksOf('A walk through').join('\n');
    expect(script).toContain('curl');
    const { stdout, stderr } = await promisify(execFile)('bash', ['--norc', '-euo', 'pipefail', '-c', script], {
      cwd: directory,
      env: { PATH: process.env.PATH, BASE: api.url },
    });
    expect(stderr).toBe('');
    const pulled = '"value":"postgres://localhost/shop"';
    expect(stdout.split(pulled).length - 1).toBe(2);
    expect(stdout).toContain('"created":["CACHE_URL","GREETING"]');
    expect(stdout).toContain('"promoted":["CACHE_URL","DATABASE_URL","GREETING"]');
    expect(stdout).toContain('"action":"secret.promoted"');
    expect(stdout.trimEnd().endsWith('304')).toBe(true);
    expect(stdout).not.toContain('"error"');
  });

  it('stays short', () => {
    expect(readme.split('\n').length).toBeLessThanOrEqual(125);
  });

  it('names its two commands as the package and the CI have them', () => {
    const [start, check] = shellBlocksOf('Two commands').map(block => block.trim());
    const { scripts } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));
    const ci = readFileSync(join(import.meta.dirname, '../../.ci/run'), 'utf8');
    expect(start).toBe('npm ci && npm start');
    expect(ci).toContain(`\n${check}\n`);
    expect(scripts).toHaveProperty('start');
    expect(scripts).toHaveProperty('check');
  });
});
