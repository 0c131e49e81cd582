import * as z from 'zod';
import {
  defaultAssertionAgeMinutes,
  identityAccesses,
  identityRoles,
  keyTypes,
} from '../../contracts/fields/identity-limits.ts';
import { ExpiresAt, entity } from '../entity.ts';
import { keys } from '../keys.ts';

const IdentityEnvironment = /* @__PURE__ */ z.object({ id: z.string(), projectId: z.string() });
export type IdentityEnvironment = z.infer<typeof IdentityEnvironment>;

const rights = {
  id: z.string(),
  name: z.string(),
  access: z.enum(identityAccesses),
  role: z.enum(identityRoles),
  projectId: z.string().nullable(),
  environmentId: z.string().nullable(),
  /** The only environments that it can access, if it is limited to several. The two limits above are null then. */
  environments: z.array(IdentityEnvironment).optional(),
  /** Renewed when the conditions for its tokens change; tokens issued under an earlier one are no longer valid. */
  trustId: z.string(),
  createdAt: z.string(),
};

/** Code that doesn't know the environments would let an identity access all of them. */
const formats = { upgrades: [['environments']] } as const;

/** The part of an identity that requests with its tokens need. */
export const identityRightsRecord = /* @__PURE__ */ entity('identity', keys.identity, rights, formats);
export type IdentityRights = ReturnType<typeof identityRightsRecord.parse>;

/** A public key of an issuer (RFC 7517), with the members that verification needs. */
export const VerificationKey = /* @__PURE__ */ z.object({
  kty: z.enum(keyTypes),
  kid: z.string().optional(),
  alg: z.string().optional(),
  crv: z.string().optional(),
  x: z.string().optional(),
  y: z.string().optional(),
  n: z.string().optional(),
  e: z.string().optional(),
});
export type VerificationKey = z.infer<typeof VerificationKey>;

/** A pipeline or workload that signs in with a token of its platform. */
export const identityRecord = /* @__PURE__ */ entity(
  'identity',
  keys.identity,
  {
    ...rights,
    organizationId: z.string(),
    issuer: z.string(),
    claims: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
    singleUse: z.boolean().default(true),
    maxAssertionAgeMinutes: z.int().default(defaultAssertionAgeMinutes),
    tokenMinutes: z.int(),
    jwks: z.object({ keys: z.array(VerificationKey) }).nullable(),
    createdBy: z.object({ id: z.string(), email: z.string() }).nullable().default(null),
    /** Who last changed the conditions for its tokens. */
    trustedBy: z.object({ id: z.string(), email: z.string() }).optional(),
    updatedAt: z.string(),
    lastUsedAt: z.string().nullable(),
    tokensEndedAt: z.string().optional(),
  },
  formats,
);
export type IdentityRecord = ReturnType<typeof identityRecord.parse>;

/** The tokens of an identity that may still be valid. Counting token items would read those not yet removed, too. */
export const liveTokensRecord = /* @__PURE__ */ entity('liveTokens', keys.liveTokens, {
  /** By the token's hash: when it was issued and when it expires, in epoch milliseconds. */
  tokens: z.record(z.string(), z.tuple([z.number(), z.number()])),
  count: z.int(),
  expiresAt: ExpiresAt,
});
export type LiveTokensRecord = ReturnType<typeof liveTokensRecord.parse>;

/** An issuer's token that has been exchanged or rejected. Kept until the token is too old to be used. */
export const assertionRecord = /* @__PURE__ */ entity('assertion', keys.assertion, {
  identityId: z.string(),
  expiresAt: ExpiresAt,
});
export type AssertionRecord = ReturnType<typeof assertionRecord.parse>;

/** What a sign-in needs of an issuer's discovery document. */
export const ProviderEndpoints = z.object({
  authorization: z.string(),
  token: z.string(),
  userinfo: z.string().optional(),
  /** Whether it names itself in its responses (RFC 9207). */
  sendsIssuer: z.boolean(),
  clientAuthentication: z.enum(['client_secret_basic', 'client_secret_post']),
});
export type ProviderEndpoints = z.output<typeof ProviderEndpoints>;

/** The keys of an issuer and the last fetch, shared by all identities of the issuer. */
export const issuerKeysRecord = entity('issuerKeys', keys.issuerKeys, {
  issuer: z.string(),
  keys: z.array(VerificationKey),
  /** The addresses of an issuer at which people sign in; a platform's issuer has none. */
  endpoints: ProviderEndpoints.optional(),
  fetchedAtMs: z.int(),
  /** The start and end of the last fetch; without an end, it is still in progress. */
  triedAtMs: z.int(),
  endedAtMs: z.int(),
  /** Distinguishes the fetch from another process's in the same millisecond. */
  fetchId: z.string(),
  problem: z.string().optional(),
  expiresAt: ExpiresAt,
});
export type IssuerKeysRecord = ReturnType<typeof issuerKeysRecord.parse>;
