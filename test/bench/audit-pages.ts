import { randomUUID } from 'node:crypto';
import { startLocalStack } from '#infra/local/stack.ts';
import { listEntries } from '#lib/audit/search-entries.ts';
import { type AuditAction, auditActions } from '#lib/contracts/fields/audit-action.ts';
import { tableClient } from '#lib/table/client.ts';
import type { AuditRecord } from '#lib/table/records/audit.ts';
import { auditEntry, seedAudit } from '../support/seed-audit.ts';

/*
 * The cost of a page of the audit log for logs of different sizes, in calls and in read units reported by DynamoDB. Run
 * it with `node test/bench/audit-pages.ts [entries]`; 100,000 by default. Takes a minute or two.
 */

const largest = Number(process.argv[2] ?? 100_000);

/** Nine of ten entries are pulls and sets, as in a busy organization; the other actions share the rest. */
function mixedAction(index: number): AuditAction {
  const share = index % 100;
  if (share < 70) return 'secret.pulled';
  if (share < 85) return 'secret.updated';
  if (share < 95) return 'secret.created';
  return auditActions[Math.floor(index / 100) % auditActions.length] as AuditAction;
}

const counted = { calls: 0, readUnits: 0, writeUnits: 0 };

/** Asks DynamoDB for the capacity each call consumed, and adds it up. */
function countCapacity(): void {
  tableClient().middlewareStack.add(
    next => async args => {
      const answer = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' } } as typeof args);
      const { ConsumedCapacity } = answer.output as { ConsumedCapacity?: { CapacityUnits?: number } };
      const units = ConsumedCapacity?.CapacityUnits ?? 0;
      counted.calls += 1;
      if ('KeyConditionExpression' in args.input) counted.readUnits += units;
      else counted.writeUnits += units;
      return answer;
    },
    { step: 'initialize' },
  );
}

async function measure(log: string, organizationId: string, query: Parameters<typeof listEntries>[1]) {
  Object.assign(counted, { calls: 0, readUnits: 0, writeUnits: 0 });
  const startedAt = performance.now();
  const page = await listEntries(organizationId, query);
  if (page === undefined) throw new Error('The offset is out of reach.');
  const { entries, pagination } = page;
  return {
    log,
    action: query.action ?? 'all',
    offset: query.offset,
    limit: query.limit,
    calls: counted.calls,
    'read units': Math.round(counted.readUnits),
    'write units': counted.writeUnits,
    ms: Math.round(performance.now() - startedAt),
    entries: entries.length,
    total: pagination.total,
  };
}

const stack = await startLocalStack({ port: 0, dataDir: 'memory', env: { TABLE_NAME: 'bench', LOG_LEVEL: 'ERROR' } });
countCapacity();
const rows: Awaited<ReturnType<typeof measure>>[] = [];
for (const size of [largest / 100, largest]) {
  const organizationId = randomUUID();
  const start = Date.now() - 86_400_000;
  for (let done = 0; done < size; done += 10_000) {
    const chunk: AuditRecord[] = Array.from({ length: Math.min(10_000, size - done) }, (_, index) =>
      auditEntry(mixedAction(done + index), start + (done + index) * 500),
    );
    await seedAudit(organizationId, chunk);
  }
  const name = `${size} entries`;
  // Until all entries have been counted once.
  for (let caughtUp = false; !caughtUp; caughtUp = rows.at(-1)?.total === size) {
    rows.push(await measure(`${name}, being counted`, organizationId, { limit: 50, offset: 0 }));
  }
  for (const offset of [0, 500, 5000, 10_000]) {
    rows.push(await measure(name, organizationId, { limit: 50, offset }));
  }
  for (const action of ['secret.pulled', 'secret.created', 'member.removed'] as const) {
    rows.push(await measure(name, organizationId, { limit: 50, offset: 0, action }));
  }
  rows.push(await measure(name, organizationId, { limit: 50, offset: 5000, action: 'secret.pulled' }));
}
console.table(rows);
await stack.stop();
