import { createHmac, randomBytes } from 'node:crypto';
import { equalInConstantTime } from './credentials.ts';

/*
 * Time-based one-time passwords (RFC 6238) as every authenticator app supports them: HMAC-SHA1, six digits, 30 seconds.
 */
const stepSeconds = 30;
const digits = 6;
/** The length of a SHA-1 digest (RFC 4226, section 4). */
const secretBytes = 20;
/** Steps accepted on either side, because clocks differ and people type slowly (RFC 6238, section 5.2). */
const drift = 1;

export const createTotpSecret = (): Uint8Array => randomBytes(secretBytes);

export function totpCode(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const hmac = createHmac('sha1', secret).update(counter).digest();
  const offset = (hmac.at(-1) as number) & 15;
  const number = (hmac.readUInt32BE(offset) & 0x7fffffff) % 10 ** digits;
  return String(number).padStart(digits, '0');
}

export const totpStep = (nowMs: number): number => Math.floor(nowMs / 1000 / stepSeconds);

/** The newest time step near now with this code; undefined if there is none. Constant time. Pure. */
export function matchingStep(secret: Uint8Array, code: string, nowMs: number): number | undefined {
  const now = totpStep(nowMs);
  let matching: number | undefined;
  for (let step = now - drift; step <= now + drift; step += 1) {
    if (equalInConstantTime(totpCode(secret, step), code)) matching = step;
  }
  return matching;
}
