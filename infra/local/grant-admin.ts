import { ConditionalCheckFailedException, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { keys } from '../../lib/table/keys.ts';
import { runningStack } from './running-stack.ts';
import { StartError } from './start-error.ts';

/*
 * `npm run grant-admin -- <e-mail>`: makes a user a platform administrator, of the local stack that runs on PORT
 * (3000), or of a deployed table where TABLE_NAME is set and PORT is not, with the usual AWS credentials.
 */

try {
  const email = process.argv[2] ?? '';
  if (email === '' || process.argv.length > 3) throw new StartError('Usage: npm run grant-admin -- <e-mail>');
  const { tableName, client, name } = await findTable();
  await grant(DynamoDBDocumentClient.from(client), tableName, email);
  console.log(`${email} is now a platform administrator of ${name}.`);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}

async function grant(table: DynamoDBDocumentClient, tableName: string, email: string): Promise<void> {
  const unknown = () => new StartError(`No account has the e-mail address ${email}.`);
  const { Item } = await table.send(
    new GetCommand({ TableName: tableName, Key: keys.email(email), ConsistentRead: true }),
  );
  if (Item === undefined) throw unknown();
  try {
    await table.send(
      new UpdateCommand({
        TableName: tableName,
        Key: keys.user(Item.userId),
        UpdateExpression: 'SET isAdmin = :true',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeValues: { ':true': true },
      }),
    );
  } catch (error) {
    throw error instanceof ConditionalCheckFailedException ? unknown() : error;
  }
}

async function findTable(): Promise<{ tableName: string; client: DynamoDBClient; name: string }> {
  const { TABLE_NAME, PORT } = process.env;
  if (TABLE_NAME && !PORT) {
    return { tableName: TABLE_NAME, client: new DynamoDBClient({}), name: `the table ${TABLE_NAME}` };
  }
  const port = PORT || '3000';
  const { tableName, region, dynamoDb } = await runningStack(port);
  const client = new DynamoDBClient({
    region,
    ...(dynamoDb === undefined ? {} : { endpoint: dynamoDb }),
    ...(process.env.AWS_ACCESS_KEY_ID ? {} : { credentials: { accessKeyId: 'local', secretAccessKey: 'local' } }),
  });
  return { tableName, client, name: `the local stack on port ${port}` };
}
