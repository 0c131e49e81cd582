type Claims = Readonly<Record<string, unknown>>;

/** The claims that an identity requires: for each, its only accepted value or a list of them. */
export type RequiredClaims = Readonly<Record<string, string | readonly string[]>>;

/** How one claim of a token compares with the identity that the token is for. */
export interface ClaimMatch {
  name: string;
  /** Undefined for a claim that the identity doesn't require and that still rejects the token. */
  accepted: readonly string[] | undefined;
  /** The token's value; undefined if it has no such claim. */
  value: unknown;
  matches: boolean;
}

/**
 * The claims that say what started a job, by platform: GitHub and Forgejo, GitLab, Woodpecker, Semaphore, Buildkite,
 * and names that others might use. Other claims are not searched, because a branch or a workflow can have any name.
 */
const eventClaims: ReadonlySet<string> = new Set(
  `event_name event event_type pipeline_source pipeline_event ref_type build_source build_reason trigger
  trigger_type`.split(/\s+/),
);

/**
 * Compares a token's claims with those that an identity requires, as exact strings: a number, a flag, a list or an
 * object never matches. Pull and merge request events run a stranger's code, so they are rejected unless the identity
 * names them. Pure.
 */
export function matchClaims(claims: Claims, required: RequiredClaims): ClaimMatch[] {
  const matched = Object.entries(required).map(([name, given]): ClaimMatch => {
    const accepted = [given].flat();
    const value = claimAt(claims, name);
    return { name, accepted, value, matches: typeof value === 'string' && accepted.includes(value) };
  });
  const named = new Set(Object.keys(required).map(topLevelClaim));
  const events = Object.keys(claims)
    .filter(name => eventClaims.has(name.toLowerCase()) && !named.has(name) && !isOrdinaryEvent(claims[name]))
    .map((name): ClaimMatch => ({ name, accepted: undefined, value: claims[name], matches: false }));
  return [...matched, ...events];
}

/** Otherwise, any service that gets a token for several audiences could use it here. Pure. */
export function isOnlyAudience({ aud }: Claims, audience: string): boolean {
  return aud === audience || (Array.isArray(aud) && aud.length === 1 && aud[0] === audience);
}

/** GitHub's `pull_request_target`, GitLab's `merge_request_event` and `external_pull_request_event`, `pull-request`, … */
function isOrdinaryEvent(event: unknown): boolean {
  return typeof event === 'string' && !/(?:pull|merge)[^a-z]*request/i.test(event);
}

/** The claim with that name, or the nested claim that a JSON pointer (RFC 6901) refers to. Pure. */
export function claimAt(claims: Claims, name: string): unknown {
  return claimPath(name).reduce<unknown>((value, step) => {
    const isMember = typeof value === 'object' && value !== null && !Array.isArray(value) && Object.hasOwn(value, step);
    return isMember ? (value as Claims)[step] : undefined;
  }, claims);
}

/** The path of a required claim, a plain name or a JSON pointer (RFC 6901), as a list of names. Pure. */
export function claimPath(name: string): string[] {
  if (!name.startsWith('/')) return [name];
  const [, ...steps] = name.split('/');
  return steps.map(step => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The top-level claim that a name refers to, if it is not nested: `/sub` is `sub`. Pure. */
export function topLevelClaim(name: string): string | undefined {
  const [claim, ...nested] = claimPath(name);
  return nested.length === 0 ? claim : undefined;
}
