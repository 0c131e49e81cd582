import { createHash } from 'node:crypto';
import { type EncryptionContext, generateDataKey, kmsDecrypt } from './kms.ts';

/** Which data key: part of KMS's encryption context and of every ciphertext's additional data. */
export interface DataKeyId {
  organizationId: string;
  projectId: string;
  keyVersion: number;
}

function encryptionContext(id: DataKeyId): EncryptionContext {
  return { organization: id.organizationId, project: id.projectId, keyVersion: String(id.keyVersion) };
}

/*
 * Plaintext data keys live in this process's memory only, and not for long: five minutes, so that a destroyed or
 * revoked key stops working soon; at most 500 keys; and 2^20 uses each, far below the 2^32 random nonces that
 * AES-GCM allows a key (NIST SP 800-38D, 8.3).
 */
const lifetimeMs = 5 * 60_000;
const maximumKeys = 500;
const maximumUses = 2 ** 20;

interface Entry {
  key: Promise<Uint8Array>;
  expiresAt: number;
  uses: number;
}

const entries = new Map<string, Entry>();

/** A new data key for a project; also put into the cache, since it is used at once. One KMS call. */
export async function createDataKey(id: DataKeyId): Promise<Uint8Array> {
  const { plain, wrapped } = await generateDataKey(encryptionContext(id));
  remember(cacheKey(id, wrapped), Promise.resolve(plain));
  return wrapped;
}

/** The data key in clear. No KMS call where it is in the cache; concurrent callers share one. */
export async function dataKey(id: DataKeyId, wrapped: Uint8Array): Promise<Uint8Array> {
  const name = cacheKey(id, wrapped);
  const known = entries.get(name);
  if (known !== undefined && known.expiresAt > Date.now() && known.uses < maximumUses) {
    known.uses += 1;
    return known.key;
  }
  const key = kmsDecrypt(wrapped, encryptionContext(id));
  remember(name, key);
  try {
    return await key;
  } catch (error) {
    entries.delete(name);
    throw error;
  }
}

function remember(name: string, key: Promise<Uint8Array>): void {
  entries.delete(name);
  // A Map keeps insertion order, so the first entry is the oldest.
  if (entries.size >= maximumKeys) entries.delete(entries.keys().next().value as string);
  entries.set(name, { key, expiresAt: Date.now() + lifetimeMs, uses: 1 });
}

/** The wrapped bytes are part of the name: an exchanged wrapped key never meets another one's plaintext. */
function cacheKey(id: DataKeyId, wrapped: Uint8Array): string {
  const digest = createHash('sha256').update(wrapped).digest('base64url');
  return `${id.organizationId}/${id.projectId}/${id.keyVersion}/${digest}`;
}
