import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const command = join(import.meta.dirname, '../../../infra/commands/rehearse-restore.ts');

test('a table restored from its export with the same key has every secret, revision and history', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [command]);

  expect(stdout).toContain('Under maintenance, reads work and changes are rejected.');
  expect(stdout).toContain(
    'CloudFormation accepts all 3 deployments; after the last, every function uses holdfast-restored.',
  );
  expect(stdout).toContain('Every secret decrypts, and values, revisions, histories and the audit log are as before.');
  expect(stdout).toMatch(/The rehearsal succeeded\.\n$/);
});
