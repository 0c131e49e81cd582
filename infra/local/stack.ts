import type { Downloads } from '#clients/cli/build-downloads.ts';
import type { DashboardFiles } from '#clients/dashboard/build.ts';
import { documentationRoutes } from '#lib/contracts/documentation-routes.ts';
import { routes as contracts } from '#lib/contracts/routes.ts';
import { allowSlowCalls } from '#lib/core/call-limits.ts';
import { resetProcessMemory } from '#lib/core/process-memory.ts';
import { settings } from '#lib/core/settings.ts';
import { dayMs } from '#lib/core/time.ts';
import { receives, workers } from '../plan/functions.ts';
import { applyEnvironment, endpointGiven, type GivenSettings, settingsOver } from './environment.ts';
import { startAccessLog } from './gateway/access-log.ts';
import { type Gateway, listen } from './gateway/gateway.ts';
import { mailPage } from './gateway/mail-page.ts';
import type { Route } from './gateway/route-table.ts';
import { createInvoke, type FunctionName, type Invoke, type LoadHandler, loadFromFunctions } from './lambda/invoke.ts';
import { type Queue, startQueueWorker } from './lambda/queue-worker.ts';
import { openDataDirectory } from './machine/data-directory.ts';
import { StartError } from './machine/start-error.ts';
import { ensureKey, ensureQueue, ensureSender, ensureTable } from './resources.ts';
import type { AwsServer } from './stand-ins/aws-server.ts';
import { type DynamoDb, startDynamoDb } from './stand-ins/dynamodb.ts';
import { startKms } from './stand-ins/kms/kms.ts';
import { startLambda } from './stand-ins/lambda/lambda.ts';
import { startPaymentProvider } from './stand-ins/payment/payment-provider.ts';
import { type Ses, startSes } from './stand-ins/ses.ts';
import { startSqs } from './stand-ins/sqs/sqs.ts';

export interface StackOptions {
  /** 0 picks a free one. */
  port: number;
  /** A directory, or `memory`. */
  dataDir: string;
  /** The caller's settings, which override the local defaults. By default, this process's environment. */
  env?: GivenSettings;
  /** How pages and mails name this machine, by its address if omitted. */
  hostName?: string;
  /** Receives progress, one line at a time. */
  report?: (line: string) => void;
  /** Loads every function before the first request. */
  preload?: boolean;
  /** Served at `/`; without it, the stack only has the API. */
  dashboard?: Promise<DashboardFiles>;
  /** Served beside the dashboard. */
  downloads?: Promise<Downloads>;
  /** Tests can replace the system's own routes and functions. */
  routes?: readonly Route[];
  loadHandler?: LoadHandler;
  /** Stand-ins that run already and stay after the stack. */
  standIns?: StandIns;
}

/** The services that several stacks of one process can share, because its SDK clients are shared too. */
export interface StandIns {
  kms: AwsServer;
  sqs: AwsServer;
  ses: Ses;
  /** Runs the functions of the stack that started last. */
  lambda: AwsServer & { runWith: (invoke: Invoke) => void };
}

export interface LocalStack {
  /** Base URL of the API, including `/v1`. */
  url: string;
  /** The same for people, by the name of this machine. */
  origin: string;
  /** The settings that the functions run with. */
  env: Readonly<Record<string, string>>;
  /** Resolves with a sentence if a part of the stack exits by itself. */
  failed: Promise<string>;
  /** Finishes the accepted work, then stops everything in order. */
  stop: () => Promise<void>;
}

/** The API and its documentation. */
const declaredRoutes: readonly Route[] = [...contracts, ...documentationRoutes];
const requestGraceMs = 30_000;
const workerGraceMs = 15_000;
/** Longer than a delivery's 5 seconds. After a crash mid-delivery, the message becomes visible again this late. */
const webhookQueue = { visibilityTimeoutSeconds: 30, maxReceiveCount: receives.webhooks };
const jobQueue = { visibilityTimeoutSeconds: 60, maxReceiveCount: receives.jobs };
/** When deployed, a rule of EventBridge invokes it as often. */
const unfinishedWorkEveryMs = 5 * 60_000;
const queueUnfinishedWork: FunctionName = { area: 'workers', name: 'queue-unfinished-work' };
const mailDue: FunctionName = { area: 'workers', name: 'mail-due' };
const rollUp: FunctionName = { area: 'workers', name: 'roll-up-metrics' };

/** Registers how to stop a started part. Parts stop in reverse order. */
type OnStop = (stop: () => unknown) => void;

/**
 * Runs the whole system on this machine: stand-ins for the services that the caller's environment does not point
 * elsewhere (`AWS_ENDPOINT_URL_*`), the table, key and queues, the gateway, and the real handlers in this process.
 * While it runs, this process's environment contains the functions' settings.
 * @throws StartError with one sentence about a problem that the caller can fix
 */
export async function startLocalStack(options: StackOptions): Promise<LocalStack> {
  const { report = () => undefined, loadHandler = loadFromFunctions, routes = declaredRoutes } = options;
  const given = options.env ?? process.env;
  allowSlowCalls();
  const stops: (() => unknown)[] = [];
  const onStop: OnStop = stop => stops.unshift(stop);
  const stopAll = async () => {
    for (const stop of stops.splice(0)) await stop();
  };
  // Opens the port first: if it is taken, starting fails immediately, and no other process can take it in the meantime.
  const gateway = await listen(options.port, options.hostName !== undefined);
  try {
    const data = openDataDirectory(options.dataDir);
    onStop(data.release);
    const origin = options.hostName === undefined ? gateway.url : `http://${options.hostName}:${gateway.port}`;
    const env = settingsOver(given, origin);
    onStop(applyEnvironment(given, env));
    const invoke = createInvoke(loadHandler);
    const { dynamoDb, ses } = await startStandIns(given, env, {
      directory: data.path,
      standIns: options.standIns,
      gateway,
      invoke,
      report,
      onStop,
    });
    const queues = await ensureKeyAndQueues(env, ses);
    requireValidSettings();
    // Loads the functions while the JVM starts.
    await Promise.all([dynamoDb?.ready, options.preload ? preload(routes, loadHandler, report) : undefined]);
    await ensureTable(env.TABLE_NAME ?? '');

    const accessLog = startAccessLog(event => invoke(rollUp, event, 30_000));
    onStop(accessLog.stop);
    startWorkers(queues, invoke, onStop);
    const [dashboard = [], downloads] = await Promise.all([options.dashboard, options.downloads]);
    gateway.serve({
      files: new Map([...dashboard, ...(downloads?.(origin) ?? [])]),
      routes,
      invoke,
      dashboardOrigin: env.DASHBOARD_ORIGIN ?? '',
      writeAccessLog: accessLog.write,
      localPages: {
        ...(ses === undefined ? {} : { '/local/mail': mailPage(ses.mails) }),
        '/local/daily': { run: query => runDaily(invoke, query.get('at')) },
        '/local/endpoints': { json: () => endpointsOf(env) },
      },
    });
    onStop(() => gateway.stop(requestGraceMs));
    const failed = dynamoDb?.failed ?? new Promise<string>(() => undefined);
    return { url: `${gateway.url}/v1`, origin, env, failed, stop: stopAll };
  } catch (error) {
    onStop(() => gateway.stop(0));
    await stopAll();
    throw error;
  }
}

interface StandInOptions {
  directory: string | undefined;
  standIns: StandIns | undefined;
  gateway: Gateway;
  invoke: Invoke;
  report: (line: string) => void;
  onStop: OnStop;
}

/** Starts a stand-in for each service that the caller does not provide, and adds its address to the settings. */
async function startStandIns(
  given: GivenSettings,
  env: Record<string, string>,
  { directory, standIns, gateway, invoke, report, onStop }: StandInOptions,
): Promise<{ dynamoDb: DynamoDb | undefined; ses: Ses | undefined }> {
  const started = async <T extends { url: string; stop: () => Promise<void> }>(
    service: string,
    start: () => Promise<T>,
    running?: T,
  ): Promise<T | undefined> => {
    if (endpointGiven(given, service)) return undefined;
    const standIn = running ?? (await start());
    if (running === undefined) onStop(standIn.stop);
    env[`AWS_ENDPOINT_URL_${service}`] = standIn.url;
    return standIn;
  };
  const region = env.AWS_REGION ?? '';
  const dynamoDb = await started('DYNAMODB', () => {
    report('Starting DynamoDB Local …');
    return startDynamoDb(directory);
  });
  await started('KMS', () => startKms(directory, region), standIns?.kms);
  await started('SQS', () => startSqs(directory, region), standIns?.sqs);
  if (!given.AWS_ENDPOINT_URL_LAMBDA) {
    // The functions run in this process, so no other implementation of AWS has them.
    const lambda = standIns?.lambda ?? (await startLambda(invoke));
    if (standIns === undefined) onStop(lambda.stop);
    else standIns.lambda.runWith(invoke);
    Object.assign(env, {
      AWS_ENDPOINT_URL_LAMBDA: lambda.url,
      OUTBOUND_FUNCTION: workers.makeOutboundRequests.name,
    });
  }
  const ses = await started('SESV2', () => startSes(directory), standIns?.ses);
  if (env.STRIPE_SECRET_KEY === undefined) {
    const { key, plans, webhookSecret } = paymentSettings(env);
    const webhookUrl = `${gateway.url}/v1/billing/webhook`;
    const provider = await startPaymentProvider(directory, { secretKey: key, webhookSecret, webhookUrl, plans });
    onStop(provider.stop);
    Object.assign(env, { STRIPE_SECRET_KEY: key, STRIPE_API_BASE: provider.url });
  }
  Object.assign(process.env, env);
  return { dynamoDb, ses };
}

interface Queues {
  webhooks: Queue;
  jobs: Queue;
}

/** Creates what the CDK would have created, except for the table, and adds it to the settings. */
async function ensureKeyAndQueues(env: Record<string, string>, ses: Ses | undefined): Promise<Queues> {
  const tableName = env.TABLE_NAME ?? '';
  const [keyId, webhooks, jobs] = await Promise.all([
    env.KMS_KEY_ID ?? ensureKey('alias/holdfast'),
    ensureQueue(queueName(tableName, 'webhooks'), { ...webhookQueue, url: env.WEBHOOK_QUEUE_URL }),
    ensureQueue(queueName(tableName, 'jobs'), { ...jobQueue, url: env.JOB_QUEUE_URL }),
    ses === undefined ? ensureSender(env.MAIL_FROM ?? '') : undefined,
  ]);
  Object.assign(env, { KMS_KEY_ID: keyId, WEBHOOK_QUEUE_URL: webhooks.url, JOB_QUEUE_URL: jobs.url });
  Object.assign(process.env, env);
  resetProcessMemory('settings');
  return { webhooks, jobs };
}

/** The functions read their settings at the first request. This reports a mistake to the caller immediately. */
function requireValidSettings(): void {
  try {
    settings();
  } catch (error) {
    throw new StartError(error instanceof Error ? error.message : String(error));
  }
}

function startWorkers({ webhooks, jobs }: Queues, invoke: Invoke, onStop: OnStop): void {
  const started = [
    startQueueWorker({
      queue: webhooks,
      functionName: { area: 'workers', name: 'deliver-webhooks' },
      invoke,
      // A sender may wait up to 5 s for its receiver, using almost no CPU. Slow receivers must not block all senders.
      concurrency: 512,
      timeoutSeconds: webhookQueue.visibilityTimeoutSeconds,
    }),
    startQueueWorker({
      queue: jobs,
      functionName: { area: 'workers', name: 'run-jobs' },
      invoke,
      concurrency: 4,
      timeoutSeconds: jobQueue.visibilityTimeoutSeconds,
      retryAfterSeconds: 5,
    }),
  ];
  onStop(() => Promise.all(started.map(worker => worker.stop(workerGraceMs))));
  onStop(startSchedule(unfinishedWorkEveryMs, () => invoke(queueUnfinishedWork, {}, 60_000)));
  onStop(startSchedule(dayMs, () => runDaily(invoke, null)));
}

/** What runs once a day when deployed. @param at as if it were then */
async function runDaily(invoke: Invoke, at: string | null): Promise<void> {
  await invoke(mailDue, at === null ? {} : { at }, 300_000);
}

/** Runs `work` regularly, one run after the other. The function logs its errors. @returns how to stop it */
function startSchedule(everyMs: number, work: () => Promise<unknown>): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    running = running.then(work).catch(() => undefined);
  }, everyMs);
  return async () => {
    clearInterval(timer);
    await running;
  };
}

/** Everything that another process on this machine needs to use the running stack's table. Contains no secret. */
export interface Endpoints {
  tableName: string;
  region: string;
  dynamoDb?: string;
  kms?: string;
  keyId: string;
}

function endpointsOf(env: Record<string, string>): Endpoints {
  const dynamoDb = env.AWS_ENDPOINT_URL_DYNAMODB ?? env.AWS_ENDPOINT_URL;
  const kms = env.AWS_ENDPOINT_URL_KMS ?? env.AWS_ENDPOINT_URL;
  return {
    tableName: env.TABLE_NAME ?? '',
    region: env.AWS_REGION ?? '',
    ...(dynamoDb === undefined ? {} : { dynamoDb }),
    ...(kms === undefined ? {} : { kms }),
    keyId: env.KMS_KEY_ID ?? '',
  };
}

/** The settings that the service and the payment provider's stand-in share. */
function paymentSettings({ STRIPE_WEBHOOK_SECRET, STRIPE_PRICE_PRO, STRIPE_PRICE_ENTERPRISE }: Record<string, string>) {
  return {
    key: 'sk_test_local',
    webhookSecret: STRIPE_WEBHOOK_SECRET ?? '',
    plans: { [STRIPE_PRICE_PRO ?? '']: 'pro', [STRIPE_PRICE_ENTERPRISE ?? '']: 'enterprise' },
  };
}

/** Queue names allow fewer characters than table names. */
function queueName(tableName: string, suffix: string): string {
  return `${tableName.replaceAll('.', '-').slice(0, 60)}-${suffix}`;
}

/** Reports functions that fail to load. Requests to them return an error. */
async function preload(
  routes: readonly Route[],
  loadHandler: LoadHandler,
  report: (line: string) => void,
): Promise<void> {
  const broken: string[] = [];
  for (const { area, operationId: name } of routes) {
    await loadHandler({ area, name }).catch(() => broken.push(`${area}/${name}`));
  }
  if (broken.length > 0) report(`These functions failed to load: ${broken.join(', ')}`);
}
