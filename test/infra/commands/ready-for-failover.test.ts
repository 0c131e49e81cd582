import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { functions } from '#infra/plan/functions.ts';
import { describedStack, xml } from '#test/support/cloud-formation.ts';
import { fresh, shared } from '#test/support/fixtures.ts';
import { type Received, startReceiver } from '#test/support/receiver.ts';
import { runCommand } from '#test/support/run-command.ts';

const root = join(import.meta.dirname, '../../..');
const installation = `ready-test-${process.pid}`;
const fileOf = (name: string) => join(root, 'installations', `${name}.json`);
const first = 'eu-central-1';
const second = 'eu-west-1';
const certificateArn = 'arn:aws:acm:us-east-1:123456789012:certificate/0d4e8b6f-7c21-4a95-9e38-5f1b2c7d6a03';
const keyIn = (region: string) => `arn:aws:kms:${region}:123456789012:key/mrk-0d4e8b6f`;
const table = 'holdfast-foundation-Table';

const common = {
  mailFrom: 'no-reply@holdfast.test',
  alarmEmail: 'operators@holdfast.test',
  domainName: 'secrets.holdfast.test',
  certificateArn,
  checkParameter: '/holdfast/check',
};
const serving = { ...common, region: first, replicaRegion: second };
const waiting = {
  ...common,
  name: 'standby',
  region: second,
  peerRegion: first,
  sharedTable: table,
  restoredKey: keyIn(second),
  standby: true,
};

const inDays = (days: number) => Date.now() / 1000 + days * 86_400;

/** What AWS answers, by region where it matters. */
function healthy() {
  const stack = (key: string, region: string) => ({
    [`${key}-foundation`]: { TableName: table, KeyArn: keyIn(region) },
    [`${key}-api`]: { Deployed: '{}' },
    [`${key}-edge`]: { DistributionId: `E-${key}` },
  });
  return {
    stacks: { ...stack('holdfast', first), ...stack('standby', second) } as Record<string, Record<string, string>>,
    servingItem: {} as Record<string, { region: string; epoch: number } | undefined>,
    tableStatus: 'ACTIVE',
    replicaStatus: 'ACTIVE',
    recovery: 'ENABLED',
    key: { MultiRegion: true, KeyState: 'Enabled' },
    code: { [first]: 'same', [second]: 'same' } as Record<string, string>,
    missingParameters: [] as string[],
    concurrency: { [first]: 1000, [second]: 1000 } as Record<string, number>,
    mail: { ProductionAccessEnabled: true, SendingEnabled: true },
    verified: true,
    certificate: { Status: 'ISSUED', NotAfter: inDays(200) },
    distribution: { status: 'Deployed', certificate: certificateArn },
    lost: undefined as string | undefined,
  };
}

let asked: string[];

function distributionXml(): string {
  const { status: Status, certificate } = aws.distribution;
  const ViewerCertificate = xml({ ACMCertificateArn: certificate });
  return xml({
    Distribution: xml({ Id: 'E', Status, DistributionConfig: xml({ Enabled: 'true', ViewerCertificate }) }),
  });
}

function servingItem(region: string): unknown {
  const item = aws.servingItem[region];
  if (item === undefined) return {};
  const texts = { pk: 'SERVINGREGION', sk: 'SERVINGREGION', kind: 'servingRegion', region: item.region, changedAt: '' };
  const strings = Object.fromEntries(Object.entries(texts).map(([name, S]) => [name, { S }]));
  return { Item: { ...strings, v: { N: '1' }, epoch: { N: String(item.epoch) } } };
}

/** The operations that the command may use; all of them read. */
function jsonAnswer(operation: string, region: string): unknown {
  const other = region === first ? second : first;
  switch (operation) {
    case 'DynamoDB_20120810.GetItem':
      return servingItem(region);
    case 'DynamoDB_20120810.DescribeTable': {
      const Replicas = [{ RegionName: other, ReplicaStatus: aws.replicaStatus }];
      return { Table: { TableName: table, TableStatus: aws.tableStatus, Replicas } };
    }
    case 'DynamoDB_20120810.DescribeContinuousBackups': {
      const PointInTimeRecoveryDescription = { PointInTimeRecoveryStatus: aws.recovery };
      return { ContinuousBackupsDescription: { ContinuousBackupsStatus: 'ENABLED', PointInTimeRecoveryDescription } };
    }
    case 'TrentService.DescribeKey':
      return { KeyMetadata: { KeyId: 'mrk-0d4e8b6f', ...aws.key } };
    case 'AmazonSSM.GetParameters':
      return { Parameters: [], InvalidParameters: aws.missingParameters };
    case 'CertificateManager.DescribeCertificate':
      return { Certificate: aws.certificate };
    default:
      return undefined;
  }
}

function restAnswer(path: string, region: string): unknown {
  if (path.startsWith('/v2/email/account')) return aws.mail;
  if (path.startsWith('/v2/email/identities/')) return { VerifiedForSendingStatus: aws.verified };
  if (path.includes('/account-settings')) return { AccountLimit: { ConcurrentExecutions: aws.concurrency[region] } };
  if (!path.includes('/functions')) return undefined;
  // Lambda lists 50 functions a page.
  const prefix = region === first ? 'holdfast' : 'standby';
  const all = functions.map(({ name }) => ({ FunctionName: `${prefix}-${name}`, CodeSha256: aws.code[region] }));
  const from = Number(new URL(path, 'http://x').searchParams.get('Marker') ?? 0);
  const isLast = from + 50 >= all.length;
  return { Functions: all.slice(from, from + 50), ...(isLast ? {} : { NextMarker: String(from + 50) }) };
}

function answerOf(request: Received, body: string): [status: number, body: string, type?: string] {
  const region = /Credential=[^/]+\/\d+\/([^/]+)\//.exec(request.headers.authorization ?? '')?.[1] ?? '';
  const { path } = request;
  const target = request.headers['x-amz-target'];
  if (aws.lost === region) return [503, '{"__type":"ServiceUnavailable"}', 'application/json'];
  if (typeof target === 'string') {
    asked.push(target.slice(target.indexOf('.') + 1));
    return [200, JSON.stringify(jsonAnswer(target, region)), 'application/x-amz-json-1.1'];
  }
  const form = new URLSearchParams(body);
  asked.push(form.get('Action') ?? `${request.method} ${path}`);
  if (path.includes('/distribution/')) return [200, distributionXml()];
  const answer = restAnswer(path, region);
  if (answer !== undefined) return [200, JSON.stringify(answer), 'application/json'];
  const name = form.get('StackName') ?? '';
  return describedStack(name, aws.stacks[name]);
}

const server = shared(() =>
  startReceiver((response, received) => {
    const [status, body, type = 'text/xml'] = answerOf(received, received.body.toString());
    response.writeHead(status, { 'content-type': type }).end(body);
  }),
);

const aws = fresh(healthy);
beforeEach(() => {
  asked = [];
});
afterEach(() => {
  for (const name of [installation, `${installation}-standby`]) rmSync(fileOf(name), { force: true });
});

async function check({
  name = installation,
  files = [serving, waiting] as readonly (Record<string, unknown> | undefined)[],
} = {}) {
  const names = [installation, `${installation}-standby`];
  for (const [index, settings] of files.entries()) {
    if (settings !== undefined) writeFileSync(fileOf(names[index] ?? ''), JSON.stringify(settings));
  }
  const { code, stdout, stderr } = await runCommand('ready-for-failover', [name], {
    ...process.env,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_ENDPOINT_URL: server.url,
    AWS_MAX_ATTEMPTS: '1',
  });
  return { code, lines: stdout.trimEnd().split('\n'), said: stderr };
}

describe('ready-for-failover', () => {
  test('finds nothing missing, and only reads', async () => {
    const { code, lines, said } = await check();

    expect([said, lines.filter(line => line.startsWith('missing'))]).toEqual(['', []]);
    expect(lines.at(-1)).toBe(`${installation}-standby can take over.`);
    expect(code).toBe(0);
    expect(asked.length).toBeGreaterThan(20);
    expect(asked.filter(call => !/^(?:GET |Get|Describe)/.test(call))).toEqual([]);
  });

  const moved = { [second]: { region: second, epoch: 2 } };
  const cases: [string, (state: ReturnType<typeof healthy>) => void, string][] = [
    ['stacks', state => delete state.stacks['standby-api'], 'Not deployed: standby-api.'],
    ['serving region', state => Object.assign(state.servingItem, moved), `${second} serves, not ${first}.`],
    ['replica of the table', state => Object.assign(state, { replicaStatus: 'CREATING' }), 'not both active'],
    ['replica of the table', state => Object.assign(state, { recovery: 'DISABLED' }), 'no point-in-time recovery'],
    [
      'replica of the table',
      state => Object.assign(state.stacks['standby-foundation'] ?? {}, { TableName: 'other' }),
      `Set sharedTable to ${table}`,
    ],
    ['replica of the key', state => Object.assign(state.key, { KeyState: 'PendingDeletion' }), 'PendingDeletion'],
    ['same version', state => Object.assign(state.code, { [second]: 'x' }), `of ${functions.length} functions differ`],
    ['parameters', state => state.missingParameters.push('/holdfast/check'), `Missing in ${second}: /holdfast/check.`],
    ['concurrent executions', state => Object.assign(state.concurrency, { [second]: 10 }), `10 in ${second}, 1000 in`],
    ['mail', state => Object.assign(state.mail, { ProductionAccessEnabled: false }), 'SES is in its sandbox'],
    ['mail', state => Object.assign(state, { verified: false }), 'SES has verified neither holdfast.test nor'],
    ['certificate', state => Object.assign(state.certificate, { Status: 'EXPIRED' }), 'The certificate is EXPIRED.'],
    ['certificate', state => Object.assign(state.certificate, { NotAfter: inDays(7.5) }), 'ends in 7 days'],
    ['distribution', state => Object.assign(state.distribution, { certificate: '' }), 'lacks the domain'],
  ];
  test.each(cases)('names what is missing: %s', async (what, change, sentence) => {
    change(aws);
    const { code, lines } = await check();

    expect(lines.filter(line => line.startsWith('missing'))).toEqual([expect.stringContaining(`${what}: `)]);
    expect(lines.join('\n')).toContain(sentence);
    expect(code).toBe(1);
  });

  test('names settings that differ, and a standby that would take the domain at its next deployment', async () => {
    const { lines } = await check({ files: [serving, { ...waiting, requestsPerMinute: 7, alarmEmail: undefined }] });
    expect(lines[0]).toMatch(/^missing {2}settings: These settings differ: .*alarmEmail/);
    expect(lines[0]).toContain('requestsPerMinute');

    const taking = await check({ files: [serving, { ...waiting, standby: false }] });
    expect(taking.lines[0]).toContain('may have "standby": true');
  });

  test('does not take what it can’t check for ready', async () => {
    aws.lost = second;
    const { code, lines } = await check();

    expect(lines.filter(line => line.includes('could not be checked')).length).toBeGreaterThan(5);
    expect(code).toBe(1);
  });

  test('checks the way back as well', async () => {
    aws.servingItem = { ...moved, [first]: moved[second] };
    const files = [serving, waiting].map((settings, index) => ({ ...settings, standby: index === 0 }));
    const { code, lines } = await check({ name: `${installation}-standby`, files });

    expect(lines.filter(line => line.startsWith('missing'))).toEqual([]);
    expect(lines.at(-1)).toBe(`${installation} can take over.`);
    expect(code).toBe(0);
  });

  test('says so if the other installation has no file', async () => {
    const { code, said } = await check({ files: [serving, undefined] });
    expect([code, said]).toEqual([1, expect.stringContaining(`installations/${installation}-standby.json`)]);
  });
});
