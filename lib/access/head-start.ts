import { isOverShare } from '../limits/fair-share.ts';
import type { IssuedCredential } from './authenticate.ts';

/*
 * A handler's reads start together with authentication, which saves honest callers a wave. A caller who was refused at an
 * organization loses that head start there for a while, and so do all callers of an organization that has used up its
 * share. Their requests are judged first, so a stranger with an account cannot have a tenant's data read again and
 * again. Each process remembers this for itself.
 */
const rememberedMs = 10 * 60_000;
const maximumRemembered = 10_000;

const refusedUntil = new Map<string, number>();

function subjectOf({ userId }: IssuedCredential, { orgSlug, orgId }: Readonly<Record<string, string>>): string {
  return `${userId} ${orgSlug ?? orgId ?? ''}`;
}

/** Whether reads for this caller may begin before the caller is authorized. */
export function earnsHeadStart(
  issued: IssuedCredential | undefined,
  params: Readonly<Record<string, string>>,
): boolean {
  if (issued === undefined) return true;
  if ((refusedUntil.get(subjectOf(issued, params)) ?? 0) > Date.now()) return false;
  return !isOverShare(params.orgSlug ?? params.orgId);
}

export function loseHeadStart(issued: IssuedCredential, params: Readonly<Record<string, string>>): void {
  const subject = subjectOf(issued, params);
  refusedUntil.delete(subject);
  // A Map keeps insertion order, so the first entry is the oldest.
  if (refusedUntil.size >= maximumRemembered) refusedUntil.delete(refusedUntil.keys().next().value as string);
  refusedUntil.set(subject, Date.now() + rememberedMs);
}
