/**
 * An identity deploys and reads, but does not manage people. A deployer is limited to single environments: there it may
 * do what its access says in the operations whose contract admits deployers, whatever the environment's type. Everywhere
 * else it is a viewer.
 */
export const identityRoles = ['deployer', 'developer', 'viewer'] as const;
export type IdentityRole = (typeof identityRoles)[number];

/** As many as an environment and the layers below it usually are. */
export const maximumIdentityEnvironments = 5;

/** `full` is for people. */
export const identityAccesses = ['names', 'read', 'write'] as const;

/** The next token revokes the oldest. Enough for the jobs and containers that use one identity at the same time. */
export const maximumLiveTokens = 100;

export const maximumTokenMinutes = 60;

/** How old an assertion may be, unless the identity says otherwise. */
export const defaultAssertionAgeMinutes = 10;

/** The longest age that an identity can allow. Google's metadata server returns the same token for up to an hour. */
export const maximumAssertionAgeMinutes = 60;

/** Few enough to list in one request. */
export const maximumIdentities = 50;

/** The only `aud` that an identity accepts. Clients derive it from the identity's id. */
export function audienceOf(identityId: string): string {
  return `holdfast:identity:${identityId}`;
}

/** How far the clocks of an issuer and the service may differ. */
export const clockSkewSeconds = 60;

/** The key types (RFC 7517, RFC 8037) that verify RS256, ES256, ES384 and EdDSA. */
export const keyTypes = ['RSA', 'EC', 'OKP'] as const;
