import { signal } from '@preact/signals';
import { call } from '../api.ts';
import { location$ } from '../router.ts';
import { onOtherUser } from '../session.ts';
import type { Place } from './place.ts';

const shownForMs = 30_000;

/** A value as programs get it and, if it names other keys, as it was set. */
export interface ReadValue {
  value: string;
  raw?: string;
}

/** The only revealed value on the page. */
export const revealed = signal<(ReadValue & { environmentId: string; key: string }) | undefined>(undefined);
let timer: number | undefined;
/** Incremented whenever the value is hidden, so that a late response is not shown. */
let round = 0;

export function hide(): void {
  round += 1;
  window.clearTimeout(timer);
  revealed.value = undefined;
}

interface ReadOptions {
  revision?: number;
  /** Reads a value that names other keys as it was set. */
  raw?: true;
  signal?: AbortSignal;
}

/** Reads one value. The service audits it before it answers. */
export async function readStored(place: Place, key: string, options: ReadOptions = {}) {
  const { signal: abort, ...query } = options;
  const { secrets, revision } = await call('GET /v1/secrets/{orgSlug}/{project}/{env}', {
    params: { ...place },
    query: { keys: key, ...query },
    ...(abort === undefined ? {} : { signal: abort }),
  });
  const found = secrets.find(secret => secret.key === key);
  if (found === undefined) throw new Error('The answer lacks the key that was asked for.');
  return { value: found.value, expand: found.expand, revision };
}

/** Reads one value as programs get it and, if it names other keys, as it was set in the same revision. */
async function readBoth(place: Place, key: string): Promise<ReadValue> {
  const { value, expand, revision } = await readStored(place, key);
  if (!expand) return { value };
  const now = await readStored(place, key, { raw: true });
  // A past revision is read as a whole, so only if the environment has changed in between.
  const { value: raw } = now.revision === revision ? now : await readStored(place, key, { revision, raw: true });
  return { value, raw };
}

/** As many keys as the service takes at once, in an address that every proxy takes. */
const atOnce = { keys: 100, characters: 4000 };

/**
 * Reads values as the lines of a `.env` file. Many keys take several reads, all of one revision. The service rejects
 * values that tools would read differently.
 */
export async function readAsDotenv(place: Place, revision: number, keys: readonly string[]): Promise<string> {
  let text = '';
  for (let left = keys; left.length > 0; ) {
    let end = 0;
    for (let size = 0; end < left.length && end < atOnce.keys && size <= atOnce.characters; end += 1)
      size += (left[end] ?? '').length + 1;
    const lines: unknown = await call('GET /v1/secrets/{orgSlug}/{project}/{env}', {
      params: { ...place },
      query: { keys: left.slice(0, end).join(','), revision, format: 'env' },
    });
    text += lines as string;
    left = left.slice(end);
  }
  return text;
}

export async function reveal(environmentId: string, place: Place, key: string): Promise<void> {
  hide();
  const own = round;
  const value = await readBoth(place, key);
  if (own !== round) return;
  revealed.value = { environmentId, key, ...value };
  timer = window.setTimeout(hide, shownForMs);
}

document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'hidden') hide();
});
window.addEventListener('pagehide', hide);
location$.subscribe(hide);
onOtherUser(hide);
