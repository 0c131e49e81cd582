import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { AwsError } from '../aws-server.ts';
import type { MasterKey } from './key-file.ts';

/*
 * A ciphertext: a format byte, the key's id, a 96-bit nonce, the encrypted bytes, the tag. AES-256-GCM with the context
 * as additional data.
 */
const format = 1;
const idEnd = 1 + 16;
const nonceEnd = idEnd + 12;
const tagBytes = 16;

/** Encrypts bytes under a master key, bound to an encryption context. */
export function seal(key: MasterKey, plain: Buffer, context: Record<string, string>): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(key.material, 'base64'), nonce, { authTagLength: tagBytes });
  cipher.setAAD(canonical(context));
  const id = Buffer.from(key.id.replaceAll('-', ''), 'hex');
  return Buffer.concat([Buffer.of(format), id, nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** @throws AwsError unless key, bytes and encryption context match those of the encryption */
export function unseal(key: MasterKey, sealed: Buffer, context: Record<string, string>): Buffer {
  const decipher = createDecipheriv(
    'aes-256-gcm',
    Buffer.from(key.material, 'base64'),
    sealed.subarray(idEnd, nonceEnd),
    { authTagLength: tagBytes },
  );
  decipher.setAAD(canonical(context));
  decipher.setAuthTag(sealed.subarray(-tagBytes));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(nonceEnd, -tagBytes)), decipher.final()]);
  } catch {
    // Like KMS, it does not tell whether the bytes or the context are wrong.
    throw new AwsError('InvalidCiphertextException', '');
  }
}

/** The id of the master key that a ciphertext names; undefined if it is not a ciphertext. */
export function sealedUnder(sealed: Buffer): string | undefined {
  if (sealed.length <= nonceEnd + tagBytes || sealed[0] !== format) return undefined;
  return sealed.toString('hex', 1, idEnd).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** The same bytes for the same pairs in any order. */
function canonical(context: Record<string, string>): Buffer {
  const pairs = Object.entries(context).sort(([a], [b]) => (a < b ? -1 : 1));
  return Buffer.from(JSON.stringify(pairs));
}
