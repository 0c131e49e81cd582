import { claimPath, topLevelClaim } from '../contracts/fields/claim-path.ts';
import type { IdentityRecord } from '../table/records/identity.ts';

type Claims = Readonly<Record<string, unknown>>;

/**
 * The claims that say what started a job, by platform: GitHub and Forgejo, GitLab, Woodpecker, Semaphore, Buildkite,
 * and names that others might use. Other claims are not searched, because a branch or a workflow can have any name.
 */
const eventClaims: ReadonlySet<string> = new Set([
  'event_name',
  'event',
  'event_type',
  'pipeline_source',
  'pipeline_event',
  'ref_type',
  'build_source',
  'build_reason',
  'trigger',
  'trigger_type',
]);

/**
 * The names of claims that don't match the identity's requirements. Claims are compared as exact strings; a number, a
 * flag, a list or an object never matches. Pull and merge request events run a stranger's code, so they are rejected unless
 * the identity names them. Pure.
 */
export function mismatchedClaims(claims: Claims, demanded: IdentityRecord['claims']): string[] {
  const mismatched = Object.entries(demanded)
    .filter(([name, accepted]) => {
      const value = claimAt(claims, name);
      return typeof value !== 'string' || ![accepted].flat().includes(value);
    })
    .map(([name]) => name);
  const named = new Set(Object.keys(demanded).map(topLevelClaim));
  const events = Object.keys(claims).filter(
    name => eventClaims.has(name.toLowerCase()) && !named.has(name) && !isOrdinaryEvent(claims[name]),
  );
  return [...mismatched, ...events];
}

/** GitHub's `pull_request_target`, GitLab's `merge_request_event` and `external_pull_request_event`, `pull-request`, … */
function isOrdinaryEvent(event: unknown): boolean {
  return typeof event === 'string' && !/(?:pull|merge)[^a-z]*request/i.test(event);
}

/** The claim with that name, or the nested claim that a JSON pointer (RFC 6901) refers to. */
function claimAt(claims: Claims, name: string): unknown {
  return claimPath(name).reduce<unknown>(
    (value, step) =>
      typeof value === 'object' && value !== null && !Array.isArray(value) && Object.hasOwn(value, step)
        ? (value as Claims)[step]
        : undefined,
    claims,
  );
}
