import { issuingKey } from '#lib/access/credential-key.ts';
import { at, find } from '#lib/table/read.ts';
import { credentialKeyRecord } from '#lib/table/records/credentials.ts';
import { put, transact } from '#lib/table/write.ts';

const item = at(credentialKeyRecord);
let made: { wrapped: Uint8Array } | undefined;

/**
 * Gives a new table this process's credential key, which comes from the first table. A process belongs to one
 * installation.
 */
export async function shareCredentialKey(): Promise<void> {
  if (made !== undefined) return transact([put(item, made)]);
  await issuingKey();
  made = await find(item);
}
