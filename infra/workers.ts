import type { FunctionPlan } from './functions.ts';

/** The functions that no request reaches: what queues and the access log trigger. */
export const workers = {
  /** Sends to addresses that customers choose, so it is the one that is held shortest. */
  deliverWebhooks: {
    name: 'deliver-webhooks',
    area: 'workers',
    summary: 'Deliver one webhook, once',
    uses: { table: ['GetItem', 'BatchGetItem', 'PutItem'], key: ['Decrypt'] },
    touches: ['ORG#*', 'PAYLOAD#*', 'DELIVERY#*', 'DELIVERIES#*'],
    memoryMb: 512,
    // 5 s for the delivery, the rest for the claim before it and the log entry after it.
    timeoutSeconds: 25,
  },
  runJobs: {
    name: 'run-jobs',
    area: 'workers',
    summary: 'Run one step of background work',
    uses: {
      table: ['GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem', 'BatchWriteItem'],
      key: ['Decrypt'],
      queues: ['jobs'],
      mail: true,
      // Erasing an organization ends its subscription.
      payments: true,
    },
    // A step re-encrypts up to a hundred values of 64 KiB.
    memoryMb: 1024,
    timeoutSeconds: 60,
  },
  rollUpMetrics: {
    name: 'roll-up-metrics',
    area: 'workers',
    summary: 'Count requests from the access log',
    uses: { table: ['PutItem', 'UpdateItem'] },
    touches: ['METRICS#*', 'METRICSBATCH#*'],
    memoryMb: 256,
    timeoutSeconds: 30,
  },
} as const satisfies Record<string, FunctionPlan>;
