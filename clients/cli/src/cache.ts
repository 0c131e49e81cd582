import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDirectory, readIfThere, writeOwnFile } from './files.ts';
import type { Entry } from './formats/format.ts';

interface CachedPlace {
  origin: string;
  path: readonly string[];
}

export interface Pulled {
  entries: Entry[];
  revision: number;
}

export interface Cached extends Pulled {
  /** Of `Date.now()`. */
  at: number;
}

interface CacheFile {
  v: 1;
  revision: number;
  at: number;
  salt: string;
  nonce: string;
  tag: string;
  data: string;
}

const fileOf = (place: CachedPlace): string =>
  join(
    cacheDirectory(),
    `${createHash('sha256')
      .update(JSON.stringify([place.origin, ...place.path]))
      .digest('hex')}.json`,
  );

/** Who has the token may read these values anyway; without it the file is of no use. */
function keyOf(token: string, salt: Buffer): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', token, salt, 'holdfast offline cache v1', 32));
}

/** What is authenticated beside the values: a file that is moved or changed is not read. */
const contextOf = ({ origin, path }: CachedPlace, revision: number, at: number): Buffer =>
  Buffer.from(JSON.stringify([origin, ...path, revision, at]));

export function writeCached(place: CachedPlace, token: string, { entries, revision }: Pulled): void {
  const salt = randomBytes(32);
  const nonce = randomBytes(12);
  const at = Date.now();
  const cipher = createCipheriv('aes-256-gcm', keyOf(token, salt), nonce);
  cipher.setAAD(contextOf(place, revision, at));
  const data = Buffer.concat([cipher.update(JSON.stringify(entries)), cipher.final()]);
  const file: CacheFile = {
    v: 1,
    revision,
    at,
    salt: salt.toString('base64'),
    nonce: nonce.toString('base64'),
    tag: cipher.getAuthTag().toString('base64'),
    data: data.toString('base64'),
  };
  writeOwnFile(fileOf(place), JSON.stringify(file));
}

/** @returns undefined where there is none that this token made for this place */
export function readCached(place: CachedPlace, token: string): Cached | undefined {
  const bytes = readIfThere(fileOf(place));
  if (bytes === undefined) return undefined;
  try {
    const { v, revision, at, salt, nonce, tag, data }: CacheFile = JSON.parse(bytes.toString());
    if (v !== 1) return undefined;
    const [saltBytes, nonceBytes, tagBytes] = [salt, nonce, tag].map(text => Buffer.from(text, 'base64')) as [
      Buffer,
      Buffer,
      Buffer,
    ];
    const decipher = createDecipheriv('aes-256-gcm', keyOf(token, saltBytes), nonceBytes, { authTagLength: 16 });
    decipher.setAAD(contextOf(place, revision, at));
    decipher.setAuthTag(tagBytes);
    const text = Buffer.concat([decipher.update(Buffer.from(data, 'base64')), decipher.final()]).toString();
    return { entries: JSON.parse(text) as Entry[], revision, at };
  } catch {
    // Made with another token, damaged or forged: as good as none, and the next pull replaces it.
    return undefined;
  }
}

export function deleteCached(place: CachedPlace): void {
  rmSync(fileOf(place), { force: true });
}
