import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

/** A password and its hash by `hashPassword`. */
export const knownPassword = {
  password: 'correct horse battery',
  hash: 'scrypt$17$8$1$Jr70ZgAHTWSVEH2f9AcYVQ$CN-uGWqM6mqpQNGaoIfWgMZB8bEITKUzng54ZU7TxXQ',
};

/** Weaker parameters than today's are left alone: tests compute such hashes themselves. */
const leastCost = 2 ** 15;
const [knownSalt = '', knownKey = ''] = knownPassword.hash.split('$').slice(-2);
const real = crypto.scrypt;

/** The same password and salt give the same key, and every other password a different one, as with the real scrypt. */
function quick(
  password: string,
  salt: Uint8Array,
  length: number,
  options: crypto.ScryptOptions,
  done: (error: Error | null, key: Buffer) => void,
): void {
  if ((options.N ?? 0) < leastCost) real(password, salt, length, options, done);
  else if (password === knownPassword.password && Buffer.from(salt).toString('base64url') === knownSalt) {
    // Processes that tests start verify it as well, with the real scrypt.
    setImmediate(done, null, Buffer.from(knownKey, 'base64url'));
  } else real(password, salt, length, { N: 2, r: 1, p: 1 }, done);
}

/** A full-strength hash takes 0.3 s and 128 MB, and most tests are about something else. */
export function setScrypt(kind: 'quick' | 'real'): void {
  crypto.scrypt = (kind === 'quick' ? quick : real) as typeof crypto.scrypt;
  syncBuiltinESMExports();
}
