import { chunksWithin } from '../../core/chunks-of.ts';
import type { EnvironmentState } from '../../table/records/environment.ts';
import type { HeadRecord } from '../../table/records/secret.ts';
import { isLive } from './read-snapshot.ts';

/*
 * DynamoDB ends a page of a Query at 1 MB, so the pages of a large environment could only be read one after the other.
 * Its state therefore records keys at which to cut. Wherever they are, a read is complete, and only takes longer if a
 * range has more than one page.
 */

export type HeadPage = NonNullable<EnvironmentState['pages']>[number];

const idealBytes = 512 * 1024;
/** A larger range may soon need a second page. */
const maximumBytes = 768 * 1024;

interface ChangedHeads {
  state: Pick<EnvironmentState, 'pages' | 'sizeBytes'>;
  before: ReadonlyMap<string, HeadRecord>;
  heads: readonly HeadRecord[];
}

/** How to cut the environment after a change; undefined while one page is enough. Measured from all heads. Pure. */
export function pagesAfter(change: ChangedHeads, { isMixed }: { isMixed: boolean }): HeadPage[] | undefined {
  const pages = isMixed ? resized(change) : measured(change);
  const sizeBytes = pages.reduce((sum, { bytes }) => sum + bytes, 0);
  return sizeBytes > maximumBytes ? pages : undefined;
}

/** Whether a change that read only its own keys outgrows a range, so that it has to be measured. Pure. */
export const outgrowsPages = (change: ChangedHeads) => resized(change).some(({ bytes }) => bytes > maximumBytes);

function measured({ before, heads }: ChangedHeads): HeadPage[] {
  const after = new Map([...before, ...heads.map(head => [head.key, head] as const)]);
  const live = [...after.values()].filter(isLive).toSorted((a, b) => (a.key < b.key ? -1 : 1));
  const maximum = { count: Number.POSITIVE_INFINITY, bytes: idealBytes };
  const chunks = chunksWithin(maximum, live, head => ({ count: 1, bytes: bytesOf([head]) }));
  return chunks.map(chunk => ({ from: chunk[0]?.key ?? '', bytes: bytesOf(chunk) }));
}

function resized({ state, before, heads }: ChangedHeads): HeadPage[] {
  return (state.pages ?? [{ from: '', bytes: state.sizeBytes }]).map(({ from, bytes }, index, pages) => {
    const to = pages[index + 1]?.from;
    const within = heads.filter(({ key }) => (index === 0 || key >= from) && (to === undefined || key < to));
    const replaced = within.map(({ key }) => before.get(key)).filter(isLive);
    return { from, bytes: bytes + bytesOf(within) - bytesOf(replaced) };
  });
}

function bytesOf(heads: readonly HeadRecord[]): number {
  return heads.reduce((sum, head) => sum + (isLive(head) ? (head.sizeBytes ?? 0) : 0), 0);
}
