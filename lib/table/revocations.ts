import { randomUUID } from 'node:crypto';
import { daySeconds, expiryAfter } from '../core/time.ts';
import { at } from './read.ts';
import { revocationRecord } from './records/revocation.ts';
import { put, type Write } from './write.ts';

/** A table can be restored to a moment in the last 35 days; the rest is for the restore itself. */
const keptDays = 45;

/**
 * The writes of a transaction that takes something away, and the one that lists them for a restored table. Pass the
 * whole transaction: an item that is only counted up or down is left out.
 */
export function asRevocation(writes: readonly Write[]): Write[] {
  const keysOf = (kind: Write['kind'], isNamed: (write: Write) => boolean = () => true) =>
    writes.filter(write => write.kind === kind && isNamed(write)).map(({ key: { pk, sk } }) => ({ pk, sk }));
  const nowMs = Date.now();
  const revocation = {
    at: new Date(nowMs).toISOString(),
    removed: keysOf('remove'),
    changed: keysOf('update', ({ changes }) => changes?.set !== undefined),
    added: keysOf('put'),
    expiresAt: expiryAfter(keptDays * daySeconds, nowMs),
  };
  return [...writes, put(at(revocationRecord, revocation.at, randomUUID()), revocation)];
}
