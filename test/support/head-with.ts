import type { HeadRecord } from '#lib/table/records/secret.ts';

export function headWith(named: Partial<HeadRecord> & Pick<HeadRecord, 'key'>): HeadRecord {
  const written = { version: 1, revision: 1, fence: 1, createdAt: '', updatedAt: '', updatedBy: { id: '', email: '' } };
  return { ...written, ...named };
}
