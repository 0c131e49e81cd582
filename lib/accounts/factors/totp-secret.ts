import { kmsDecrypt, kmsEncrypt } from '../../crypto/kms.ts';

/** Bound into the ciphertext by KMS: a secret copied to another account's item can't be decrypted there. */
const encryptionContext = (userId: string) => ({ user: userId });

/** One KMS call. */
export async function sealTotpSecret(secret: Uint8Array, userId: string): Promise<Uint8Array> {
  return kmsEncrypt(secret, encryptionContext(userId));
}

/** One KMS call. */
export async function openTotpSecret(sealed: Uint8Array, userId: string): Promise<Uint8Array> {
  return kmsDecrypt(sealed, encryptionContext(userId));
}
