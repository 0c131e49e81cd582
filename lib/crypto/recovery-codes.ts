import { createHash, randomBytes } from 'node:crypto';
import { base32 } from './base32.ts';

const codeCount = 10;
/** 120 bits, so a plain hash of a code can't be reversed. */
const codeBytes = 15;

export function createRecoveryCodes(): { codes: string[]; hashes: Set<string> } {
  const codes = Array.from({ length: codeCount }, () => base32(randomBytes(codeBytes)).replace(/(.{4})(?=.)/g, '$1-'));
  return { codes, hashes: new Set(codes.map(hashRecoveryCode)) };
}

/** Users may type a code without hyphens, with spaces and in lower case. */
export function hashRecoveryCode(code: string): string {
  const characters = code.toUpperCase().replace(/[\s-]/g, '');
  return createHash('sha256').update(characters).digest('base64url');
}
