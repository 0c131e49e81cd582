import type { Endpoints } from '../local/stack.ts';

/**
 * Selects the table and key that a command works on, before the first client call: the local stack's on PORT (3000), or
 * the deployed table TABLE_NAME, with the key KMS_KEY_ID, if that is set and PORT is not. Returns a description of it for messages.
 * @throws Error with one sentence if no local stack answers
 */
export async function useTable(): Promise<string> {
  const { TABLE_NAME, PORT } = process.env;
  if (TABLE_NAME && !PORT) return `the table ${TABLE_NAME}`;
  const port = PORT || '3000';
  const { tableName, region, dynamoDb, kms, keyId } = await endpointsOn(port);
  process.env.TABLE_NAME = tableName;
  process.env.AWS_REGION = region;
  process.env.KMS_KEY_ID = keyId;
  if (kms !== undefined) process.env.AWS_ENDPOINT_URL_KMS = kms;
  if (dynamoDb !== undefined) process.env.AWS_ENDPOINT_URL_DYNAMODB = dynamoDb;
  process.env.AWS_ACCESS_KEY_ID ||= 'local';
  process.env.AWS_SECRET_ACCESS_KEY ||= 'local';
  return `the local stack on port ${port}`;
}

async function endpointsOn(port: string): Promise<Endpoints> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/local/endpoints`);
    if (!response.ok) throw new Error(`status ${response.status}`);
    return (await response.json()) as Endpoints;
  } catch {
    throw new Error(
      `No local stack answers on port ${port}: start it with npm start, set PORT to its port, or set TABLE_NAME for a deployed table.`,
    );
  }
}
