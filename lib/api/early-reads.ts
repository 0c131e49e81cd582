import type { IssuedCredential } from '../access/authenticate.ts';
import { processCollection } from '../core/process-memory.ts';
import { minuteMs } from '../core/time.ts';
import { isOverShare } from '../limits/fair-share.ts';

/*
 * A handler's reads run in parallel with authentication, which saves a round trip. Strangers must not be able to make
 * the service read a tenant's data over and over, so for a while after a refusal, the caller's requests to that
 * organization are authorized first. So are all requests to an organization that has used up its share.
 */
const rememberedMs = 10 * minuteMs;
const maximumRemembered = 10_000;

type Params = Readonly<Record<string, string>>;

const refusedUntil = processCollection('refused-callers', new Map<string, number>());

const organizationIn = ({ orgSlug, orgId }: Params) => orgSlug ?? orgId ?? '';
const subjectOf = ({ userId }: IssuedCredential, params: Params) => `${userId} ${organizationIn(params)}`;

/** Whether reads for this caller may start before the caller is authorized. */
export function mayReadEarly(issued: IssuedCredential | undefined, params: Params): boolean {
  if (issued === undefined) return true;
  const isRefused = (refusedUntil.get(subjectOf(issued, params)) ?? 0) > Date.now();
  return !isRefused && !isOverShare(organizationIn(params));
}

/** From now on, authorizes the caller's requests to this organization before reading. */
export function authorizeBeforeReading(issued: IssuedCredential, params: Params): void {
  const subject = subjectOf(issued, params);
  refusedUntil.delete(subject);
  // A Map keeps insertion order, so the first entry is the oldest.
  if (refusedUntil.size >= maximumRemembered) refusedUntil.delete(refusedUntil.keys().next().value ?? '');
  refusedUntil.set(subject, Date.now() + rememberedMs);
}
