import { readFileSync } from 'node:fs';
import { calculateJwkThumbprint, compactDecrypt, importJWK, type JWK } from 'jose';
import { placeHeader } from '#lib/portability/seal-values.ts';
import { NotImportable, type RecordOf } from './read-export.ts';

type Protected = Pick<RecordOf<'version'>, 'value' | 'sealed'>;

/** Opens a value of the file; undefined for one that has none. */
export type OpenValue = (record: Protected, place: string) => Promise<string | undefined>;

/**
 * @param keyFile the private key of a sealed export, as a JWK
 * @throws NotImportable if the key is missing or another one; the function throws it for a value of another place
 */
export async function valueOpener(header: RecordOf<'export'>, keyFile: string | undefined): Promise<OpenValue> {
  if (header.values === 'plain') return async ({ value }) => value;
  if (keyFile === undefined) throw new NotImportable('The values are sealed: name the private key with --key.');
  const jwk = JSON.parse(readFileSync(keyFile, 'utf8')) as JWK;
  if ((await calculateJwkThumbprint(jwk)) !== header.sealedTo) {
    throw new NotImportable('The values are sealed to another key than the one in the file of --key.');
  }
  const key = await importJWK(jwk, jwk.kty === 'EC' ? 'ECDH-ES+A256KW' : 'RSA-OAEP-256');
  return async ({ sealed }, place) => {
    if (sealed === undefined) return undefined;
    const opened = await compactDecrypt(sealed, key).catch(() => undefined);
    if (opened === undefined) throw new NotImportable(`The value of ${place} can’t be opened with this key.`);
    if (opened.protectedHeader[placeHeader] !== place) {
      throw new NotImportable(`The value of ${place} was sealed for another place.`);
    }
    return Buffer.from(opened.plaintext).toString('utf8');
  };
}
