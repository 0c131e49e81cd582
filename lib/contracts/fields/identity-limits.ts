/** An identity is never an owner or admin: it deploys and reads, but does not manage people. */
export const identityRoles = ['developer', 'viewer'] as const;

/** What its tokens may do; `full` is for people. */
export const identityAccesses = ['read', 'write'] as const;

/** Enough for all of an organization's pipelines, and few enough to list in one request. */
export const maximumIdentities = 50;

/** The only `aud` that an identity accepts. Clients derive it from the identity's id. */
export function audienceOf(identityId: string): string {
  return `holdfast:identity:${identityId}`;
}

/** The key types (RFC 7517, RFC 8037) that verify RS256, ES256, ES384 and EdDSA. */
export const keyTypes = ['RSA', 'EC', 'OKP'] as const;
