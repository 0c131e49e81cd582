import { documentationRoutes } from '../../lib/contracts/documentation-routes.ts';
import { routes as contracts } from '../../lib/contracts/routes.ts';
import { forgetSettings, settings } from '../../lib/core/settings.ts';
import { startAccessLog } from './access-log.ts';
import { openDataDirectory } from './data-directory.ts';
import { type DynamoDb, startDynamoDb } from './dynamodb.ts';
import { type Gateway, listen } from './gateway.ts';
import { createInvoke, type FunctionName, type LoadHandler, loadFromFunctions } from './invoke.ts';
import { startKms } from './kms.ts';
import { startPaymentProvider } from './payment-provider.ts';
import { startQueueWorker } from './queue-worker.ts';
import { ensureKey, ensureQueue, ensureSender, ensureTable } from './resources.ts';
import type { Route } from './route-table.ts';
import { startSes } from './ses.ts';
import { startSqs } from './sqs.ts';
import { StartError } from './start-error.ts';

export interface StackOptions {
  /** 0 takes a free one. */
  port: number;
  /** A directory, or `memory`. */
  dataDir: string;
  /** The caller's settings, which win over the local defaults; this process's environment by default. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Hears what is going on, a line at a time. */
  report?: (line: string) => void;
  /** Loads every function before the first request. */
  preload?: boolean;
  /** In place of the system's own, for tests. */
  routes?: readonly Route[];
  loadHandler?: LoadHandler;
}

export interface LocalStack {
  /** Base address of the API, with `/v1`. */
  url: string;
  /** The settings the functions run with. */
  env: Readonly<Record<string, string>>;
  /** Resolves with a sentence if a part of the stack ends by itself. */
  failed: Promise<string>;
  /** Finishes what was accepted, then stops everything in order. */
  stop: () => Promise<void>;
}

/** The functions read their settings at the first request; here the caller is told at once. @throws StartError */
function requireValidSettings(): void {
  try {
    settings();
  } catch (error) {
    throw new StartError(error instanceof Error ? error.message : String(error));
  }
}

/** The API and its documentation. */
const declaredRoutes: readonly Route[] = [...contracts, ...documentationRoutes];
const requestGraceMs = 30_000;
const workerGraceMs = 15_000;
/** Longer than a delivery's 5 seconds; a crash in the middle is found out when the message comes back. */
const webhookQueue = { visibilityTimeoutSeconds: 30, maxReceiveCount: 3 };
const jobQueue = { visibilityTimeoutSeconds: 60, maxReceiveCount: 10 };
const rollUp: FunctionName = { area: 'workers', name: 'roll-up-metrics' };

/**
 * The whole system on this machine: stand-ins for what the caller's environment does not point elsewhere
 * (`AWS_ENDPOINT_URL_*`), its table, key and queues, the gateway, and the same handlers as deployed, in this process.
 * While it runs, this process's environment holds the functions' settings.
 * @throws StartError with one sentence about what the caller can mend.
 */
export async function startLocalStack(options: StackOptions): Promise<LocalStack> {
  const { report = () => undefined, loadHandler = loadFromFunctions, routes = declaredRoutes } = options;
  const given = options.env ?? process.env;
  // In the order of stopping: what was started last comes first.
  const stops: (() => unknown)[] = [];
  const stopAll = async () => {
    for (const stop of stops.splice(0)) await stop();
  };
  // The port first: it is refused at once if it is taken, and held while the rest starts.
  const gateway = await listen(options.port);
  try {
    const data = openDataDirectory(options.dataDir);
    stops.unshift(data.release);
    const env = defaults(given, gateway);
    const region = env.AWS_REGION ?? '';
    stops.unshift(applyEnvironment(given, env));

    let dynamoDb: DynamoDb | undefined;
    if (!endpointGiven(given, 'DYNAMODB')) {
      report('Starting DynamoDB Local …');
      dynamoDb = await startDynamoDb(data.path);
      stops.unshift(dynamoDb.stop);
      env.AWS_ENDPOINT_URL_DYNAMODB = dynamoDb.url;
    }
    if (!endpointGiven(given, 'KMS')) {
      const kms = await startKms(data.path, region);
      stops.unshift(kms.stop);
      env.AWS_ENDPOINT_URL_KMS = kms.url;
    }
    if (!endpointGiven(given, 'SQS')) {
      const sqs = await startSqs(data.path, region);
      stops.unshift(sqs.stop);
      env.AWS_ENDPOINT_URL_SQS = sqs.url;
    }
    const ses = endpointGiven(given, 'SESV2') ? undefined : await startSes(data.path);
    if (ses !== undefined) {
      stops.unshift(ses.stop);
      env.AWS_ENDPOINT_URL_SESV2 = ses.url;
    }
    if (env.STRIPE_SECRET_KEY === undefined) {
      const { key, plans, webhookSecret } = paymentSettings(env);
      const provider = await startPaymentProvider(data.path, {
        secretKey: key,
        webhookSecret,
        webhookUrl: `${gateway.url}/v1/billing/webhook`,
        plans,
      });
      stops.unshift(provider.stop);
      Object.assign(env, { STRIPE_SECRET_KEY: key, STRIPE_API_BASE: provider.url });
    }
    Object.assign(process.env, env);

    const tableName = env.TABLE_NAME ?? '';
    const [keyId, webhooks, jobs] = await Promise.all([
      env.KMS_KEY_ID ?? ensureKey('alias/holdfast'),
      ensureQueue(queueName(tableName, 'webhooks'), { ...webhookQueue, url: env.WEBHOOK_QUEUE_URL }),
      ensureQueue(queueName(tableName, 'jobs'), { ...jobQueue, url: env.JOB_QUEUE_URL }),
      ses === undefined ? ensureSender(env.MAIL_FROM ?? '') : undefined,
    ]);
    Object.assign(env, { KMS_KEY_ID: keyId, WEBHOOK_QUEUE_URL: webhooks.url, JOB_QUEUE_URL: jobs.url });
    Object.assign(process.env, env);
    forgetSettings();
    requireValidSettings();
    // Loading the functions fills the time the JVM needs.
    await Promise.all([dynamoDb?.ready, options.preload ? preload(routes, loadHandler, report) : undefined]);
    await ensureTable(tableName);

    const invoke = createInvoke(loadHandler);
    const accessLog = startAccessLog(event => invoke(rollUp, event, 30_000));
    stops.unshift(accessLog.stop);
    const workers = [
      startQueueWorker({
        queue: webhooks,
        functionName: { area: 'workers', name: 'deliver-webhooks' },
        invoke,
        // A sender waits up to 5 s for its receiver, and costs next to nothing while it does: slow ones must not use up all.
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
    stops.unshift(() => Promise.all(workers.map(worker => worker.stop(workerGraceMs))));
    gateway.serve({
      routes,
      invoke,
      dashboardOrigin: env.DASHBOARD_ORIGIN ?? '',
      writeAccessLog: accessLog.write,
      localPages: {
        ...(ses === undefined ? {} : { '/local/mail': () => ({ messages: ses.mails() }) }),
        '/local/endpoints': () => endpointsOf(env),
      },
    });
    stops.unshift(() => gateway.stop(requestGraceMs));
    return { url: `${gateway.url}/v1`, env, failed: dynamoDb?.failed ?? new Promise(() => undefined), stop: stopAll };
  } catch (error) {
    stops.unshift(() => gateway.stop(0));
    await stopAll();
    throw error;
  }
}

/** What another process on this machine needs to use the running stack's table; no secret. */
export interface Endpoints {
  tableName: string;
  region: string;
  dynamoDb?: string;
}

function endpointsOf(env: Record<string, string>): Endpoints {
  const dynamoDb = env.AWS_ENDPOINT_URL_DYNAMODB ?? env.AWS_ENDPOINT_URL;
  return {
    tableName: env.TABLE_NAME ?? '',
    region: env.AWS_REGION ?? '',
    ...(dynamoDb === undefined ? {} : { dynamoDb }),
  };
}

/** The given settings over the local defaults. An empty value counts as none. */
function defaults(given: NonNullable<StackOptions['env']>, gateway: Gateway): Record<string, string> {
  const set = Object.entries(given).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const usesOwnProfile = Boolean(given.AWS_PROFILE) && set.some(([name]) => name.startsWith('AWS_ENDPOINT_URL'));
  return {
    AWS_REGION: given.AWS_DEFAULT_REGION || 'us-east-1',
    ...(usesOwnProfile ? {} : { AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' }),
    TABLE_NAME: 'holdfast',
    MAIL_FROM: 'no-reply@holdfast.example',
    DASHBOARD_ORIGIN: 'http://localhost:5173',
    PUBLIC_BASE_URL: gateway.url,
    WEBHOOK_ALLOW_LOOPBACK: 'true',
    // On one machine everybody has one address.
    REGISTER_LIMIT_PER_HOUR: '-1',
    ORGANIZATIONS_PER_USER: '-1',
    INVITATION_LIMIT_PER_DAY: '-1',
    REQUESTS_PER_MINUTE: '-1',
    VERIFIED_EMAIL_REQUIRED: 'false',
    STRIPE_WEBHOOK_SECRET: 'whsec_local',
    STRIPE_PRICE_PRO: 'price_local_pro',
    STRIPE_PRICE_ENTERPRISE: 'price_local_enterprise',
    ...Object.fromEntries(set),
  };
}

/** What the service and the payment provider's stand-in must agree on. */
function paymentSettings({ STRIPE_WEBHOOK_SECRET, STRIPE_PRICE_PRO, STRIPE_PRICE_ENTERPRISE }: Record<string, string>) {
  return {
    key: 'sk_test_local',
    webhookSecret: STRIPE_WEBHOOK_SECRET ?? '',
    plans: { [STRIPE_PRICE_PRO ?? '']: 'pro', [STRIPE_PRICE_ENTERPRISE ?? '']: 'enterprise' },
  };
}

function endpointGiven(given: NonNullable<StackOptions['env']>, service: string): boolean {
  return Boolean(given[`AWS_ENDPOINT_URL_${service}`] || given.AWS_ENDPOINT_URL);
}

/** Makes the settings this process's environment; the function returned undoes it. */
function applyEnvironment(given: NonNullable<StackOptions['env']>, env: Record<string, string>): () => void {
  const before = { ...process.env };
  Object.assign(process.env, env);
  // A profile of the machine would win over the local credentials.
  if (env.AWS_ACCESS_KEY_ID === 'local' || given.AWS_PROFILE === undefined) delete process.env.AWS_PROFILE;
  return () => {
    for (const name of Object.keys(process.env)) delete process.env[name];
    Object.assign(process.env, before);
    forgetSettings();
  };
}

/** Queue names take fewer characters than table names. */
function queueName(tableName: string, suffix: string): string {
  return `${tableName.replaceAll('.', '-').slice(0, 60)}-${suffix}`;
}

/** Functions that do not load are named, and answer their requests with an error. */
async function preload(
  routes: readonly Route[],
  loadHandler: LoadHandler,
  report: (line: string) => void,
): Promise<void> {
  const broken: string[] = [];
  for (const { area, operationId: name } of routes) {
    await loadHandler({ area, name }).catch(() => broken.push(`${area}/${name}`));
  }
  if (broken.length > 0) report(`These functions do not load: ${broken.join(', ')}`);
}
