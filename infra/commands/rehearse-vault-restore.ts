import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import {
  BackupClient,
  DescribeRestoreJobCommand,
  paginateListRecoveryPointsByBackupVault,
  type RecoveryPointByBackupVault,
  StartRestoreJobCommand,
} from '@aws-sdk/client-backup';
import { DeleteTableCommand, DynamoDBClient, ResourceNotFoundException } from '@aws-sdk/client-dynamodb';
import { checkRestoredTable, type RestoredTable } from '../repair/check-restored-table.ts';

/*
 * `npm run operate -- rehearse-vault-restore <vault> <role ARN> [--table <ARN>] [--maximum-age-hours 36]`, with credentials of
 * the account that has the vault: restores the newest copy of the table into a temporary table there, reads that table,
 * and deletes it. Exit code 1 if the copy is too old, can't be restored, or lacks what the service needs. It needs no key
 * of the service and prints no item.
 */

const usage =
  'Usage: npm run operate -- rehearse-vault-restore <vault> <ARN of the role for the restore> [--table <ARN>] [--maximum-age-hours 36]';
const hourMs = 3_600_000;
/** AWS guarantees no maximum. A scheduled job of GitHub ends after six hours, and should say why before that. */
const maximumRestoreHours = 5;

/** What operators look at first, by the kinds of items. */
const shownKinds = {
  user: 'users',
  organization: 'organizations',
  project: 'projects',
  head: 'secrets',
  audit: 'audit entries',
};

interface Options {
  vault: string;
  role: string;
  table: string | undefined;
  maximumAgeHours: number;
  pollSeconds: number;
}

try {
  const options = readOptions();
  const backup = new BackupClient({});
  const point = await newestPoint(backup, options);
  const ageHours = (Date.now() - point.createdAt.getTime()) / hourMs;
  console.log(`The newest copy of ${point.table} in ${options.vault} is ${ageHours.toFixed(1)} hours old.`);
  const restored = await withRestored(backup, point.arn, options);
  report(restored, point.createdAt);
  const problems = [
    ...(ageHours > options.maximumAgeHours ? [`The copy is older than ${options.maximumAgeHours} hours.`] : []),
    ...restored.problems,
  ];
  for (const problem of problems) console.error(problem);
  if (problems.length === 0) console.log('The rehearsal succeeded.');
  process.exitCode = problems.length === 0 ? 0 : 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}

function readOptions(): Options {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      table: { type: 'string' },
      'maximum-age-hours': { type: 'string', default: '36' },
      'poll-seconds': { type: 'string', default: '30' },
    },
  });
  const [vault = '', role = '', ...more] = positionals;
  const maximumAgeHours = Number(values['maximum-age-hours']);
  const pollSeconds = Number(values['poll-seconds']);
  const isComplete = vault !== '' && role.startsWith('arn:') && more.length === 0;
  if (!isComplete || !(maximumAgeHours > 0) || !(pollSeconds >= 0)) throw new Error(usage);
  return { vault, role, table: values.table, maximumAgeHours, pollSeconds };
}

/** @throws Error if the vault has no complete copy of a table, or copies of several tables and none is named */
async function newestPoint(
  client: BackupClient,
  { vault, table }: Options,
): Promise<{ arn: string; table: string; createdAt: Date }> {
  const found: RecoveryPointByBackupVault[] = [];
  const pages = paginateListRecoveryPointsByBackupVault(
    { client },
    { BackupVaultName: vault, ByResourceType: 'DynamoDB', ...(table === undefined ? {} : { ByResourceArn: table }) },
  );
  for await (const { RecoveryPoints: points = [] } of pages) found.push(...points);
  const complete = found.filter(({ Status: status }) => status === 'COMPLETED');
  const tables = new Set(complete.map(({ ResourceArn: arn }) => arn));
  if (tables.size > 1) throw new Error(`${vault} has copies of several tables. Use --table: ${[...tables].join(', ')}`);
  const [newest] = complete.toSorted((a, b) => Number(b.CreationDate ?? 0) - Number(a.CreationDate ?? 0));
  const { RecoveryPointArn: arn, ResourceArn: source = '', CreationDate: createdAt } = newest ?? {};
  if (arn === undefined || createdAt === undefined) throw new Error(`${vault} has no complete copy of a table.`);
  return { arn, table: source.slice(source.lastIndexOf('/') + 1), createdAt };
}

/** Restores the copy into a temporary table, checks it, and deletes the table whatever happens. */
async function withRestored(
  client: BackupClient,
  recoveryPointArn: string,
  { role, pollSeconds }: Options,
): Promise<RestoredTable> {
  const dynamoDb = new DynamoDBClient({});
  const temporaryTable = `holdfast-rehearsal-${new Date()
    .toISOString()
    .replaceAll(/[^0-9]/g, '')
    .slice(0, 14)}`;
  const { RestoreJobId: id } = await client.send(
    new StartRestoreJobCommand({
      RecoveryPointArn: recoveryPointArn,
      IamRoleArn: role,
      ResourceType: 'DynamoDB',
      Metadata: { targetTableName: temporaryTable },
    }),
  );
  console.log(`Restoring it into the temporary table ${temporaryTable}, as job ${id}.`);
  try {
    const startedAt = Date.now();
    await restoreEnds(client, id, pollSeconds);
    console.log(`The restore took ${((Date.now() - startedAt) / 60_000).toFixed(0)} minutes.`);
    return await checkRestoredTable(dynamoDb, temporaryTable);
  } finally {
    await deleteTable(dynamoDb, temporaryTable);
  }
}

async function restoreEnds(client: BackupClient, id: string | undefined, pollSeconds: number): Promise<void> {
  const giveUpAt = Date.now() + maximumRestoreHours * hourMs;
  for (;;) {
    const { Status: status, StatusMessage: message } = await client.send(
      new DescribeRestoreJobCommand({ RestoreJobId: id }),
    );
    if (status === 'COMPLETED') return;
    if (status === 'FAILED' || status === 'ABORTED') throw new Error(`The restore ended as ${status}: ${message}`);
    if (Date.now() > giveUpAt) throw new Error(`The restore is still ${status} after ${maximumRestoreHours} hours.`);
    await delay(pollSeconds * 1000);
  }
}

async function deleteTable(client: DynamoDBClient, tableName: string): Promise<void> {
  try {
    await client.send(new DeleteTableCommand({ TableName: tableName }));
    console.log('The temporary table is deleted.');
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return;
    const reason = error instanceof Error ? error.message : String(error);
    console.error(`Delete the temporary table ${tableName} yourself: ${reason}`);
    process.exitCode = 1;
  }
}

function report({ itemsByKind, newestEntryAt }: RestoredTable, copiedAt: Date): void {
  const items = [...itemsByKind.values()].reduce((sum, count) => sum + count, 0);
  const counts = Object.entries(shownKinds).map(([kind, name]) => `${itemsByKind.get(kind) ?? 0} ${name}`);
  console.log(`It has ${items} items, among them ${counts.join(', ')}.`);
  if (newestEntryAt === undefined) return;
  const minutes = (copiedAt.getTime() - Date.parse(newestEntryAt)) / 60_000;
  console.log(`The newest audit entry is from ${newestEntryAt}, ${minutes.toFixed(0)} minutes before the copy.`);
}
