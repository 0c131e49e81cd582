import { topLevelClaim } from '../contracts/fields/match-claims.ts';
import type { IdentityRecord } from '../table/records/identity.ts';
import { claimsOfOwner } from './shared-issuers.ts';

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
