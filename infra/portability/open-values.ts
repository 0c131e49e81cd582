import { readFileSync } from 'node:fs';
import { calculateJwkThumbprint, compactDecrypt, importJWK, type JWK } from 'jose';
import { placeHeader, placeOf } from '#lib/portability/seal-values.ts';
import { NotImportable, type RecordOf } from './read-export.ts';

/** @throws NotImportable if a version has a value although it must not, or none although it must */
export async function openVersion(
  open: OpenValue,
  version: RecordOf<'version'>,
  { id }: RecordOf<'environment'>,
): Promise<string | undefined> {
  const { key, version: number, deleted, destroyed } = version;
  const value = await open(version, placeOf(id, key, number));
  if ((value === undefined) === (deleted === true || destroyed === true)) return value;
  throw new NotImportable(`Version ${number} of ${key} in environment ${id} must have a value or none.`);
}

/** The signing secret of a webhook. */
export async function openSecret(
  open: OpenValue,
  webhook: RecordOf<'webhook'>,
  organizationId: string,
): Promise<string> {
  const secret = await open(webhook, placeOf(organizationId, 'webhook', webhook.id));
  if (secret === undefined) throw new NotImportable(`The webhook ${webhook.id} has no signing secret.`);
  return secret;
}

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
