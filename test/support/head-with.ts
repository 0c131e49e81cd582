import type { HeadRecord } from '#lib/table/records/secret.ts';

/** A head of a secret with what a test names, and anything else. */
export function headWith(named: Partial<HeadRecord> & Pick<HeadRecord, 'key'>): HeadRecord {
  const written = { version: 1, revision: 1, fence: 1, createdAt: '', updatedAt: '', updatedBy: { id: '', email: '' } };
  return { ...written, ...named };
}
