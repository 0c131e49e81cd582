import { cachedRead } from '../core/process-memory.ts';
import { generateDataKey, kmsDecrypt } from '../crypto/kms.ts';
import { equals, isNew } from '../table/expressions.ts';
import { at, readTogether } from '../table/read.ts';
import { credentialKeyRecord } from '../table/records/credentials.ts';
import { put, transactIfHolds } from '../table/write.ts';

/*
 * The key of the MAC that shows which sessions and tokens this installation issued. It is stored in the table, wrapped
 * by KMS, and each process unwraps it once. It grants nothing: a credential forged with it is looked up and not found.
 */
const context = { purpose: 'credentials' };
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
  const { wrapped } = await generateDataKey(context);
  // If another process was first, its key is the one to use.
  await transactIfHolds([put(item, { wrapped }, { if: isNew })]);
  const created = await credentialKey();
  if (created === undefined) throw new Error('The credential key was stored but cannot be read.');
  return created.key;
}

async function readKey(): Promise<CredentialKey> {
  const { stored } = await readTogether({ stored: item });
  if (stored === undefined) throw new NothingIssued();
  return { key: await kmsDecrypt(stored.wrapped, context), isReplacement: stored.replacedAt !== undefined };
}

/** What KMS answers if a ciphertext belongs to another key than the one named, the last one if that no longer exists. */
const lostKeyErrors: ReadonlySet<string> = new Set([
  'IncorrectKeyException',
  'InvalidCiphertextException',
  'AccessDeniedException',
]);

/**
 * Replaces the key if the KMS key that wrapped it is lost, so that credentials can be issued again. Nothing ends:
 * credentials from before are looked up from then on. A key that can still be unwrapped stays, so this can be repeated.
 * @returns whether it was replaced
 * @throws KMS's error if the installation's KMS key can't be used, or fails for another reason
 */
export async function replaceLostKey(): Promise<boolean> {
  const { stored } = await readTogether({ stored: item });
  if (stored === undefined) return false;
  const { wrapped } = await generateDataKey(context);
  // Shows that the caller may use the key, and that it is enabled: what fails now does so because of the ciphertext.
  await kmsDecrypt(wrapped, context);
  try {
    await kmsDecrypt(stored.wrapped, context);
    return false;
  } catch (error) {
    if (!(error instanceof Error && lostKeyErrors.has(error.name))) throw error;
  }
  const replacement = { wrapped, replacedAt: new Date().toISOString() };
  return transactIfHolds([put(item, replacement, { if: { wrapped: equals(stored.wrapped) } })]);
}
