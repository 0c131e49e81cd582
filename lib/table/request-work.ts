import { AsyncLocalStorage } from 'node:async_hooks';

/** The work of one request so far. `lib/limits/fair-share.ts` charges an organization for it. */
export interface RequestWork {
  readonly startedAtMs: number;
  /** As DynamoDB counts them: 4 KB each, read consistently. */
  readUnits: number;
  auditBytes: number;
  /** The organization that pays, and how many requests it has paid so far. */
  payer?: { id: string; slug: string; requestsPerMinute: number };
  charged: number;
}

const requests = new AsyncLocalStorage<RequestWork>();

export function measureWork<T>(request: () => T): T {
  return requests.run({ startedAtMs: Date.now(), readUnits: 0, auditBytes: 0, charged: 0 }, request);
}

export const currentWork = (): RequestWork | undefined => requests.getStore();
