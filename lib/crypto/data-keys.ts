import { createHash } from 'node:crypto';
import { processCollection, processVariable } from '../core/process-memory.ts';
import { minuteMs } from '../core/time.ts';
import { type EncryptionContext, generateDataKey, kmsDecrypt } from './kms.ts';

/** Identifies a data key: part of KMS's encryption context and of every ciphertext's additional data. */
export interface DataKeyId {
  organizationId: string;
  projectId: string;
  keyVersion: number;
}

function encryptionContext({ organizationId, projectId, keyVersion }: DataKeyId): EncryptionContext {
  return { organization: organizationId, project: projectId, keyVersion: String(keyVersion) };
}

/*
 * Plaintext data keys are kept only in this process's memory, so that a destroyed or revoked key soon stops working. A
 * key is handed out for four minutes and overwritten after five; requests and background steps that hold one, or a copy
 * for their ciphers, finish in between. Each key is used at most 2^20 times, far below the 2^32 random nonces that
 * AES-GCM allows per key (NIST SP 800-38D, 8.3).
 */
const handedOutMs = 4 * minuteMs;
const lifetimeMs = 5 * minuteMs;
const sweepMs = 30_000;
const maximumKeys = 500;
const maximumUses = 2 ** 20;

interface Entry {
  id: DataKeyId;
  key: Promise<Uint8Array>;
  unwrappedAtMs: number;
  uses: number;
}

const entries = processCollection('data-keys', new Map<string, Entry>());
const retired = processCollection('retired-data-keys', new Set<Entry>());
const sweeper = processVariable<NodeJS.Timeout | undefined>('data-key-sweeper', () => undefined);
const listeners: ((id: DataKeyId) => void)[] = [];

export function whenRetired(listener: (id: DataKeyId) => void): void {
  listeners.push(listener);
}

/** Creates a data key for a project and caches it, because it is used right away. One KMS call. */
export async function createDataKey(id: DataKeyId): Promise<Uint8Array> {
  const { plain, wrapped } = await generateDataKey(encryptionContext(id));
  remember(cacheKey(id, wrapped), id, Promise.resolve(plain));
  return wrapped;
}

export async function dataKey(id: DataKeyId, wrapped: Uint8Array): Promise<Uint8Array> {
  sweepDataKeys();
  const name = cacheKey(id, wrapped);
  const cached = entries.get(name);
  if (cached !== undefined && cached.uses < maximumUses) {
    cached.uses += 1;
    return cached.key;
  }
  const key = kmsDecrypt(wrapped, encryptionContext(id));
  const entry = remember(name, id, key);
  try {
    return await key;
  } catch (error) {
    if (entries.get(name) === entry) entries.delete(name);
    throw error;
  }
}

function remember(name: string, id: DataKeyId, key: Promise<Uint8Array>): Entry {
  retire(name);
  // A Map keeps insertion order, so the first entry is the oldest.
  if (entries.size >= maximumKeys) retire(entries.keys().next().value as string);
  const entry = { id, key, unwrappedAtMs: Date.now(), uses: 1 };
  entries.set(name, entry);
  // Lambda freezes idle processes. Keys that expire during a freeze are swept when the process resumes.
  sweeper.value ??= setInterval(sweepDataKeys, sweepMs).unref();
  return entry;
}

function retire(name: string): void {
  const entry = entries.get(name);
  if (entry === undefined) return;
  entries.delete(name);
  retired.add(entry);
  for (const listener of listeners) listener(entry.id);
}

/** Stops handing out keys that are four minutes old, and overwrites those that are five minutes old. */
export function sweepDataKeys(nowMs = Date.now()): void {
  for (const [name, { unwrappedAtMs }] of entries) {
    if (nowMs - unwrappedAtMs >= handedOutMs) retire(name);
  }
  for (const entry of retired) {
    if (nowMs - entry.unwrappedAtMs < lifetimeMs) continue;
    retired.delete(entry);
    entry.key.then(key => key.fill(0)).catch(() => undefined);
  }
  if (entries.size === 0 && retired.size === 0) {
    clearInterval(sweeper.value);
    sweeper.value = undefined;
  }
}

/** Includes the wrapped bytes, so a replaced wrapped key never gets another key's plaintext. */
function cacheKey(id: DataKeyId, wrapped: Uint8Array): string {
  const digest = createHash('sha256').update(wrapped).digest('base64url');
  return `${id.organizationId}/${id.projectId}/${id.keyVersion}/${digest}`;
}
