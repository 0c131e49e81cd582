import type { TextType } from '../contracts/contract.ts';
import { revisionTag } from '../contracts/fields/preconditions.ts';

/** The response to a read with `If-None-Match`: 304 if the caller already has this revision. */
export function conditionalAnswer<Body extends { revision: number }>(read: Body | { notModified: number }) {
  if ('notModified' in read) {
    return { status: 304 as const, body: null, headers: { etag: revisionTag(read.notModified) } };
  }
  return { status: 200 as const, body: read, headers: { etag: revisionTag(read.revision) } };
}

/** The response to a read of an earlier or the current revision. Past revisions are immutable, so they carry no tag. */
export function answerAt<Body extends { revision: number }>(
  requestedRevision: number | undefined,
  read: Body | { notModified: number },
) {
  if (requestedRevision === undefined || 'notModified' in read) return conditionalAnswer(read);
  return { status: 200 as const, body: read };
}

/** The same with a body that was written as text. */
export function textAt<Type extends TextType>(
  requestedRevision: number | undefined,
  { text, contentType, revision }: { text: string; contentType: Type; revision: number },
) {
  const answer = { status: 200 as const, body: text, contentType };
  return requestedRevision === undefined ? { ...answer, headers: { etag: revisionTag(revision) } } : answer;
}

type LayeredRead<Type, Body> =
  | { notModified: readonly number[] }
  | { body: Body; revisions: readonly number[] }
  | { text: string; contentType: Type; revisions: readonly number[] };

/** The response to a pull of layered environments. Its tag joins their revisions, the lowest layer first. */
export function layeredAnswer<Type extends TextType, Body>(read: LayeredRead<Type, Body>) {
  if ('notModified' in read) {
    return { status: 304 as const, body: null, headers: { etag: revisionTag(...read.notModified) } };
  }
  const answer = { status: 200 as const, headers: { etag: revisionTag(...read.revisions) } };
  if ('text' in read) return { ...answer, body: read.text, contentType: read.contentType };
  return { ...answer, body: read.body };
}
