/** The path of a required claim, a plain name or a JSON pointer (RFC 6901), as a list of names. Pure. */
export function claimPath(name: string): string[] {
  if (!name.startsWith('/')) return [name];
  return name
    .slice(1)
    .split('/')
    .map(step => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The top-level claim that a name refers to, if it is not nested: `/sub` is `sub`. Pure. */
export function topLevelClaim(name: string): string | undefined {
  const [claim, ...nested] = claimPath(name);
  return nested.length === 0 ? claim : undefined;
}
