import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { isDeepStrictEqual } from 'node:util';
import { DeleteTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { startDynamoDb } from '../local/stand-ins/dynamodb.ts';
import { type Config, readConfig } from '../plan/config.ts';
import { deployedSettings, requireDeployable } from '../plan/deployed.ts';
import { functions } from '../plan/functions.ts';
import { trafficDuring } from '../stacks/deployment-traffic.ts';
import { rolloutOf } from '../stacks/gradual-deployments.ts';
import type { AskedRight } from '../stacks/policy.ts';
import { callsOf } from '../stacks/rights.ts';
import { synthesize, type Templates } from '../stacks/synthesize.ts';
import { harmsOf, tablesInUse } from '../stacks/template-changes.ts';
import {
  apiAt,
  changeAgain,
  fill,
  readEverything,
  refusesChanges,
  type Session,
  summaryOf,
} from './rehearsal-organization.ts';
import { exportTable, restoreTable } from './table-export.ts';

/*
 * `npm run operate -- rehearse-restore`: fills an organization through the API, exports the table like DynamoDB's export to S3,
 * deletes it, restores the export into a new table, starts the service on that table with the same KMS key, and
 * compares every value, version and audit entry with the API's earlier responses. It also walks through the runbook's
 * deployments with their templates: `npm run deploy` and CloudFormation must accept each, everything that the old and the
 * new version call must be allowed while both run, and the restored service runs on the table that the last one names.
 * Exit code 1 if anything differs.
 */

const originalTable = 'holdfast';
const restoredTable = 'holdfast-restored';
/** The settings that the runbook changes in each deployment. */
const deployments: readonly Record<string, unknown>[] = [
  {},
  { maintenance: true },
  { maintenance: true, restoredTable },
  { restoredTable },
];

async function rehearse(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'rehearsal-'));
  const dynamoDb = await startDynamoDb(undefined);
  const client = new DynamoDBClient({
    endpoint: dynamoDb.url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  // The directory keeps the KMS stand-in's key between the two runs of the service.
  const start = (tableName: string, more: Record<string, string> = {}) =>
    startService({
      PORT: '0',
      DATA_DIR: join(directory, 'service'),
      AWS_ENDPOINT_URL_DYNAMODB: dynamoDb.url,
      TABLE_NAME: tableName,
      LOG_LEVEL: 'ERROR',
      ...more,
    });
  let running: Service | undefined;
  const session: Session = {};
  try {
    await dynamoDb.ready;
    running = await start(originalTable);
    const call = apiAt(running.url, session);
    const filled = await fill(call);
    const expected = await readEverything(call, filled);
    await running.stop();
    running = await start(originalTable, { MAINTENANCE: 'true' });
    await refusesChanges(apiAt(running.url, session), filled);
    say('Under maintenance, reads work and changes are rejected.');
    await running.stop();
    running = undefined;
    say(`Filled the table ${originalTable}: ${summaryOf(expected)}.`);

    const exportDirectory = join(directory, 'AWSDynamoDB', 'rehearsal');
    const exported = await exportTable(client, originalTable, exportDirectory);
    say(`Exported ${exported} items as DynamoDB JSON.`);
    await client.send(new DeleteTableCommand({ TableName: originalTable }));
    say(`Deleted the table ${originalTable}.`);

    const restored = await restoreTable(client, exportDirectory, restoredTable, dynamoDb.url);
    say(`Restored ${restored} items into the new table ${restoredTable}.`);
    running = await start(deployedTable(directory));
    const callAgain = apiAt(running.url, session);
    const found = await readEverything(callAgain, filled);
    const differences = Object.keys(expected).filter(name => !isDeepStrictEqual(expected[name], found[name]));
    if (differences.length > 0) throw new Error(`These responses differ after the restore: ${differences.join(', ')}.`);
    say('Every secret decrypts, and values, revisions, histories and the audit log are as before.');
    await changeAgain(callAgain, filled);
    say('A change after the restore continues the revision and the history; a new project gets its key from KMS.');
    say('The rehearsal succeeded.');
  } catch (error) {
    process.stderr.write(`The rehearsal failed: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  } finally {
    await running?.stop();
    client.destroy();
    await dynamoDb.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Checks the runbook's deployments and returns the table that the functions use after the last one. */
function deployedTable(directory: string): string {
  const code = mkdtempSync(join(directory, 'function-'));
  let before: { config: Config; templates: Templates } | undefined;
  for (const [step, changed] of deployments.entries()) {
    const settings = { mailFrom: 'no-reply@example.com', ...changed };
    const config = readConfig(settings);
    const rollout = rolloutOf(config, before?.config);
    const assets = { codeOf: () => Code.fromAsset(code), rollout };
    const { templates } = synthesize(config, assets, join(directory, `cdk-${step}`));
    if (before !== undefined) {
      const { edgeSecretVersion } = before.config;
      requireDeployable(config, { ...deployedSettings(before.config), sentSecretVersion: edgeSecretVersion });
      const harms = harmsOf(before.templates, templates);
      if (harms.length > 0)
        throw new Error(`CloudFormation would reject deployment ${step} of the restore. ${harms.join(' ')}`);
      const { allowed, refusing, failures } = trafficDuring(
        { templates: before.templates, callsOf: plannedCalls },
        { templates, callsOf: plannedCalls },
      );
      if (failures.length > 0) throw new Error(`Requests would fail during deployment ${step}. ${failures.join(' ')}`);
      say(
        `Deployment ${step}, ${rollout}: while both versions run, all their ${allowed} kinds of calls are allowed, and ` +
          `${refusing} functions refuse changes as announced.`,
      );
    }
    before = { config, templates };
  }
  const [table, ...others] = tablesInUse(before?.templates ?? new Map());
  if (typeof table !== 'string' || others.length > 0)
    throw new Error('The functions do not all use the restored table.');
  say(
    `CloudFormation accepts all ${deployments.length - 1} deployments; after the last, every function uses ${table}.`,
  );
  return table;
}

/** What a function's plan lets it call. `test/infra/build/bundles.test.ts` shows that it calls nothing else. */
function plannedCalls(name: string): AskedRight[] {
  return functions.filter(plan => plan.name === name).flatMap(plan => callsOf(plan));
}

interface Service {
  url: string;
  stop(): Promise<void>;
}

/**
 * Each service runs in its own process, so that the second can't use anything from the first one's memory, such as data
 * keys.
 */
async function startService(settings: Record<string, string>): Promise<Service> {
  const child: ChildProcess = spawn(process.execPath, [join(import.meta.dirname, '../local/start.ts')], {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const ready = (async () => {
    for await (const line of createInterface({ input: child.stdout ?? process.stdin })) {
      if (line.startsWith('ready ')) return line.slice('ready '.length);
    }
    throw new Error('The service did not start.');
  })();
  return {
    url: await ready,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

function say(sentence: string): void {
  process.stdout.write(`${sentence}\n`);
}

await rehearse();
