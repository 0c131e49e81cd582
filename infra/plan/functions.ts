import {
  type Contract,
  type KeyAction,
  passwordSizing,
  type TableAction,
  type TableRights,
  type Uses,
} from '#lib/contracts/contract.ts';
import { documentationRoutes } from '#lib/contracts/documentation-routes.ts';
import { routes } from '#lib/contracts/routes.ts';
import { maximumJobReceives } from '#lib/core/job.ts';
import { maximumReceives } from '#lib/deliveries/message.ts';

/** A Lambda function: its file is `functions/<area>/<name>.ts`, its bundle `dist/<name>/index.mjs`. */
export interface FunctionPlan {
  name: string;
  area: string;
  summary: string;
  uses: Uses;
  memoryMb: number;
  timeoutSeconds: number;
  /** How many may run at once is limited by `longConcurrency`. */
  isLong?: boolean;
  /** Machines or people wait for it: a tenth of its requests tries a new version first. */
  isGradual?: boolean;
  /** It reads the account that checks the service. */
  readsCheckAccount?: true;
}

export interface RoutedFunctionPlan extends FunctionPlan {
  /** `GET /v1/…`, or `$default` for requests that match no route. */
  routeKey: string;
}

/**
 * Lambda allocates CPU in proportion to memory: 0.29 vCPU at 512 MB, one vCPU at 1,769 MB. Below 512 MB, the few
 * milliseconds of JSON, zod and AES-GCM per request slow down by more than the price falls, and cold starts even more.
 */
const defaultMemoryMb = 512;

/** Longer than the store retries under contention (22 s), shorter than API Gateway's 30 s. */
const defaultTimeoutSeconds = 29;

const documents = { uses: { table: {} }, memoryMb: 512, timeoutSeconds: 10 } as const;

/**
 * Everything that an operation uses: what its contract names, and what its access implies. Authentication reads the
 * caller, checks the credential's MAC and records its last use. A member's request counts towards the organization's
 * share, which its plan determines. The first function that issues a credential creates the key of its MAC. An audit entry expires after the
 * retention period of the plan. A counter whose window has ended is replaced.
 */
export function usesOf({ access, uses, path }: Pick<Contract, 'access' | 'uses' | 'path'>): Uses {
  const isAuthenticated = access.kind !== 'public';
  const { credentials = [], ...otherKeys } = uses.key ?? {};
  const credentialActions = union<KeyAction>(credentials, isAuthenticated ? ['Decrypt'] : []);
  const issues = credentials.includes('GenerateDataKey');
  const implied: TableRights[] = [
    isAuthenticated ? { BatchGetItem: ['USER'], UpdateItem: ['USER'] } : {},
    access.kind === 'member' ? { BatchGetItem: ['ORG'], GetItem: ['PLANS'], UpdateItem: ['RATE'] } : {},
    // A busy organization's members and projects are read in a transaction (`lib/access/kept-access.ts`).
    access.kind === 'member' && path.includes('{orgSlug}') ? { GetItem: ['ORG'] } : {},
    credentialActions.length > 0 ? { BatchGetItem: ['CREDENTIALKEY'] } : {},
    issues ? { PutItem: ['CREDENTIALKEY'] } : {},
    uses.table.PutItem?.includes('AUDIT') ? { GetItem: ['PLANS'] } : {},
    uses.table.UpdateItem?.includes('RATE') ? { PutItem: ['RATE'] } : {},
  ];
  return {
    ...uses,
    table: mergedRights([uses.table, ...implied]),
    ...(credentialActions.length > 0 ? { key: { ...otherKeys, credentials: credentialActions } } : {}),
  };
}

function mergedRights(all: readonly TableRights[]): TableRights {
  const actions = union(...all.map(rights => Object.keys(rights) as TableAction[]));
  return Object.fromEntries(actions.map(action => [action, union(...all.map(rights => rights[action]))]));
}

function union<Name extends string>(...lists: readonly (readonly Name[] | undefined)[]): Name[] {
  return [...new Set(lists.flatMap(list => list ?? []))].sort();
}

/** Every function behind the API, in the order of the routes. */
export const routedFunctions: readonly RoutedFunctionPlan[] = [
  ...routes.map(contract => ({
    name: contract.operationId,
    area: contract.area,
    summary: contract.summary,
    routeKey: contract.route,
    uses: usesOf(contract),
    memoryMb: contract.sizing?.memoryMb ?? defaultMemoryMb,
    timeoutSeconds: defaultTimeoutSeconds,
    isLong: contract.isLong === true,
    isGradual: contract.isWaitedFor === true,
  })),
  ...documentationRoutes.map(({ operationId, area, method, path }) => ({
    name: operationId,
    area,
    summary: `Serve ${path}`,
    routeKey: `${method} ${path}`,
    ...documents,
  })),
  {
    name: 'unknown-route',
    area: 'system',
    summary: 'Respond to requests that match no route',
    routeKey: '$default',
    ...documents,
    memoryMb: 256,
  },
];

/** The route that machines wait for, with its own objective. */
export const pullRoute = routeOf('pull-secrets');

function routeOf(name: string): RoutedFunctionPlan {
  const found = routedFunctions.find(plan => plan.name === name);
  if (found === undefined) throw new Error(`There is no route ${name}.`);
  return found;
}

/** The functions that no route reaches: triggered by queues, schedules, the access log or another function. */
export const workers = {
  /** It sends to addresses that customers choose, so it has the narrowest permissions. */
  deliverWebhooks: {
    name: 'deliver-webhooks',
    area: 'workers',
    summary: 'Deliver one webhook, once',
    uses: {
      table: {
        GetItem: ['ORG'],
        BatchGetItem: ['PAYLOAD'],
        Query: ['DELIVERIES'],
        PutItem: ['DELIVERIES', 'DELIVERY', 'PAYLOAD'],
        BatchWriteItem: ['DELIVERIES'],
      },
      key: { webhook: ['Decrypt'] },
    },
    memoryMb: 512,
    // 5 s for the delivery, the rest for recording its start and its result.
    timeoutSeconds: 25,
  },
  /**
   * Asks hosts that customers choose for issuers' keys, sign-in providers' id tokens and domains' TXT records. It has no
   * rights at all. Its concurrency is not reserved, because that would reduce what all other functions share, and an
   * account with the initial quota of ten has none to reserve. The number of calls is limited by one fetch of keys a
   * minute for each issuer, and by each organization's rate limits for failed exchanges, sign-ins and domain look-ups.
   */
  makeOutboundRequests: {
    name: 'make-outbound-requests',
    area: 'workers',
    summary: 'Ask issuers, sign-in providers and name servers',
    uses: { table: {} },
    memoryMb: 512,
    // 6 s for a domain, 5 s for anything else.
    timeoutSeconds: 10,
  },
  runJobs: {
    name: 'run-jobs',
    area: 'workers',
    summary: 'Run one step of background work',
    uses: {
      table: {
        GetItem: ['AUDIT', 'CUSTOMER', 'ENV', 'ORG', 'PLANS', 'USER'],
        BatchGetItem: ['ORG'],
        Query: ['AUDIT', 'DELIVERIES', 'ENV', 'ORG', 'USER'],
        ConditionCheckItem: ['ORG', 'USER'],
        PutItem: ['AUDIT', 'ENV', 'ORG', 'RATE', 'RETIRED', 'REVOCATIONS', 'UNFINISHED', 'USER'],
        UpdateItem: ['ENV', 'ORG', 'PLATFORM', 'RATE', 'UNFINISHED', 'USER'],
        DeleteItem: [
          'ARCHIVE',
          'CUSTOMER',
          'DELIVERIES',
          'DOMAIN',
          'EMAIL',
          'ENV',
          'INVITATION',
          'ORG',
          'ORGID',
          'PASSKEY',
          'UNFINISHED',
          'USER',
        ],
        // For `AUDIT`, the only right to remove entries.
        BatchWriteItem: ['AUDIT', 'USER'],
      },
      key: { project: ['Decrypt'] },
      queues: ['jobs'],
      mail: true,
      // Erasing an organization cancels its subscription.
      payments: true,
    },
    // A step re-encrypts 1 MB of values at a time.
    memoryMb: 1024,
    timeoutSeconds: 60,
  },
  queueUnfinishedWork: {
    name: 'queue-unfinished-work',
    area: 'workers',
    summary: 'Queue background work again that has no job',
    uses: { table: { Query: ['UNFINISHED'], UpdateItem: ['UNFINISHED'] }, queues: ['jobs'] },
    memoryMb: 256,
    timeoutSeconds: 60,
  },
  /** It can add to the archive, but not read or change what is there. */
  archiveAudit: {
    name: 'archive-audit',
    area: 'workers',
    summary: 'Copy audit entries to the archive',
    uses: {
      table: {
        Query: ['ARCHIVE', 'AUDIT', 'ORGS'],
        GetItem: ['AUDIT', 'ORGID'],
        ConditionCheckItem: ['ORG'],
        PutItem: ['ARCHIVE'],
        UpdateItem: ['ARCHIVE'],
        DeleteItem: ['ARCHIVE'],
      },
      archive: true,
    },
    memoryMb: 1024,
    // It starts nothing new after four minutes.
    timeoutSeconds: 300,
  },
  mailDue: {
    name: 'mail-due',
    area: 'workers',
    summary: 'Mail people which values are due',
    uses: {
      table: {
        Query: ['ENV', 'ORG', 'ORGS'],
        GetItem: ['ORG'],
        BatchGetItem: ['ENV'],
        ConditionCheckItem: ['ENV', 'ORG'],
        PutItem: ['ENV', 'ORG'],
      },
      mail: true,
    },
    memoryMb: 512,
    // It starts nothing new after four minutes.
    timeoutSeconds: 300,
  },
  rollUpMetrics: {
    name: 'roll-up-metrics',
    area: 'workers',
    summary: 'Count requests from the access log',
    uses: { table: { PutItem: ['METRICSBATCH'], UpdateItem: ['METRICS'] } },
    memoryMb: 256,
    timeoutSeconds: 30,
  },
  checkService: {
    name: 'check-service',
    area: 'workers',
    summary: 'Use the service like a client',
    uses: { table: {} },
    readsCheckAccount: true,
    memoryMb: 256,
    // Four requests of at most 15 seconds each, and 10 for the certificate.
    timeoutSeconds: 75,
  },
} as const satisfies Record<string, FunctionPlan>;

/** How many times each queue delivers a message before moving it to the dead-letter queue, deployed and locally. */
export const receives = {
  /** On the last receive, the sender logs a delivery that it can't prepare as failed. */
  webhooks: maximumReceives,
  /** When deployed, they are six minutes apart: a step can fail for an hour before an operator has to look at it. */
  jobs: maximumJobReceives,
} as const;

/** Every function of the system. */
export const functions: readonly FunctionPlan[] = [...routedFunctions, ...Object.values(workers)];

/** The functions that are called most. `test/infra/build/bundles.test.ts` limits the size of their bundles. */
export const hotFunctions: readonly string[] = ['pull-secrets', 'set-secret', 'list-keys'];

/** The functions that `provisionedConcurrency` keeps warm. */
export const warmFunctions: readonly string[] = [...hotFunctions, 'log-in'];

/** The functions that hash or verify a password. */
export const passwordFunctions: ReadonlySet<string> = new Set(
  routes.filter(route => 'sizing' in route && route.sizing === passwordSizing).map(({ operationId }) => operationId),
);

export function usesTable({ table }: FunctionPlan['uses']): boolean {
  return Object.keys(table).length > 0;
}

/** Whether the function creates links to the dashboard, or otherwise uses its origin. */
export function needsDashboardOrigin({ mail, payments, dashboardOrigin }: FunctionPlan['uses']): boolean {
  return (mail ?? payments ?? dashboardOrigin) === true;
}

/** The name that an installation deploys a function under. */
export function deployedName(installation: { name: string }, { name }: Pick<FunctionPlan, 'name'>): string {
  return `${installation.name}-${name}`;
}

/** The alias through which every function is invoked, so that an operator can move it back to an earlier version. */
export const aliasName = 'live';

/** A function's name as an identifier: `set-secret` → `SetSecret`. */
export function pascalCase(name: string): string {
  return name.replaceAll(/(?:^|-)([a-z0-9])/g, (_, start: string) => start.toUpperCase());
}
