import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { accessLogFormat } from '../../plan/http-api.ts';
import { reasonOf } from '../machine/start-error.ts';

const flushEveryMs = 500;
const maximumBatch = 500;
const attempts = 3;

/** A request's `$context` variables, as far as the log's format uses them. */
export type AccessLogValues = Partial<Record<(typeof accessLogFormat)[keyof typeof accessLogFormat], string>>;

export interface AccessLog {
  write: (values: AccessLogValues) => void;
  /** Delivers the records that are still waiting. */
  stop: () => Promise<void>;
}

interface LogEvent {
  id: string;
  timestamp: number;
  message: string;
}

/**
 * The access log of the local gateway. It sends records to a subscribed function in small batches, outside the request
 * path, in the format of CloudWatch Logs.
 */
export function startAccessLog(deliver: (event: unknown) => Promise<unknown>): AccessLog {
  let waiting: LogEvent[] = [];
  let delivery = Promise.resolve();
  const flush = () => {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, maximumBatch);
      waiting = waiting.slice(maximumBatch);
      delivery = delivery.then(() => deliverBatch(batch, deliver));
    }
  };
  const timer = setInterval(flush, flushEveryMs);
  return {
    write(values) {
      const record = Object.entries(accessLogFormat).map(([field, variable]) => [field, values[variable] ?? '-']);
      waiting.push({ id: randomUUID(), timestamp: Date.now(), message: JSON.stringify(Object.fromEntries(record)) });
    },
    async stop() {
      clearInterval(timer);
      flush();
      await delivery;
    },
  };
}

/** Retries as often as Lambda retries an asynchronous event. */
async function deliverBatch(batch: LogEvent[], deliver: (event: unknown) => Promise<unknown>): Promise<void> {
  const event = await logsEvent(batch);
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    try {
      await deliver(event);
      return;
    } catch (error) {
      if (attempt === attempts)
        console.error(`${batch.length} access log records were not counted: ${reasonOf(error)}`);
      else await sleep(200 * attempt);
    }
  }
}

async function logsEvent(logEvents: LogEvent[]): Promise<{ awslogs: { data: string } }> {
  const message = {
    messageType: 'DATA_MESSAGE',
    owner: '000000000000',
    logGroup: 'access-log',
    logStream: 'local',
    subscriptionFilters: ['metrics'],
    logEvents,
  };
  const data = await promisify(gzip)(JSON.stringify(message));
  return { awslogs: { data: data.toString('base64') } };
}
