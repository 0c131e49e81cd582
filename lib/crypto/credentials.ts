import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { uuidOf } from './derived-uuid.ts';

/*
 * A credential is one string of 32 random base62 digits (the verifier), the owner's user id (the selector: the UUID as
 * 22 base62 digits) and 6 digits of CRC32 over the rest. Scanners find leaks by the checksum, and the service rejects
 * junk by it without a read. The item's key is computed from the selector. The table only stores the SHA-256 of the
 * whole; with this much entropy, a slow hash is not needed. The random part comes first, so that the characters that
 * lists show differ.
 *
 * A checksum proves nothing. So the last 11 random digits of sessions and tokens are a MAC: HMAC-SHA256 under the
 * installation's credential key, over the prefix, the other 21 digits (125 random bits) and the user. A guess succeeds
 * with a chance of 62^-11 (2^-65).
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
  /** SHA-256 of `secret` in base64url, the only form that the table stores. */
  hash: string;
}

function randomBase62(digits: number): string {
  // 64 extra bits make the modulo bias negligible (< 2^-64).
  const bits = BigInt(`0x${randomBytes(Math.ceil((digits * 6) / 8) + 8).toString('hex')}`);
  return base62(bits % 62n ** BigInt(digits), digits);
}

const checksum = (text: string): string => base62(BigInt(crc32(text)), checksumDigits);

function macOf(message: string, key: Uint8Array): string {
  const digest = createHmac('sha256', key).update(message).digest('hex');
  return base62(BigInt(`0x${digest}`) % 62n ** BigInt(macDigits), macDigits);
}

/** Creates a credential, which scanners recognize by `prefix`. With a key it has a MAC for `hasValidMac`. */
export function createCredential(userId: string, prefix = '', key?: Uint8Array): Credential {
  const user = base62(BigInt(`0x${userId.replaceAll('-', '')}`), userDigits);
  const random = randomBase62(key === undefined ? randomDigits : randomDigits - macDigits);
  const mac = key === undefined ? '' : macOf(`${prefix}${random}${user}`, key);
  const body = `${prefix}${random}${mac}${user}`;
  const secret = body + checksum(body);
  return { secret, hash: hashCredential(secret) };
}

export function hasValidMac(secret: string, prefix: string, key: Uint8Array): boolean {
  const digits = secret.slice(prefix.length);
  const random = digits.slice(0, randomDigits - macDigits);
  const mac = digits.slice(randomDigits - macDigits, randomDigits);
  const user = digits.slice(randomDigits, randomDigits + userDigits);
  return equalInConstantTime(mac, macOf(`${prefix}${random}${user}`, key));
}

/** The user and hash of a well-formed credential, without a read; undefined for junk. Valid only if its item exists. */
export function readCredential(secret: string, prefix = ''): { userId: string; hash: string } | undefined {
  if (!secret.startsWith(prefix)) return undefined;
  const digits = secret.slice(prefix.length);
  if (!bodyPattern.test(digits)) return undefined;
  if (checksum(secret.slice(0, -checksumDigits)) !== secret.slice(-checksumDigits)) return undefined;
  const user = base62ToNumber(digits.slice(randomDigits, randomDigits + userDigits));
  const hex = user.toString(16).padStart(32, '0');
  if (hex.length > 32) return undefined;
  return { userId: uuidOf(hex), hash: hashCredential(secret) };
}

export function hashCredential(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/** Compares two texts in time that depends only on their lengths. */
export function equalInConstantTime(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

const base62Alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The number in base 62, left-padded with zeros to `width` characters. */
export function base62(number: bigint, width: number): string {
  let digits = '';
  for (let rest = number; rest > 0n; rest /= 62n) digits = base62Alphabet[Number(rest % 62n)] + digits;
  return digits.padStart(width, '0');
}

function base62ToNumber(digits: string): bigint {
  let number = 0n;
  for (const digit of digits) number = number * 62n + BigInt(base62Alphabet.indexOf(digit));
  return number;
}

const polynomial = 0xedb88320;

/** CRC32 of zlib (RFC 1952, section 8) for up to 66 characters. `node:zlib` would add a millisecond to cold starts. */
export function crc32(text: string): number {
  let crc = 0xffffffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? polynomial : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
