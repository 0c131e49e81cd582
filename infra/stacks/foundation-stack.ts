import { ArnFormat, CfnOutput, Duration, RemovalPolicy, Stack, type StackProps, Validations } from 'aws-cdk-lib';
import { AttributeType, Billing, type ITable, Table, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { EmailIdentity, Identity } from 'aws-cdk-lib/aws-ses';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { tableDefinition } from '#lib/table/definition.ts';
import {
  type Config,
  dashboardOriginParameter,
  keptEdgeSecretNames,
  knownDashboardOrigin,
  otherTable,
  regionsOf,
} from '../plan/config.ts';
import { aliasName, deployedName, pascalCase, receives, workers } from '../plan/functions.ts';
import { senderOf } from '../plan/sender.ts';
import { addArchiveBucket, archiveBucketName } from './audit-archive.ts';
import type { Resources } from './rights.ts';

/** AWS recommends six times the function's timeout for a queue that triggers a function. */
const visibilityTimeouts = 6;

/**
 * Everything that an installation must not lose: the table, the key that encrypts its secrets, the queues and the
 * sender's identity. It is a separate stack, so that deploying the functions never touches it.
 */
export class FoundationStack extends Stack {
  /** The table in use: the installation's own, or a restored one. */
  readonly table: Pick<ITable, 'tableArn' | 'tableName'>;
  /** The installation's own key, or the existing one that its file names. */
  readonly key: Pick<IKey, 'keyArn' | 'keyId'>;
  readonly webhookQueue: Queue;
  readonly webhookDeadLetters: Queue;
  readonly jobQueue: Queue;
  readonly jobDeadLetters: Queue;
  readonly mailIdentityArns: readonly string[];
  readonly archiveBucket: string | undefined;

  constructor(scope: Construct, id: string, props: StackProps & { config: Config }) {
    super(scope, id, props);
    const { config } = props;

    // A TableV2 can have replicas in other regions, and a Table can't be converted later (decision 26).
    const ownTable = new TableV2(this, 'Table', {
      partitionKey: { name: tableDefinition.partitionKey, type: AttributeType.STRING },
      sortKey: { name: tableDefinition.sortKey, type: AttributeType.STRING },
      timeToLiveAttribute: tableDefinition.timeToLiveAttribute,
      billing: Billing.onDemand(),
      ...warmThroughputOf(config),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true, recoveryPeriodInDays: 35 },
      deletionProtection: true,
      // DynamoDB's own key encrypts the table at rest. Secrets are encrypted with the key below before they are stored.
      // A customer managed key for the table would give every function permissions on that key, and an outage of the
      // key would fail every request.
      encryption: TableEncryptionV2.dynamoOwnedKey(),
      removalPolicy: RemovalPolicy.RETAIN,
      replicas: config.replicaRegion === undefined ? [] : [{ region: config.replicaRegion }],
    });

    const other = otherTable(config);
    this.table = other === undefined ? ownTable : Table.fromTableName(this, 'RestoredTable', other);

    this.key = config.keyArn === undefined ? this.addKey(config) : Key.fromKeyArn(this, 'ExistingKey', config.keyArn);

    // Deliveries are not retried: the sender consumes a message whatever the receiver responds. A message only becomes
    // visible again if the sender crashed, which is then logged as a failed delivery, or if it could not prepare the
    // delivery.
    this.webhookDeadLetters = this.addDeadLetters('WebhookDeadLetters');
    this.webhookQueue = this.addQueue('WebhookQueue', this.webhookDeadLetters, {
      visibilityTimeoutSeconds: workers.deliverWebhooks.timeoutSeconds * visibilityTimeouts,
      maxReceiveCount: receives.webhooks,
      // A notification that is a day late is useless.
      retention: Duration.days(1),
    });
    this.jobDeadLetters = this.addDeadLetters('JobDeadLetters');
    this.jobQueue = this.addQueue('JobQueue', this.jobDeadLetters, {
      visibilityTimeoutSeconds: workers.runJobs.timeoutSeconds * visibilityTimeouts,
      maxReceiveCount: receives.jobs,
      retention: Duration.days(14),
    });

    for (const secretName of keptEdgeSecretNames(config)) this.addEdgeSecret(secretName);
    this.mailIdentityArns = this.addMailIdentity(config);
    this.archiveBucket = this.addArchive(config);
    new CfnOutput(this, 'TableName', { value: this.table.tableName });
    new CfnOutput(this, 'KeyArn', { value: this.key.keyArn });
    new CfnOutput(this, 'JobDeadLettersUrl', { value: this.jobDeadLetters.queueUrl });
    new CfnOutput(this, 'JobDeadLettersArn', { value: this.jobDeadLetters.queueArn });
    new CfnOutput(this, 'WebhookDeadLettersUrl', { value: this.webhookDeadLetters.queueUrl });
    new CfnOutput(this, 'JobsUrl', { value: this.jobQueue.queueUrl });
    new CfnOutput(this, 'Sender', { value: JSON.stringify(senderOf(config)) });
    this.exportForOtherStacks(ownTable, config);
  }

  private addKey({ name }: Config): Key {
    return new Key(this, 'Key', {
      alias: `alias/${name}`,
      description: `Wraps the data keys of every project of ${name}. Without it no secret can be decrypted.`,
      enableKeyRotation: true,
      pendingWindow: Duration.days(30),
      // Only a multi-Region key can have replicas, and an existing key can't be converted (decision 26).
      multiRegion: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
  }

  /**
   * CloudFormation refuses to remove an export while another stack imports it, and stacks are deployed one after
   * another. So everything that other stacks may import is always exported, whether they currently import it or not.
   */
  private exportForOtherStacks(ownTable: TableV2, { keyArn }: Config): void {
    const queues = [this.webhookQueue, this.webhookDeadLetters, this.jobQueue, this.jobDeadLetters];
    const values = [
      ownTable.tableArn,
      ownTable.tableName,
      // An existing key is named by its ARN, and stays the same for as long as the installation exists.
      ...(keyArn === undefined ? [this.key.keyArn, this.key.keyId] : []),
      ...queues.flatMap(queue => [queue.queueArn, queue.queueName, queue.queueUrl]),
    ];
    for (const value of values) this.exportValue(value);
  }

  /** The resources that functions can be given permissions on. */
  resources(config: Config): Resources {
    const regions = regionsOf(config);
    const parameters = [config.stripeSecretKeyParameter, config.stripeWebhookSecretParameter];
    return {
      tableArn: this.table.tableArn,
      replicaArns:
        regions === undefined
          ? []
          : [
              this.table.tableArn,
              this.formatArn({
                service: 'dynamodb',
                region: regions.peer,
                resource: 'table',
                resourceName: this.table.tableName,
              }),
            ],
      keyArn: config.restoredKey ?? this.key.keyArn,
      webhookQueueArn: this.webhookQueue.queueArn,
      jobQueueArn: this.jobQueue.queueArn,
      functionArns: {
        'make-outbound-requests': this.formatArn({
          service: 'lambda',
          resource: 'function',
          resourceName: `${deployedName(config, workers.makeOutboundRequests)}:${aliasName}`,
          arnFormat: ArnFormat.COLON_RESOURCE_NAME,
        }),
      },
      mailIdentityArns: this.mailIdentityArns,
      dashboardOriginParameterArn:
        knownDashboardOrigin(config) === undefined ? this.parameterArn(dashboardOriginParameter(config)) : undefined,
      archiveObjectArns:
        this.archiveBucket === undefined
          ? []
          : [
              this.formatArn({
                service: 's3',
                account: '',
                region: '',
                resource: this.archiveBucket,
                resourceName: '*',
              }),
            ],
      paymentParameterArns: parameters.flatMap(name => (name === undefined ? [] : [this.parameterArn(name)])),
    };
  }

  private parameterArn(name: string): string {
    return this.formatArn({ service: 'ssm', resource: 'parameter', resourceName: name.slice(1) });
  }

  private addArchive(config: Config): string | undefined {
    const bucketName = archiveBucketName(this, config);
    if (bucketName === undefined) return undefined;
    new CfnOutput(this, 'AuditArchiveBucket', { value: bucketName });
    if (config.auditArchiveDays !== undefined)
      addArchiveBucket(this, config, { days: config.auditArchiveDays, bucketName });
    return bucketName;
  }

  private addDeadLetters(id: string): Queue {
    const queue = new Queue(this, id, {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    Validations.of(queue).acknowledge({
      id: 'AwsSolutions-SQS3',
      reason: 'It is the dead-letter queue of another queue.',
    });
    return queue;
  }

  private addQueue(
    id: string,
    deadLetters: Queue,
    settings: { visibilityTimeoutSeconds: number; maxReceiveCount: number; retention: Duration },
  ): Queue {
    return new Queue(this, id, {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      visibilityTimeout: Duration.seconds(settings.visibilityTimeoutSeconds),
      retentionPeriod: settings.retention,
      deadLetterQueue: { queue: deadLetters, maxReceiveCount: settings.maxReceiveCount },
    });
  }

  /** CloudFront and the functions resolve it by name during deployment, so that no template contains it. */
  private addEdgeSecret(secretName: string): void {
    const secret = new Secret(this, pascalCase(secretName.slice(secretName.lastIndexOf('/') + 1)), {
      secretName,
      description: 'Proves to the API that a request came through CloudFront.',
      generateSecretString: { passwordLength: 48, excludePunctuation: true },
    });
    Validations.of(secret).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason: 'CloudFront and the functions change it together, when a deployment raises edgeSecretVersion.',
    });
  }

  /**
   * Creates the sender's identity unless it exists, and returns the ARNs that IAM checks when the service sends mail. An
   * identity outlives a change of `mailFrom`, so that mail can still be sent as the earlier sender.
   */
  private addMailIdentity({ mailFrom, mailIdentity }: Config): string[] {
    if (mailIdentity === 'domain') {
      const identity = new EmailIdentity(this, 'MailIdentity', { identity: Identity.domain(mailFrom.domain) });
      identity.applyRemovalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE);
      identity.dkimRecords.forEach(({ name, value }, index) => {
        new CfnOutput(this, `MailDkimRecord${index + 1}`, { value: `${name} CNAME ${value}` });
      });
    }
    if (mailIdentity === 'address') {
      const identity = new EmailIdentity(this, 'MailIdentity', { identity: Identity.email(mailFrom.address) });
      identity.applyRemovalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE);
    }
    // An existing identity may be either.
    const names = {
      domain: [mailFrom.domain],
      address: [mailFrom.address],
      existing: [mailFrom.domain, mailFrom.address],
    };
    return names[mailIdentity].map(resourceName =>
      this.formatArn({ service: 'ses', resource: 'identity', resourceName }),
    );
  }
}

/** Absent unless it is set, because DynamoDB rejects values below what the table has grown to. */
function warmThroughputOf({ warmThroughputReads: reads, warmThroughputWrites: writes }: Config) {
  if (reads === undefined && writes === undefined) return {};
  return {
    warmThroughput: {
      ...(reads === undefined ? {} : { readUnitsPerSecond: reads }),
      ...(writes === undefined ? {} : { writeUnitsPerSecond: writes }),
    },
  };
}
