import { CompactEncrypt, calculateJwkThumbprint, importJWK, type JWK } from 'jose';
import type { SealingKey } from '../contracts/organizations/export-organization.ts';
import { invalidRequest } from '../core/errors.ts';

/** How values leave the service: as they are, or sealed to a public key. */
export interface Sealer {
  /** The key's thumbprint. */
  sealedTo?: string;
  /** @param place what the value belongs to; a sealed value names it, so that it can't be moved elsewhere */
  protect(value: string, place: string): Promise<{ value: string } | { sealed: string }>;
}

export const plainValues: Sealer = { protect: async value => ({ value }) };

/** The protected header that names the place of a sealed value. */
export const placeHeader = 'holdfast-place';

export const placeOf = (...parts: readonly (string | number)[]): string => parts.join('/');

const minimumModulusBytes = 256;

/** Seals each value as a compact JWE (RFC 7516), with a new content key. @throws invalid_request for an unusable key */
export async function sealTo(jwk: SealingKey): Promise<Sealer> {
  const { kty, crv, x, y, n, e } = jwk;
  const unusable = (message: string) => invalidRequest([{ path: 'sealTo', message }]);
  if (kty === 'RSA' && Buffer.from(n ?? '', 'base64url').length < minimumModulusBytes) {
    throw unusable('must be a key of at least 2048 bits');
  }
  const alg = kty === 'EC' ? 'ECDH-ES+A256KW' : 'RSA-OAEP-256';
  const parameters = (kty === 'EC' ? { kty, crv, x, y } : { kty, n, e }) as JWK;
  const key = await importJWK(parameters, alg).catch(() => {
    throw unusable('is not a valid public key');
  });
  const sealedTo = await calculateJwkThumbprint(parameters);
  return {
    sealedTo,
    protect: async (value, place) => {
      const header = { alg, enc: 'A256GCM', kid: sealedTo, [placeHeader]: place };
      const jwe = new CompactEncrypt(new TextEncoder().encode(value)).setProtectedHeader(header);
      return { sealed: await jwe.encrypt(key) };
    },
  };
}
