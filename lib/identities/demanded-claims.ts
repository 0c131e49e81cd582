import type { IdentityRecord } from '../table/records/identity.ts';

type Claims = Readonly<Record<string, unknown>>;

/**
 * The claims that do not have what the identity demands, by name. Claims are compared as strings, exactly; a number, a
 * flag, a list or an object is no match. An event of a pull request runs what a stranger wrote, so it is refused unless the
 * identity names it. Pure.
 */
export function mismatchedClaims(claims: Claims, demanded: IdentityRecord['claims']): string[] {
  const mismatched = Object.entries(demanded)
    .filter(([name, accepted]) => {
      const value = claimAt(claims, name);
      return typeof value !== 'string' || ![accepted].flat().includes(value);
    })
    .map(([name]) => name);
  const event = claimAt(claims, 'event_name');
  const isOrdinary = event === undefined || (typeof event === 'string' && !event.startsWith('pull_request'));
  return isOrdinary || Object.hasOwn(demanded, 'event_name') ? mismatched : [...mismatched, 'event_name'];
}

/** The claim of a name, or the one that a JSON pointer (RFC 6901) leads to through objects. */
function claimAt(claims: Claims, name: string): unknown {
  const steps = name.startsWith('/')
    ? name
        .slice(1)
        .split('/')
        .map(step => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    : [name];
  return steps.reduce<unknown>(
    (value, step) =>
      typeof value === 'object' && value !== null && !Array.isArray(value) && Object.hasOwn(value, step)
        ? (value as Claims)[step]
        : undefined,
    claims,
  );
}
