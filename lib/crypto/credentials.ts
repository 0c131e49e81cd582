import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { base62, base62ToNumber } from './base62.ts';
import { crc32 } from './crc32.ts';

/*
 * Every credential that the service hands out is a verifier and a selector in one string: 32 random base62 digits, the
 * id of the user it belongs to (22 base62 digits of the UUID), then 6 digits of CRC32 over all before. The checksum lets
 * scanners find leaks and lets junk be refused without a read; the selector makes the item's key computable; only the
 * SHA-256 of the whole is stored, which is enough for a random part of that size. The random part comes first so that
 * the first characters, which lists show, differ among one user's tokens.
 *
 * A checksum proves nothing: it has no key. So the last 11 of the random digits of a session or token are a MAC:
 * HMAC-SHA256 under the installation's credential key, over the prefix, the other 21 digits and the user. Without the
 * key the chance to guess it is 62^-11 (2^-65), and the other 21 digits hold 125 random bits.
 */

const userDigits = 22;
const randomDigits = 32;
const macDigits = 11;
const checksumDigits = 6;
const bodyPattern = new RegExp(`^[0-9A-Za-z]{${userDigits + randomDigits + checksumDigits}}$`);

export const tokenPrefix = 'service_tok_';

export interface Credential {
  /** What the client keeps. Shown once, never stored. */
  secret: string;
  /** SHA-256 of `secret` in base64url: what the table knows of it. */
  hash: string;
}

function randomBase62(digits: number): string {
  // 64 bits more than needed make the bias of the remainder negligible (< 2^-64).
  const bits = BigInt(`0x${randomBytes(Math.ceil((digits * 6) / 8) + 8).toString('hex')}`);
  return base62(bits % 62n ** BigInt(digits), digits);
}

function checksum(text: string): string {
  return base62(BigInt(crc32(text)), checksumDigits);
}

function macOf(message: string, key: Uint8Array): string {
  const digest = createHmac('sha256', key).update(message).digest('hex');
  return base62(BigInt(`0x${digest}`) % 62n ** BigInt(macDigits), macDigits);
}

/**
 * Makes a credential of the user; `prefix` tells scanners what it is. With a key it carries a MAC that
 * `hasValidMac` verifies, else all of its digits are random.
 */
export function createCredential(userId: string, prefix = '', key?: Uint8Array): Credential {
  const user = base62(BigInt(`0x${userId.replaceAll('-', '')}`), userDigits);
  const random = randomBase62(key === undefined ? randomDigits : randomDigits - macDigits);
  const mac = key === undefined ? '' : macOf(`${prefix}${random}${user}`, key);
  const body = `${prefix}${random}${mac}${user}`;
  const secret = body + checksum(body);
  return { secret, hash: hashCredential(secret) };
}

/** Whether a well-formed credential was made under the key. In constant time. */
export function hasValidMac(secret: string, prefix: string, key: Uint8Array): boolean {
  const digits = secret.slice(prefix.length);
  const random = digits.slice(0, randomDigits - macDigits);
  const mac = digits.slice(randomDigits - macDigits, randomDigits);
  const user = digits.slice(randomDigits, randomDigits + userDigits);
  return equalInConstantTime(mac, macOf(`${prefix}${random}${user}`, key));
}

/**
 * The user a well-formed credential names, and its hash; undefined for junk, known without any read.
 * It does not say whether the credential is valid; the item under its hash does.
 */
export function readCredential(secret: string, prefix = ''): { userId: string; hash: string } | undefined {
  if (!secret.startsWith(prefix)) return undefined;
  const digits = secret.slice(prefix.length);
  if (!bodyPattern.test(digits)) return undefined;
  if (checksum(secret.slice(0, -checksumDigits)) !== secret.slice(-checksumDigits)) return undefined;
  const hex = base62ToNumber(digits.slice(randomDigits, randomDigits + userDigits))
    .toString(16)
    .padStart(32, '0');
  if (hex.length > 32) return undefined;
  const userId = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
  return { userId, hash: hashCredential(secret) };
}

export function hashCredential(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/** Compares two texts in time that depends on their lengths only. */
export function equalInConstantTime(a: string, b: string): boolean {
  const left = createHash('sha256').update(a).digest();
  const right = createHash('sha256').update(b).digest();
  return timingSafeEqual(left, right);
}
