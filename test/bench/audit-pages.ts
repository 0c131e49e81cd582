import { randomUUID } from 'node:crypto';
import { startLocalStack } from '#infra/local/stack.ts';
import { listEntries } from '#lib/audit/search-entries.ts';
import { type AuditAction, auditActions } from '#lib/contracts/fields/audit-action.ts';
import { countsOf, recordCalls } from '../support/record-calls.ts';
import { auditEntry, seedAudit } from '../support/seed-audit.ts';

/* `node test/bench/audit-pages.ts [entries]`: calls and capacity units of a page, by log size; 100,000 by default. */

const largest = Number(process.argv[2] ?? 100_000);

/** Nine of ten entries are pulls and sets, as in a busy organization; the other actions share the rest. */
function mixedAction(index: number): AuditAction {
  const share = index % 100;
  if (share < 70) return 'secret.pulled';
  if (share < 85) return 'secret.updated';
  if (share < 95) return 'secret.created';
  return auditActions[Math.floor(index / 100) % auditActions.length] as AuditAction;
}

async function measure(log: string, organizationId: string, query: Parameters<typeof listEntries>[1]) {
  const { result: page, calls: recordedCalls } = await recordCalls(() => listEntries(organizationId, query));
  if (page === undefined) throw new Error('The offset is out of reach.');
  const { entries, pagination } = page;
  const { calls, readUnits, writeUnits } = countsOf(recordedCalls);
  return {
    log,
    action: query.action ?? 'all',
    offset: query.offset,
    limit: query.limit,
    calls,
    'read units': readUnits,
    'write units': writeUnits,
    entries: entries.length,
    total: pagination.total,
  };
}

const stack = await startLocalStack({ port: 0, dataDir: 'memory', env: { TABLE_NAME: 'bench', LOG_LEVEL: 'ERROR' } });
const rows: Awaited<ReturnType<typeof measure>>[] = [];
for (const size of [largest / 100, largest]) {
  const organizationId = randomUUID();
  const start = Date.now() - 86_400_000;
  const entries = Array.from({ length: size }, (_, index) => auditEntry(mixedAction(index), start + index * 500));
  await seedAudit(organizationId, entries);
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
