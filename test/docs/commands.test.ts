import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, startApi } from '../support/api.ts';
import { seedPerson } from '../support/people.ts';

/*
 * The documented commands that no other test runs as printed. `npm start` and `grant-admin` run in
 * test/infra/local and test/infra/curl-samples.test.ts, `cost-table` in docs.test.ts, the restore in test/infra.
 */
const root = join(import.meta.dirname, '../..');

let api: Api;
let directory: string;

beforeAll(async () => {
  api = await startApi();
  directory = mkdtempSync(join(tmpdir(), 'holdfast-commands-'));
});
afterAll(async () => {
  rmSync(directory, { recursive: true });
  await api.stop();
});

interface Result {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a script of the package without any AWS credentials. */
async function npmRun(script: string, args: readonly string[] = [], env: Record<string, string> = {}): Promise<Result> {
  const { PATH, HOME } = process.env;
  try {
    const result = await promisify(execFile)('npm', ['run', '--silent', script, '--', ...args], {
      cwd: root,
      env: { ...(PATH === undefined ? {} : { PATH }), ...(HOME === undefined ? {} : { HOME }), ...env },
    });
    return { code: 0, ...result };
  } catch (error) {
    const { code, stdout, stderr } = error as Result;
    return { code, stdout, stderr };
  }
}

describe('the command', () => {
  it('`npm run recount` compares the counters of the running service with the actual counts', async () => {
    await seedPerson();
    const { code, stdout, stderr } = await npmRun('recount', [], { PORT: new URL(api.url).port });
    expect(stderr).toBe('');
    expect(stdout).toContain('1 organization recounted, no drift.');
    expect(code).toBe(0);
  });

  it('`npm run deploy` rejects the example settings before it builds anything', async () => {
    const { code, stderr } = await npmRun('deploy', ['example']);
    expect(stderr).toBe('The setting mailFrom in installations/example.json still has its example value.\n');
    expect(code).toBe(1);
  });

  it('`npm run deploy` accepts settings only from a committed file', async () => {
    const unknown = await npmRun('deploy', ['nowhere']);
    expect(unknown.stderr).toContain('There is no file installations/nowhere.json.');
    const extra = await npmRun('deploy', ['example', '-c', 'domainName=secrets.acme.dev']);
    expect(extra.stderr).toContain('Settings come only from installations/example.json');
    const none = await npmRun('deploy');
    expect(none.stderr).toContain('Usage: npm run deploy -- <installation>');
    expect([unknown.code, extra.code, none.code]).toEqual([1, 1, 1]);
  });

  it('`npm run synth` creates the templates without credentials', async () => {
    const output = join(directory, 'cdk.out');
    const { code, stderr } = await npmRun('synth', ['--output', output]);
    expect(code, stderr).toBe(0);
    const templates = readdirSync(output).filter(name => name.endsWith('.template.json'));
    expect(templates).toEqual(
      expect.arrayContaining(['holdfast-foundation.template.json', 'holdfast-api.template.json']),
    );
  });

  it('`npm run build` prints the contents of a named bundle', async () => {
    const { code, stdout, stderr } = await npmRun('build', ['pull-secrets']);
    expect(code, stderr).toBe(0);
    expect(stdout).toContain('pull-secrets contains:');
    expect(existsSync(join(root, 'dist/pull-secrets/index.mjs.map'))).toBe(true);
  });
});
