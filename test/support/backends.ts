import type { TestProject } from 'vitest/node';
import { startDynamoDb } from '#infra/local/stand-ins/dynamodb.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    dynamoDbUrl: string;
  }
}

/** One DynamoDB Local, in memory, for the whole run: starting a JVM for each test file would take most of the time. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dynamoDb = await startDynamoDb(undefined);
  await dynamoDb.ready;
  project.provide('dynamoDbUrl', dynamoDb.url);
  return () => dynamoDb.stop();
}
