import { issuingKey } from '../../lib/access/credential-key.ts';
import { at, find } from '../../lib/table/read.ts';
import { credentialKeyRecord } from '../../lib/table/records/credential-key.ts';
import { put, transact } from '../../lib/table/write.ts';

const item = at(credentialKeyRecord);
let made: { wrapped: Uint8Array } | undefined;

/** Gives a new table the credential key that this process has from the first one. A process has one installation's. */
export async function shareCredentialKey(): Promise<void> {
  if (made !== undefined) return transact([put(item, made)]);
  await issuingKey();
  made = await find(item);
}
