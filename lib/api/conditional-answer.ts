import { revisionTag } from '../contracts/fields/preconditions.ts';

/** The answer to a read under `If-None-Match`: 304 where the caller has this revision already. Both carry its tag. */
export function conditionalAnswer<Body extends { revision: number }>(read: Body | { notModified: number }) {
  if ('notModified' in read) {
    return { status: 304 as const, body: null, headers: { etag: revisionTag(read.notModified) } };
  }
  return { status: 200 as const, body: read, headers: { etag: revisionTag(read.revision) } };
}

/** The answer to a read of one revision or of the current one. What was never changes, so it needs no tag. */
export function answerAt<Body extends { revision: number }>(
  wanted: number | undefined,
  read: Body | { notModified: number },
) {
  if (wanted === undefined || 'notModified' in read) return conditionalAnswer(read);
  return { status: 200 as const, body: read };
}
