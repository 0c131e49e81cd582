import { cachedRead } from '../core/process-memory.ts';
import { generateDataKey, kmsDecrypt } from '../crypto/kms.ts';
import { isNew } from '../table/expressions.ts';
import { at, readTogether } from '../table/read.ts';
import { credentialKeyRecord } from '../table/records/credentials.ts';
import { put, transactIfHolds } from '../table/write.ts';

/*
 * The key of the MAC that shows which sessions and tokens this installation issued. It is stored in the table, wrapped
 * by KMS, and each process unwraps it once. It grants nothing: a credential forged with it is looked up and not found.
 */
export const credentialKeyContext = { purpose: 'credentials' };
const item = at(credentialKeyRecord);

interface CredentialKey {
  key: Uint8Array;
  /** Credentials from before the replacement have another key's MAC, so a wrong MAC proves nothing. */
  isReplacement: boolean;
}

/** Undefined until something has been issued, which is not kept. */
export function credentialKey(): Promise<CredentialKey | undefined> {
  return keptKey().catch(error => {
    if (error instanceof NothingIssued) return undefined;
    throw error;
  });
}

const keptKey = /* @__PURE__ */ cachedRead('credential-key', Number.POSITIVE_INFINITY, readKey);

class NothingIssued extends Error {}

/** The same key, which the first call creates. */
export async function issuingKey(): Promise<Uint8Array> {
  const found = await credentialKey();
  if (found !== undefined) return found.key;
  const { wrapped } = await generateDataKey(credentialKeyContext);
  // If another process was first, its key is the one to use.
  await transactIfHolds([put(item, { wrapped }, { if: isNew })]);
  const created = await credentialKey();
  if (created === undefined) throw new Error('The credential key was stored but cannot be read.');
  return created.key;
}

async function readKey(): Promise<CredentialKey> {
  const { stored } = await readTogether({ stored: item });
  if (stored === undefined) throw new NothingIssued();
  return {
    key: await kmsDecrypt(stored.wrapped, credentialKeyContext),
    isReplacement: stored.replacedAt !== undefined,
  };
}
