import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/* `npm run operate -- <command> [argument …]` runs an operator's command; without one it lists them. */

const commands = {
  'add-check-account': 'registers the account with which the deployed service is checked',
  'cost-table': 'prints what a million of each operation costs, and an idle month',
  'export-organization': 'writes everything that an organization owns to a file',
  'import-organization': 'creates an organization from the file of an export',
  'list-owners': 'prints the e-mail addresses of the owners of each organization',
  'move-service': 'moves the service to the other region',
  parked: 'lists, deletes or retries the messages that background work gave up',
  'previous-version': 'lets one function serve its previous version at once',
  'ready-for-failover': 'checks that the other region could take over',
  'verify-audit-archive': 'checks that nothing is missing or changed in the audit archive',
  recount: 'compares every counter with what it counts; --fix corrects them',
  'rehearse-restore': 'restores a table on this machine and compares it with the original',
  'rehearse-vault-restore': 'restores the copy in a vault of another account, checks and deletes it',
  'repair-environment': 'makes an environment consistent after its secrets stopped matching its digest',
  'replace-credential-key': 'replaces the key of credentials after the loss of the KMS key',
  'replay-revocations': 'repeats on a restored table what was taken away in the old one',
  smoke: 'signs in, sets a secret and pulls it through the public address',
} as const;

const [name = '', ...args] = process.argv.slice(2);
if (Object.hasOwn(commands, name)) {
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, `${name}.ts`), ...args], {
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
} else {
  const lines = Object.entries(commands).map(([command, purpose]) => `  ${command.padEnd(24)}${purpose}`);
  console.error(['Usage: npm run operate -- <command> [argument …]', ...lines].join('\n'));
  process.exitCode = name === '' ? 0 : 1;
}
