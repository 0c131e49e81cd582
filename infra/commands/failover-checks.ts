import { isDeepStrictEqual } from 'node:util';
import { ACMClient, DescribeCertificateCommand } from '@aws-sdk/client-acm';
import { CloudFrontClient, GetDistributionCommand } from '@aws-sdk/client-cloudfront';
import { DescribeContinuousBackupsCommand, DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DescribeKeyCommand, KMSClient } from '@aws-sdk/client-kms';
import { GetAccountSettingsCommand, LambdaClient, paginateListFunctions } from '@aws-sdk/client-lambda';
import { GetAccountCommand, GetEmailIdentityCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import { GetParametersCommand, SSMClient } from '@aws-sdk/client-ssm';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { findServingRegion, newestRegion } from '#lib/table/serving-region.ts';
import { type Config, regionsOf } from '../plan/config.ts';
import { deployedName, functions } from '../plan/functions.ts';
import { readOutputs } from './read-deployed.ts';

/** One of the two installations that share a table. */
export interface Side {
  name: string;
  config: Config;
}

/** The result of a check: undefined if all is well, otherwise sentences that say what to do. */
type Finding = string | undefined;

interface Check {
  what: string;
  run: (serving: Side, waiting: Side) => Promise<Finding> | Finding;
}

/** Settings that belong to one of the two installations. All others must be the same. */
const ownSettings: ReadonlySet<string> = new Set<keyof Config>([
  'name',
  'region',
  'replicaRegion',
  'peerRegion',
  'standby',
  'sharedTable',
  'restoredKey',
  'mailIdentity',
  'edgeSecretVersion',
  'backupVaultArn',
  'deliveredBy',
  'githubProvider',
  'alarmTopicArn',
  'pageTopicArn',
  'keyArn',
  'logKeyArn',
]);

/** A certificate that expires sooner than this was not renewed: ACM starts renewing 60 days before expiry. */
const certificateDays = 30;
const dayMs = 86_400_000;

/**
 * Whether the waiting installation could serve at once, in the order in which to fix what is missing. All calls are
 * read-only.
 */
export const failoverChecks: readonly Check[] = [
  { what: 'settings', run: ({ config }, waiting) => differences(config, waiting) },
  { what: 'stacks', run: (_, waiting) => findMissingStacks(waiting) },
  { what: 'serving region', run: checkServingRegion },
  { what: 'replica of the table', run: checkTable },
  { what: 'replica of the key', run: checkKey },
  { what: 'same version', run: compareFunctions },
  { what: 'parameters', run: (_, waiting) => checkParameters(waiting) },
  { what: 'concurrent executions', run: compareConcurrency },
  { what: 'mail', run: (_, waiting) => checkMail(waiting) },
  { what: 'certificate', run: (_, waiting) => checkCertificate(waiting) },
  { what: 'distribution', run: (_, waiting) => checkDistribution(waiting) },
];

function regionOf({ config }: Side): { region: string } {
  const regions = regionsOf(config);
  if (regions === undefined) throw new Error('neither replicaRegion nor peerRegion is set');
  return { region: regions.own };
}

function differences(serving: Config, { name, config }: Side): Finding {
  const [own, other] = [regionsOf(config), regionsOf(serving)];
  const file = `installations/${name}.json`;
  if (own?.own !== other?.peer || own?.peer !== other?.own) {
    return `The two files must name each other's region, as region and as replicaRegion or peerRegion. Change ${file}.`;
  }
  if (serving.domainName !== undefined && (serving.standby || !config.standby)) {
    return `Only ${file} may have "standby": true, because the domain is on the other installation's distribution.`;
  }
  const names = (Object.keys({ ...serving, ...config }) as (keyof Config)[]).filter(
    setting => !ownSettings.has(setting) && !isDeepStrictEqual(serving[setting], config[setting]),
  );
  return names.length === 0 ? undefined : `These settings differ: ${names.join(', ')}. Change ${file} and deploy it.`;
}

async function findMissingStacks({ name, config }: Side): Promise<Finding> {
  const stacks = ['foundation', 'api', 'edge'] as const;
  const outputs = await Promise.all(stacks.map(stack => readOutputs(config, stack)));
  const missing = stacks.filter((_, index) => Object.keys(outputs[index] ?? {}).length === 0);
  if (missing.length === 0) return undefined;
  const named = missing.map(stack => `${config.name}-${stack}`).join(', ');
  return `Not deployed: ${named}. Run npm run deploy -- ${name}.`;
}

async function tableOf({ config }: Side): Promise<string> {
  return required((await readOutputs(config, 'foundation')).TableName, `the output TableName of ${config.name}`);
}

function required<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`${what} is missing`);
  return value;
}

async function checkServingRegion(serving: Side, waiting: Side): Promise<Finding> {
  const [table, { region }] = [await tableOf(serving), regionOf(serving)];
  const items = await Promise.all(
    [serving, waiting].map(side =>
      findServingRegion(DynamoDBDocumentClient.from(new DynamoDBClient(regionOf(side))), table),
    ),
  );
  const first = required(regionsOf(serving.config), 'the region').first;
  const named = newestRegion(items, first);
  return named === region
    ? undefined
    : `${named ?? 'No region'} serves, not ${region}. If that is intended, check the other installation: its name is the argument.`;
}

async function checkTable(serving: Side, waiting: Side): Promise<Finding> {
  const [table, used] = await Promise.all([tableOf(serving), tableOf(waiting)]);
  if (used !== table) return `${waiting.name} uses the table ${used}. Set sharedTable to ${table} and deploy it.`;
  const client = new DynamoDBClient(regionOf(waiting));
  const { Table: found } = await client.send(new DescribeTableCommand({ TableName: table }));
  const other = found?.Replicas?.find(({ RegionName: name }) => name === regionOf(serving).region);
  if (found?.TableStatus !== 'ACTIVE' || other?.ReplicaStatus !== 'ACTIVE') {
    const states = `${found?.TableStatus} here, ${other?.ReplicaStatus ?? 'none'} in ${regionOf(serving).region}`;
    return `The replicas of ${table} are not both active: ${states}. Add the missing one, or wait for it.`;
  }
  const { ContinuousBackupsDescription: backups } = await client.send(
    new DescribeContinuousBackupsCommand({ TableName: table }),
  );
  const recovery = backups?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus;
  return recovery === 'ENABLED' ? undefined : `The replica has no point-in-time recovery. Turn it on in this region.`;
}

async function keyOf({ config }: Side): Promise<string> {
  const { KeyArn: own } = await readOutputs(config, 'foundation');
  return required(config.restoredKey ?? own, `the output KeyArn of ${config.name}`);
}

async function checkKey(serving: Side, waiting: Side): Promise<Finding> {
  const [key, used] = await Promise.all([keyOf(serving), keyOf(waiting)]);
  const idOf = (arn: string) => arn.slice(arn.lastIndexOf('/') + 1);
  if (idOf(key) !== idOf(used)) {
    const replica =
      serving.config.keyArn === undefined
        ? `the output KeyArn of the stack ${serving.config.name}-replica`
        : `the ARN of the replica of ${serving.config.keyArn} in this region`;
    return `${waiting.name} uses another key. Set restoredKey to ${replica}.`;
  }
  const { KeyMetadata: found } = await new KMSClient(regionOf(waiting)).send(new DescribeKeyCommand({ KeyId: used }));
  if (found?.MultiRegion === true && found.KeyState === 'Enabled') return undefined;
  return `The key is ${found?.KeyState}, but must be an enabled multi-Region key: see "Lost or disabled keys" in docs/operations.md.`;
}

async function codeOf(side: Side): Promise<Map<string, string | undefined>> {
  const found = new Map<string, string | undefined>();
  for await (const page of paginateListFunctions({ client: new LambdaClient(regionOf(side)) }, {})) {
    for (const { FunctionName: name = '', CodeSha256: hash } of page.Functions ?? []) found.set(name, hash);
  }
  return new Map(functions.map(plan => [plan.name, found.get(deployedName(side.config, plan))]));
}

async function compareFunctions(serving: Side, waiting: Side): Promise<Finding> {
  const [code, other] = await Promise.all([codeOf(serving), codeOf(waiting)]);
  const differing = [...code].filter(([name, hash]) => hash !== other.get(name));
  const [example] = differing;
  if (example === undefined) return undefined;
  return `${differing.length} of ${code.size} functions differ, e.g. ${example[0]}. Deploy ${waiting.name} from the same commit.`;
}

async function checkParameters({ config, ...waiting }: Side): Promise<Finding> {
  const { stripeSecretKeyParameter, stripeWebhookSecretParameter, checkParameter } = config;
  const Names = [stripeSecretKeyParameter, stripeWebhookSecretParameter, checkParameter].filter(
    name => name !== undefined,
  );
  if (Names.length === 0) return undefined;
  const { region } = regionOf({ config, ...waiting });
  // Not decrypted, because only the names are needed.
  const { InvalidParameters: missing = [] } = await new SSMClient({ region }).send(new GetParametersCommand({ Names }));
  if (missing.length === 0) return undefined;
  return `Missing in ${region}: ${missing.join(', ')}. Put them there as well, and again whenever they change.`;
}

async function compareConcurrency(serving: Side, waiting: Side): Promise<Finding> {
  const [here = 0, there = 0] = await Promise.all(
    [serving, waiting].map(async side => {
      const { AccountLimit } = await new LambdaClient(regionOf(side)).send(new GetAccountSettingsCommand({}));
      return AccountLimit?.ConcurrentExecutions ?? 0;
    }),
  );
  if (there >= here) return undefined;
  return `${there} in ${regionOf(waiting).region}, ${here} in ${regionOf(serving).region}. Ask for as many in Service Quotas.`;
}

async function checkMail(waiting: Side): Promise<Finding> {
  const { region } = regionOf(waiting);
  const client = new SESv2Client({ region });
  const { ProductionAccessEnabled: isProduction, SendingEnabled: sends } = await client.send(new GetAccountCommand({}));
  if (isProduction !== true) {
    return `SES is in its sandbox in ${region}: only verified addresses get mails. Ask for production access.`;
  }
  if (sends !== true) return `SES has suspended sending in ${region}. Read its mails to the account's owner.`;
  const { domain, address } = waiting.config.mailFrom;
  const verified = await Promise.all(
    [domain, address].map(async identity => {
      try {
        const found = await client.send(new GetEmailIdentityCommand({ EmailIdentity: identity }));
        return found.VerifiedForSendingStatus === true;
      } catch (error) {
        if (error instanceof Error && error.name === 'NotFoundException') return false;
        throw error;
      }
    }),
  );
  return verified.includes(true)
    ? undefined
    : `SES has verified neither ${domain} nor ${address} in ${region}. Create the DKIM records of its outputs.`;
}

async function checkCertificate({ config }: Side): Promise<Finding> {
  const { domainName, certificateArn } = config;
  if (domainName === undefined || certificateArn === undefined) return undefined;
  const { Certificate: found } = await new ACMClient({ region: 'us-east-1' }).send(
    new DescribeCertificateCommand({ CertificateArn: certificateArn }),
  );
  if (found?.Status !== 'ISSUED')
    return `The certificate is ${found?.Status}. Validate it, or set another certificateArn.`;
  const days = Math.floor(((found.NotAfter?.getTime() ?? 0) - Date.now()) / dayMs);
  return days >= certificateDays
    ? undefined
    : `The certificate ends in ${days} days. Check its DNS validation records.`;
}

async function checkDistribution({ name, config }: Side): Promise<Finding> {
  const { DistributionId: Id } = await readOutputs(config, 'edge');
  const { Distribution: found } = await new CloudFrontClient({ region: 'us-east-1' }).send(
    new GetDistributionCommand({ Id: required(Id, `the output DistributionId of ${config.name}`) }),
  );
  const { Enabled: isEnabled, ViewerCertificate: certificate } = found?.DistributionConfig ?? {};
  if (found?.Status !== 'Deployed' || isEnabled !== true) {
    return `CloudFront's distribution is ${isEnabled === true ? found?.Status : 'disabled'}. Wait, or enable it.`;
  }
  if (config.domainName === undefined || certificate?.ACMCertificateArn === config.certificateArn) return undefined;
  return `CloudFront's distribution lacks the domain's certificate, so the domain can't be moved there. Deploy ${name}.`;
}
