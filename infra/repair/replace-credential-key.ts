import { credentialKeyContext } from '#lib/access/credential-key.ts';
import { generateDataKey, kmsDecrypt } from '#lib/crypto/kms.ts';
import { equals } from '#lib/table/expressions.ts';
import { at, find } from '#lib/table/read.ts';
import { credentialKeyRecord } from '#lib/table/records/credentials.ts';
import { put, transactIfHolds } from '#lib/table/write.ts';

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
  const item = at(credentialKeyRecord);
  const stored = await find(item);
  if (stored === undefined) return false;
  const { wrapped } = await generateDataKey(credentialKeyContext);
  // Shows that the caller may use the key, and that it is enabled: what fails now does so because of the ciphertext.
  await kmsDecrypt(wrapped, credentialKeyContext);
  try {
    await kmsDecrypt(stored.wrapped, credentialKeyContext);
    return false;
  } catch (error) {
    if (!(error instanceof Error && lostKeyErrors.has(error.name))) throw error;
  }
  const replacement = { wrapped, replacedAt: new Date().toISOString() };
  return transactIfHolds([put(item, replacement, { if: { wrapped: equals(stored.wrapped) } })]);
}
