import { topLevelClaim } from '../contracts/fields/claim-path.ts';
import { invalidRequest } from '../core/errors.ts';
import { isAllowedPlain, targetProblem } from '../outbound/target.ts';
import type { IdentityRecord } from '../table/records/identity.ts';
import { claimsOfOwner } from './shared-issuers.ts';

type Trust = Pick<IdentityRecord, 'issuer' | 'claims' | 'jwks'>;

/**
 * Checks an identity's issuer and claims against rules that not even owners may relax.
 * @throws invalid_request if the service must not fetch from that issuer URL, or if strangers could satisfy the claims
 */
export function requireTrust({ issuer, claims, jwks }: Trust): void {
  const problems = [
    { path: 'issuer', message: issuerProblem(issuer, jwks !== null) },
    { path: 'claims', message: claimsProblem(issuer, claims) },
  ].filter((problem): problem is { path: string; message: string } => problem.message !== undefined);
  if (problems.length > 0) throw invalidRequest(problems);
}

/**
 * If keys are given, the issuer doesn't have to be reachable: a cluster's issuer is often a name in its own network.
 */
function issuerProblem(issuer: string, hasKeys: boolean): string | undefined {
  if (!hasKeys) return targetProblem(issuer);
  const url = URL.parse(issuer);
  return url?.protocol === 'http:' && !isAllowedPlain(url) ? 'must be an https URL' : undefined;
}

/** None of these identifies a pipeline: they name the issuer, audience and subject, or differ in each token. */
const claimsThatProveLittle: ReadonlySet<string> = new Set(['iss', 'aud', 'sub', 'jti', 'exp', 'iat', 'nbf']);

/** For shared issuers whose only claim about the owner is the subject, the subject suffices. Pure. */
export function claimsProblem(issuer: string, claims: IdentityRecord['claims']): string | undefined {
  const names = Object.keys(claims).map(topLevelClaim);
  const ofOwner = claimsOfOwner(issuer);
  const onlySubjectBinds = ofOwner?.every(name => name === 'sub') === true;
  if (!onlySubjectBinds && names.every(name => name !== undefined && claimsThatProveLittle.has(name))) {
    return 'must require at least one claim besides iss, aud and sub, such as repository_id';
  }
  if (ofOwner === undefined || names.some(name => name !== undefined && ofOwner.includes(name))) return undefined;
  const oneOf = ofOwner.length === 1 ? ofOwner[0] : `one of ${ofOwner.join(', ')}`;
  return `must require ${oneOf}, because anyone can get tokens from this issuer`;
}
