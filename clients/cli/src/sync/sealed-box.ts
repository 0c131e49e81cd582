import { blake2b } from 'blakejs';
import nacl from 'tweetnacl';

/** libsodium's sealed box: a new key pair, and a nonce that is the hash of both public keys. */
export function seal(value: string, key: string): string {
  const publicKey = Buffer.from(key, 'base64');
  const own = nacl.box.keyPair();
  const nonce = blake2b(Buffer.concat([own.publicKey, publicKey]), undefined, nacl.box.nonceLength);
  const box = nacl.box(new TextEncoder().encode(value), nonce, publicKey, own.secretKey);
  return Buffer.concat([own.publicKey, box]).toString('base64');
}
