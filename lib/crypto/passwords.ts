import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { processVariable } from '../core/process-memory.ts';

/*
 * scrypt at OWASP's recommended strength (Password Storage Cheat Sheet: N = 2^17, r = 8, p = 1): 128 MB and about 0.3 s
 * per hash. The parameters are stored with each hash, so they can be raised later without invalidating passwords.
 */
const current = { costLog2: 17, blockSize: 8, parallelization: 1 };
const currentPrefix = `scrypt$${current.costLog2}$${current.blockSize}$${current.parallelization}$`;
const saltBytes = 16;
const hashBytes = 32;

/** Hashes that one process computes at a time: at 128 MB each, they must fit in the function's memory. */
const maximumAtOnce = 2;
const queue = processVariable('password-hashes', () => ({ running: 0, waiting: [] as (() => void)[] }));

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const { value: hashes } = queue;
  if (hashes.running >= maximumAtOnce) await new Promise<void>(resolve => hashes.waiting.push(resolve));
  else hashes.running += 1;
  try {
    return await work();
  } finally {
    const next = hashes.waiting.shift();
    if (next === undefined) hashes.running -= 1;
    else next();
  }
}

function derive(password: string, salt: Uint8Array, { costLog2, blockSize: r, parallelization: p }: typeof current) {
  const N = 2 ** costLog2;
  // Node's default limit of 32 MB would reject N = 2^17.
  const options = { N, r, p, maxmem: 128 * N * r + 1024 * 1024 };
  // Keyboards compose characters differently; NFKC makes them one password (NIST SP 800-63B).
  const normalized = password.normalize('NFKC');
  const hash = promisify<string, Uint8Array, number, ScryptOptions, Buffer>(scrypt);
  return inTurn(() => hash(normalized, salt, hashBytes, options));
}

/** `scrypt$<log2 N>$<r>$<p>$<salt>$<hash>`, salt and hash in base64url. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes);
  const key = await derive(password, salt, current);
  return `${currentPrefix}${salt.toString('base64url')}$${key.toString('base64url')}`;
}

const nobodysSalt = randomBytes(saltBytes);

/**
 * Stored for an account without a password: neither salt nor hash, so nothing matches it, whatever version checks it.
 * The plus sorts it before every real hash. Until 0.1.0, the empty string was stored.
 */
export const noPassword = 'scrypt$+17$8$1$$';

export const isPassword = (stored: string): boolean => stored > noPassword;

/**
 * Whether the password matches the stored hash. Without an account (`stored` undefined) or a password, it does the same
 * work and returns false, so that timing reveals nothing.
 */
export async function verifyPassword(password: string, stored: string | undefined): Promise<boolean> {
  if (stored === undefined || !isPassword(stored)) {
    await derive(password, nobodysSalt, current);
    return false;
  }
  const [scheme, costLog2, blockSize, parallelization, salt, hash] = stored.split('$');
  if (scheme !== 'scrypt' || salt === undefined || hash === undefined)
    throw new Error('A stored password hash has an unknown format.');
  const key = await derive(password, Buffer.from(salt, 'base64url'), {
    costLog2: Number(costLog2),
    blockSize: Number(blockSize),
    parallelization: Number(parallelization),
  });
  const expected = Buffer.from(hash, 'base64url');
  return key.length === expected.length && timingSafeEqual(key, expected);
}

export const isOutdatedHash = (stored: string): boolean => !stored.startsWith(currentPrefix);
