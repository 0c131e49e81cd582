import type { IssuedCredential } from '../access/authenticate.ts';
import { isOverShare } from '../limits/fair-share.ts';

/*
 * A handler's reads begin beside authentication, which saves honest callers a round trip. A stranger must not have a
 * tenant's data read again and again that way. So a caller who was refused at an organization is authorized before anything
 * is read there for a while, and so are all callers of an organization that has used up its share. Each process remembers
 * this for itself.
 */
const rememberedMs = 10 * 60_000;
const maximumRemembered = 10_000;

type Params = Readonly<Record<string, string>>;

const refusedUntil = new Map<string, number>();

const organizationIn = ({ orgSlug, orgId }: Params) => orgSlug ?? orgId ?? '';
const subjectOf = ({ userId }: IssuedCredential, params: Params) => `${userId} ${organizationIn(params)}`;

/** Whether reads for this caller may begin before the caller is authorized. */
export function mayReadEarly(issued: IssuedCredential | undefined, params: Params): boolean {
  if (issued === undefined) return true;
  const isRefused = (refusedUntil.get(subjectOf(issued, params)) ?? 0) > Date.now();
  return !isRefused && !isOverShare(organizationIn(params));
}

/** Has the caller's next requests to this organization authorized first. */
export function readLateFromNowOn(issued: IssuedCredential, params: Params): void {
  const subject = subjectOf(issued, params);
  refusedUntil.delete(subject);
  // A Map keeps insertion order, so the first entry is the oldest.
  if (refusedUntil.size >= maximumRemembered) refusedUntil.delete(refusedUntil.keys().next().value ?? '');
  refusedUntil.set(subject, Date.now() + rememberedMs);
}
