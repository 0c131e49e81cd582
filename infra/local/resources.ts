import {
  CreateTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { CreateAliasCommand, CreateKeyCommand, DescribeKeyCommand, KMSClient } from '@aws-sdk/client-kms';
import { CreateEmailIdentityCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { tableDefinition } from '#lib/table/definition.ts';
import type { Queue } from './lambda/queue-worker.ts';
import { StartError } from './machine/start-error.ts';

/*
 * Creates missing resources that the CDK creates in a deployed system, on the AWS implementations that the environment
 * points to.
 */

/** Creates the table if it is missing, with its time to live. */
export async function ensureTable(name: string): Promise<void> {
  const client = new DynamoDBClient({});
  const { partitionKey, sortKey, timeToLiveAttribute } = tableDefinition;
  await explained('DynamoDB', async () => {
    await unlessNamed('ResourceInUseException', () =>
      client.send(
        new CreateTableCommand({
          TableName: name,
          BillingMode: 'PAY_PER_REQUEST',
          AttributeDefinitions: [
            { AttributeName: partitionKey, AttributeType: 'S' },
            { AttributeName: sortKey, AttributeType: 'S' },
          ],
          KeySchema: [
            { AttributeName: partitionKey, KeyType: 'HASH' },
            { AttributeName: sortKey, KeyType: 'RANGE' },
          ],
        }),
      ),
    );
    await waitUntilTableExists({ client, maxWaitTime: 60, minDelay: 1 }, { TableName: name });
    const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName: name }));
    if (TimeToLiveDescription?.TimeToLiveStatus !== 'ENABLED') {
      await client.send(
        new UpdateTimeToLiveCommand({
          TableName: name,
          TimeToLiveSpecification: { AttributeName: timeToLiveAttribute, Enabled: true },
        }),
      );
    }
  });
  client.destroy();
}

/** Returns the id of the key behind an alias, creating both if they are missing. */
export async function ensureKey(alias: `alias/${string}`): Promise<string> {
  const client = new KMSClient({});
  const find = async () => (await client.send(new DescribeKeyCommand({ KeyId: alias }))).KeyMetadata?.KeyId;
  const id = await explained('KMS', async () => {
    const existing = await unlessNamed('NotFoundException', find);
    if (existing !== undefined) return existing;
    const { KeyMetadata } = await client.send(new CreateKeyCommand({ Description: 'Wraps the data keys of projects' }));
    // Another stack may have created the alias in the meantime; then its key is used.
    await unlessNamed('AlreadyExistsException', () =>
      client.send(new CreateAliasCommand({ AliasName: alias, TargetKeyId: KeyMetadata?.KeyId })),
    );
    return find();
  });
  client.destroy();
  if (id === undefined) throw new StartError('KMS returned no key.');
  return id;
}

/** Creates a queue and its dead-letter queue `<name>-dead` if they are missing. A given URL is used as is. */
export async function ensureQueue(
  name: string,
  { visibilityTimeoutSeconds, maxReceiveCount, url }: QueueSettings,
): Promise<Queue> {
  const client = new SQSClient({});
  const create = async (queueName: string) =>
    (await client.send(new CreateQueueCommand({ QueueName: queueName }))).QueueUrl ?? '';
  const arnOf = async (queueUrl: string) => {
    const command = new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ['QueueArn'] });
    return (await client.send(command)).Attributes?.QueueArn ?? '';
  };
  const queue = await explained('SQS', async () => {
    if (url !== undefined) return { url, arn: await arnOf(url) };
    const deadLetterTargetArn = await arnOf(await create(`${name}-dead`));
    const queueUrl = await create(name);
    await client.send(
      new SetQueueAttributesCommand({
        QueueUrl: queueUrl,
        Attributes: {
          VisibilityTimeout: String(visibilityTimeoutSeconds),
          RedrivePolicy: JSON.stringify({ deadLetterTargetArn, maxReceiveCount }),
        },
      }),
    );
    return { url: queueUrl, arn: await arnOf(queueUrl) };
  });
  client.destroy();
  return queue;
}

export interface QueueSettings {
  visibilityTimeoutSeconds: number;
  maxReceiveCount: number;
  url?: string | undefined;
}

/** Registers the sender's address, which other SES implementations require. */
export async function ensureSender(address: string): Promise<void> {
  const client = new SESv2Client({});
  await explained('SES', () =>
    unlessNamed('AlreadyExistsException', () =>
      client.send(new CreateEmailIdentityCommand({ EmailIdentity: address })),
    ),
  );
  client.destroy();
}

/** Undefined if the call fails with an error of that name. */
async function unlessNamed<T>(errorName: string, call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof Error && error.name === errorName) return undefined;
    throw error;
  }
}

/** Turns a service's error into one sentence. @throws StartError */
async function explained<T>(service: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof StartError) throw error;
    const { name, message, code } = error as NodeJS.ErrnoException;
    throw new StartError(`${service} cannot be used: ${[name, code, message].filter(Boolean).join(' ')}.`);
  }
}
