import { expect, test } from 'vitest';
import { runCommand } from '#test/support/run-command.ts';

test('a table restored from its export with the same key has every secret, revision and history', async () => {
  const { code, stdout } = await runCommand('rehearse-restore', []);

  expect(code).toBe(0);
  expect(stdout).toContain('Under maintenance, reads work and changes are rejected.');
  expect(
    stdout.match(/^Deployment \d, at-once: .* and [5-9]\d functions refuse changes as announced\.$/gm),
  ).toHaveLength(2);
  expect(stdout).toMatch(
    /^Deployment 3, at-once: while both versions run, all their \d{4} kinds of calls are allowed/m,
  );
  expect(stdout).toContain(
    'CloudFormation accepts all 3 deployments; after the last, every function uses holdfast-restored.',
  );
  expect(stdout).toContain('Every secret decrypts, and values, revisions, histories and the audit log are as before.');
  expect(stdout).toMatch(/The rehearsal succeeded\.\n$/);
});
