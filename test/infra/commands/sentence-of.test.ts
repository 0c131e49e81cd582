import { expect, test } from 'vitest';
import { useApi } from '#test/support/api.ts';
import { runCommand } from '#test/support/run-command.ts';

useApi();

/** With the table's server of this test. */
function errorOf(command: string, env: Record<string, string | undefined>, ...args: string[]) {
  return runCommand(command, args, { ...process.env, PORT: undefined, ...env }).then(({ code, stderr }) => {
    expect(code).toBe(1);
    return stderr;
  });
}

test('a command names the table and the region that it didn’t find', async () => {
  const { AWS_REGION: region } = process.env;
  expect(await errorOf('list-owners', { TABLE_NAME: 'nowhere' })).toBe(
    `${region} has no table nowhere, or not the other table that you named. Set AWS_REGION to the installation's region, and ` +
      'TABLE_NAME to the output TableName of its stack <name>-foundation.\n',
  );
  const key = { TABLE_NAME: 'nowhere', KMS_KEY_ID: 'alias/none' };
  expect(await errorOf('replace-credential-key', key)).toContain('has no table nowhere');
});

test('a command says that the region is missing', async () => {
  const none = { AWS_REGION: undefined, AWS_DEFAULT_REGION: undefined, AWS_CONFIG_FILE: '/dev/null' };
  expect(await errorOf('list-owners', none)).toBe("Set AWS_REGION to the installation's region.\n");
});

test('replaying revocations from the table in use names both options', async () => {
  const args = ['--from', 'holdfast-restored', '--since', '2026-11-26T10:00:00Z'];
  expect(await errorOf('replay-revocations', { TABLE_NAME: 'holdfast-restored' }, ...args)).toContain(
    '--from names the table that was used before the restore, and TABLE_NAME the restored one',
  );
});
