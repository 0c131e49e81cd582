import { BatchWriteItemCommand, DynamoDBClient, ListTablesCommand, paginateScan } from '@aws-sdk/client-dynamodb';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ensureTable } from '#infra/local/resources.ts';
import { chunksOf } from '#lib/core/chunks-of.ts';
import { requiredSetting } from '#lib/core/settings.ts';
import { keys } from '#lib/table/keys.ts';
import { createProject, useApi } from '#test/support/api.ts';
import { shared } from '#test/support/fixtures.ts';
import { registerPerson } from '#test/support/people.ts';
import { startReceiver } from '#test/support/receiver.ts';
import { runCommand } from '#test/support/run-command.ts';

const role = 'arn:aws:iam::210987654321:role/restore';
const table = (name: string) => `arn:aws:dynamodb:eu-central-1:123456789012:table/${name}`;
const copy = (id: string, hoursAgo: number, more: object = {}) => ({
  RecoveryPointArn: `arn:aws:backup:eu-west-1:210987654321:recovery-point:${id}`,
  ResourceArn: table('holdfast'),
  ResourceType: 'DynamoDB',
  Status: 'COMPLETED',
  CreationDate: Date.now() / 1000 - hoursAgo * 3600,
  ...more,
});

type Item = Record<string, { S?: string; N?: string }>;

/** The copies in the vault, how a restore ends, and what it makes of the table's items. */
let copies: object[];
let ending: { Status: string; StatusMessage?: string };
let restoredItems: (items: Item[]) => Item[];
let started: { RecoveryPointArn?: string; IamRoleArn?: string; Metadata: { targetTableName: string } }[];
let looks: number;

beforeEach(() => {
  copies = [copy('older', 30), copy('newest', 6), copy('unfinished', 1, { Status: 'PARTIAL' })];
  ending = { Status: 'COMPLETED' };
  restoredItems = items => items;
  started = [];
  looks = 0;
});

const api = useApi();
beforeAll(async () => {
  const person = await registerPerson(api);
  const { slug } = await createProject(api, person);
  await api.post(
    `/secrets/${person.organization.slug}/${slug}/dev/bulk`,
    { secrets: { A: '1', B: '2' } },
    person.session,
  );
});

/** AWS Backup, whose restores copy the table of the tests. */
const backup = shared(() =>
  startReceiver(async (response, { method, path, body }) => {
    const answer = (content: object) => response.writeHead(200).end(JSON.stringify(content));
    if (path.startsWith('/backup-vaults/copies/recovery-points')) return answer({ RecoveryPoints: copies });
    if (method === 'PUT' && path === '/restore-jobs') {
      const given = JSON.parse(body.toString());
      started.push(given);
      if (ending.Status === 'COMPLETED') await restore(given.Metadata.targetTableName);
      return answer({ RestoreJobId: 'job-1' });
    }
    looks += 1;
    return answer(looks === 1 ? { Status: 'RUNNING' } : ending);
  }),
);

async function restore(name: string): Promise<void> {
  const client = new DynamoDBClient({});
  await ensureTable(name);
  const items: Item[] = [];
  for await (const page of paginateScan({ client }, { TableName: requiredSetting('TABLE_NAME') }))
    items.push(...((page.Items ?? []) as Item[]));
  for (const some of chunksOf(25, restoredItems(items))) {
    const requests = some.map(Item => ({ PutRequest: { Item: Item as never } }));
    await client.send(new BatchWriteItemCommand({ RequestItems: { [name]: requests } }));
  }
}

async function rehearse(...more: string[]) {
  const env = { ...process.env, AWS_ENDPOINT_URL_BACKUP: backup.url };
  const result = await runCommand('rehearse-vault-restore', ['copies', role, '--poll-seconds', '0', ...more], env);
  const { TableNames: names = [] } = await new DynamoDBClient({}).send(new ListTablesCommand({}));
  // Whatever happens, nothing of the rehearsal is left.
  expect(names.filter(name => name.startsWith('holdfast-rehearsal-'))).toEqual([]);
  return result;
}

describe('a rehearsed restore of the copy in another account', () => {
  test('restores the newest complete copy into a temporary table, checks that, and deletes it', async () => {
    const { code, stdout, stderr } = await rehearse();
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('The newest copy of holdfast in copies is 6.0 hours old.');
    expect(stdout).toMatch(/among them 1 users, 1 organizations, 1 projects, 2 secrets, [1-9]\d* audit entries\./);
    expect(stdout).toMatch(/The newest audit entry is from \d{4}-\d\d-\d\dT\S+, -?\d+ minutes before the copy\./);
    expect(stdout).toContain('The temporary table is deleted.\n');
    expect(stdout).toMatch(/The rehearsal succeeded\.\n$/);
    expect(started).toMatchObject([{ RecoveryPointArn: expect.stringContaining('newest'), IamRoleArn: role }]);
    expect(looks).toBe(2);
  });

  test('fails if the copy is too old, cannot be restored, or there is none', async () => {
    copies = [copy('old', 40)];
    expect(await rehearse()).toMatchObject({ code: 1, stderr: 'The copy is older than 36 hours.\n' });
    expect((await rehearse('--maximum-age-hours', '48')).code).toBe(0);

    ending = { Status: 'FAILED', StatusMessage: 'the role may not' };
    looks = 0;
    expect(await rehearse()).toMatchObject({ code: 1, stderr: 'The restore ended as FAILED: the role may not\n' });

    copies = [];
    expect(await rehearse()).toMatchObject({ code: 1, stderr: 'copies has no complete copy of a table.\n' });

    copies = [copy('one', 6), copy('two', 6, { ResourceArn: table('other') })];
    expect((await rehearse()).stderr).toContain('copies has copies of several tables. Use --table: ');
  });

  test('fails if what the service needs is missing from the restored table', async () => {
    const { pk } = keys.credentialKey();
    const kindOf = (item: Item) => item.kind?.S;
    restoredItems = items => [
      ...items.filter(item => item.pk?.S !== pk && kindOf(item) !== 'directory'),
      ...[1, 2, 3].map(id => ({ pk: { S: 'NEWER#1' }, sk: { S: `${id}` }, kind: { S: 'newer' }, v: { N: '1' } })),
    ];
    const { code, stderr } = await rehearse();
    expect(code).toBe(1);
    expect(stderr).toContain('The item that checks credentials is missing');
    expect(stderr).toContain('3 items in the partition NEWER have no key, kind or format that this version knows.');

    restoredItems = () => [];
    expect((await rehearse()).stderr).toContain('The table has no items of the service.');
  });
});
