import { invalidRequest } from '../core/errors.ts';
import { settings } from '../core/settings.ts';
import { targetProblem } from '../deliveries/target.ts';
import type { IdentityRecord } from '../table/records/identity.ts';

/**
 * Keys that are given need no address that can be reached: the issuer of a cluster is often a name of its own network.
 * @throws invalid_request if the issuer's text alone shows that nothing may be fetched from it
 */
export function requireIssuer({ issuer, jwks }: Pick<IdentityRecord, 'issuer' | 'jwks'>): void {
  const allowLoopback = settings().WEBHOOK_ALLOW_LOOPBACK;
  const isPlain = issuer.startsWith('http:') && !allowLoopback;
  const problem =
    jwks === null ? targetProblem(issuer, { allowLoopback }) : isPlain ? 'must be an https URL' : undefined;
  if (problem !== undefined) throw invalidRequest([{ path: 'issuer', message: problem }]);
}
