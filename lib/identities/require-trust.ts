import { invalidRequest } from '../core/errors.ts';
import { isAllowedPlain, targetProblem } from '../outbound/target.ts';
import type { IdentityRecord } from '../table/records/identity.ts';
import { claimsProblem } from './shared-issuers.ts';

type Trust = Pick<IdentityRecord, 'issuer' | 'claims' | 'jwks'>;

/**
 * Rules that not even owners may relax. @throws invalid_request if the service must not fetch from that issuer URL, or
 * if strangers could satisfy the claims
 */
export function requireTrust({ issuer, claims, jwks }: Trust): void {
  const problems = [
    { path: 'issuer', message: issuerProblem(issuer, jwks !== null) },
    { path: 'claims', message: claimsProblem(issuer, claims) },
  ].filter((problem): problem is { path: string; message: string } => problem.message !== undefined);
  if (problems.length > 0) throw invalidRequest(problems);
}

/** With keys, the issuer doesn't have to be reachable: a cluster's issuer is often a name in its own network. */
function issuerProblem(issuer: string, hasKeys: boolean): string | undefined {
  if (!hasKeys) return targetProblem(issuer);
  const url = URL.parse(issuer);
  return url?.protocol === 'http:' && !isAllowedPlain(url) ? 'must be an https URL' : undefined;
}
