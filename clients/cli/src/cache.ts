import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Entry } from '@holdfast/contracts/fields/formats/format.ts';
import { cacheDirectory, readIfThere, writeOwnFile } from './files.ts';
import { type Sealed, seal, unseal } from './sealed.ts';

interface CachedPlace {
  origin: string;
  path: readonly string[];
}

export interface Pulled {
  entries: Entry[];
  revision: number;
}

export interface Cached extends Pulled {
  /** Milliseconds, from `Date.now()`. */
  at: number;
}

interface CacheFile extends Sealed {
  v: 1;
  revision: number;
  at: number;
}

const fileOf = (place: CachedPlace): string =>
  join(
    cacheDirectory(),
    `${createHash('sha256')
      .update(JSON.stringify([place.origin, ...place.path]))
      .digest('hex')}.json`,
  );

/** Sealed with the token, whose holder may read these values anyway. The file is useless without it. */
const purpose = 'holdfast offline cache v1';

/** Additional authenticated data, so a moved or changed file is rejected. */
const contextOf = ({ origin, path }: CachedPlace, revision: number, at: number): Buffer =>
  Buffer.from(JSON.stringify([origin, ...path, revision, at]));

export function writeCached(place: CachedPlace, token: string, { entries, revision }: Pulled): void {
  const at = Date.now();
  const sealed = seal(token, purpose, contextOf(place, revision, at), JSON.stringify(entries));
  const file: CacheFile = { v: 1, revision, at, ...sealed };
  writeOwnFile(fileOf(place), JSON.stringify(file));
}

/** @returns undefined if this token has no cached copy of this place */
export function readCached(place: CachedPlace, token: string): Cached | undefined {
  const bytes = readIfThere(fileOf(place));
  if (bytes === undefined) return undefined;
  try {
    const { v, revision, at, ...sealed }: CacheFile = JSON.parse(bytes.toString());
    if (v !== 1) return undefined;
    const text = unseal(token, purpose, contextOf(place, revision, at), sealed);
    return { entries: JSON.parse(text) as Entry[], revision, at };
  } catch {
    // Sealed with another token, damaged or forged. The next pull replaces it.
    return undefined;
  }
}

export function deleteCached(place: CachedPlace): void {
  rmSync(fileOf(place), { force: true });
}
