import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { requiredSetting } from '../../lib/core/settings.ts';
import { tableClient } from '../../lib/table/client.ts';
import { keys } from '../../lib/table/keys.ts';
import { useTable } from './find-table.ts';

/*
 * `npm run grant-admin -- <e-mail>`: makes a user a platform administrator, on the local stack at PORT (3000), or in
 * the deployed table TABLE_NAME if that is set and PORT is not, with the usual AWS credentials.
 */

try {
  const email = process.argv[2] ?? '';
  if (email === '' || process.argv.length > 3) throw new Error('Usage: npm run grant-admin -- <e-mail>');
  const where = await useTable();
  await grant(email);
  console.log(`${email} is now a platform administrator of ${where}.`);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}

async function grant(email: string): Promise<void> {
  const TableName = requiredSetting('TABLE_NAME');
  const unknown = () => new Error(`No account has the e-mail address ${email}.`);
  const { Item } = await tableClient().send(
    new GetCommand({ TableName, Key: keys.email(email), ConsistentRead: true }),
  );
  if (Item === undefined) throw unknown();
  try {
    await tableClient().send(
      new UpdateCommand({
        TableName,
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
