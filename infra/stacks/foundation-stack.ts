import { CfnOutput, Duration, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { AttributeType, BillingMode, type ITable, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { Key } from 'aws-cdk-lib/aws-kms';
import { EmailIdentity, Identity } from 'aws-cdk-lib/aws-ses';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { tableDefinition } from '../../lib/table/definition.ts';
import { acknowledge } from '../acknowledge.ts';
import type { Config } from '../config.ts';
import type { Resources } from '../constructs/rights.ts';
import { workers } from '../workers.ts';

/** AWS's advice for a queue that triggers a function: six times the function's timeout. */
const visibilityTimeouts = 6;

/** `maximumReceives` of `lib/deliveries/deliver.ts`, which a test holds this to: the sender treats the last one as such. */
const webhookReceives = 3;

/**
 * What an installation must not lose: the table, the key that its secrets hang on, the queues and the sender's
 * identity. Apart from the functions, so that no deployment of those touches it.
 */
export class FoundationStack extends Stack {
  /** The table in use: the installation's own, or one that was restored. */
  readonly table: Pick<ITable, 'tableArn' | 'tableName'>;
  readonly key: Key;
  readonly webhookQueue: Queue;
  readonly webhookDeadLetters: Queue;
  readonly jobQueue: Queue;
  readonly jobDeadLetters: Queue;
  readonly mailIdentityArns: readonly string[];

  constructor(scope: Construct, id: string, props: StackProps & { config: Config }) {
    super(scope, id, props);
    const { config } = props;

    const ownTable = new Table(this, 'Table', {
      partitionKey: { name: tableDefinition.partitionKey, type: AttributeType.STRING },
      sortKey: { name: tableDefinition.sortKey, type: AttributeType.STRING },
      timeToLiveAttribute: tableDefinition.timeToLiveAttribute,
      billingMode: BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true, recoveryPeriodInDays: 35 },
      deletionProtection: true,
      // At rest under a key of DynamoDB's own. What is secret in it is encrypted under the key below before it gets
      // here; a customer-managed key for the table as well would give every function a right to that key, and end
      // every request where it fails.
      encryption: TableEncryption.DEFAULT,
      removalPolicy: RemovalPolicy.RETAIN,
    });

    this.table =
      config.restoredTable === undefined ? ownTable : Table.fromTableName(this, 'RestoredTable', config.restoredTable);

    this.key = new Key(this, 'Key', {
      alias: `alias/${config.name}`,
      description: `Wraps the data keys of every project of ${config.name}. Without it no secret can be decrypted.`,
      enableKeyRotation: true,
      pendingWindow: Duration.days(30),
      removalPolicy: RemovalPolicy.RETAIN,
    });

    // Deliveries are not retried: the sender takes a message whatever the receiver answers. A message comes back only
    // if the sender broke off, and is then logged as failed, or if it could not be prepared.
    this.webhookDeadLetters = this.addDeadLetters('WebhookDeadLetters');
    this.webhookQueue = this.addQueue('WebhookQueue', this.webhookDeadLetters, {
      visibilityTimeoutSeconds: workers.deliverWebhooks.timeoutSeconds * visibilityTimeouts,
      maxReceiveCount: webhookReceives,
      // A notification that is a day late is worth nothing.
      retention: Duration.days(1),
    });
    // Ten receives, six minutes apart: a step may fail for an hour before somebody has to look at it.
    this.jobDeadLetters = this.addDeadLetters('JobDeadLetters');
    this.jobQueue = this.addQueue('JobQueue', this.jobDeadLetters, {
      visibilityTimeoutSeconds: workers.runJobs.timeoutSeconds * visibilityTimeouts,
      maxReceiveCount: 10,
      retention: Duration.days(14),
    });

    this.mailIdentityArns = this.addMailIdentity(config);
    new CfnOutput(this, 'TableName', { value: this.table.tableName });
    new CfnOutput(this, 'KeyArn', { value: this.key.keyArn });
    new CfnOutput(this, 'JobDeadLettersUrl', { value: this.jobDeadLetters.queueUrl });
    new CfnOutput(this, 'WebhookDeadLettersUrl', { value: this.webhookDeadLetters.queueUrl });
  }

  /** What functions may be allowed to touch. */
  resources(config: Config): Resources {
    const parameters = [config.stripeSecretKeyParameter, config.stripeWebhookSecretParameter];
    return {
      tableArn: this.table.tableArn,
      keyArn: this.key.keyArn,
      webhookQueueArn: this.webhookQueue.queueArn,
      jobQueueArn: this.jobQueue.queueArn,
      mailIdentityArns: this.mailIdentityArns,
      paymentParameterArns: parameters.flatMap(name =>
        name === undefined
          ? []
          : [this.formatArn({ service: 'ssm', resource: 'parameter', resourceName: name.slice(1) })],
      ),
    };
  }

  private addDeadLetters(id: string): Queue {
    const queue = new Queue(this, id, {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    acknowledge(queue, 'AwsSolutions-SQS3', 'It is the dead-letter queue of another queue.');
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

  /** The ARNs that sending as `mailFrom` is checked against. */
  private addMailIdentity({ mailFrom, mailIdentity }: Config): string[] {
    if (mailIdentity === 'domain') {
      const { dkimRecords } = new EmailIdentity(this, 'MailIdentity', { identity: Identity.domain(mailFrom.domain) });
      dkimRecords.forEach(({ name, value }, index) => {
        new CfnOutput(this, `MailDkimRecord${index + 1}`, { value: `${name} CNAME ${value}` });
      });
    }
    if (mailIdentity === 'address') {
      new EmailIdentity(this, 'MailIdentity', { identity: Identity.email(mailFrom.address) });
    }
    // An identity that was there before may be either.
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
