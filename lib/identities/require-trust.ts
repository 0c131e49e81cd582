import { topLevelClaim } from '../contracts/fields/claim-path.ts';
import { invalidRequest } from '../core/errors.ts';
import { settings } from '../core/settings.ts';
import { targetProblem } from '../deliveries/target.ts';
import type { IdentityRecord } from '../table/records/identity.ts';
import { claimsOfOwner } from './shared-issuers.ts';

type Trust = Pick<IdentityRecord, 'issuer' | 'claims' | 'jwks'>;

/**
 * Holds whom an identity trusts to what no owner or admin may loosen.
 * @throws invalid_request if the issuer's text alone shows that nothing may be fetched from it, or if strangers could meet
 * the claims
 */
export function requireTrust({ issuer, claims, jwks }: Trust): void {
  const problems = [
    { path: 'issuer', message: issuerProblem(issuer, jwks !== null) },
    { path: 'claims', message: claimsProblem(issuer, claims) },
  ].filter((problem): problem is { path: string; message: string } => problem.message !== undefined);
  if (problems.length > 0) throw invalidRequest(problems);
}

/** Keys that are given need no address that can be reached: the issuer of a cluster is often a name of its own network. */
function issuerProblem(issuer: string, hasKeys: boolean): string | undefined {
  const allowLoopback = settings().WEBHOOK_ALLOW_LOOPBACK;
  if (!hasKeys) return targetProblem(issuer, { allowLoopback });
  return issuer.startsWith('http:') && !allowLoopback ? 'must be an https URL' : undefined;
}

/** Which issuer, for whom, and about whom: none of these says which pipeline asks. The others differ in each token. */
const claimsThatProveLittle: ReadonlySet<string> = new Set(['iss', 'aud', 'sub', 'jti', 'exp', 'iat', 'nbf']);

/** Where a subject is all that a shared issuer says of its owner, it is enough. Pure. */
export function claimsProblem(issuer: string, claims: IdentityRecord['claims']): string | undefined {
  const names = Object.keys(claims).map(topLevelClaim);
  const ofOwner = claimsOfOwner(issuer);
  const onlySubjectBinds = ofOwner?.every(name => name === 'sub') === true;
  if (!onlySubjectBinds && names.every(name => name !== undefined && claimsThatProveLittle.has(name))) {
    return 'must demand at least one claim besides iss, aud and sub, such as repository_id';
  }
  if (ofOwner === undefined || names.some(name => name !== undefined && ofOwner.includes(name))) return undefined;
  const oneOf = ofOwner.length === 1 ? ofOwner[0] : `one of ${ofOwner.join(', ')}`;
  return `must demand ${oneOf}, because everybody can get tokens of this issuer`;
}
