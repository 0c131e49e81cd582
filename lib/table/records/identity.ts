import * as z from 'zod';
import { identityAccesses, identityRoles, keyTypes } from '../../contracts/fields/identity-limits.ts';
import { entity } from '../entity.ts';
import { keys } from '../keys.ts';

const rights = {
  id: z.string(),
  name: z.string(),
  access: z.enum(identityAccesses),
  role: z.enum(identityRoles),
  projectId: z.string().nullable(),
  environmentId: z.string().nullable(),
  /** Renewed with what its tokens are issued for; tokens that name an earlier one have ended. */
  trustId: z.string(),
  createdAt: z.string(),
};

/** What a request with a token of an identity needs to know of it. */
export const identityRightsRecord = /* @__PURE__ */ entity({
  kind: 'identity',
  key: keys.identity,
  schema: /* @__PURE__ */ z.object(rights),
});

export type IdentityRights = ReturnType<typeof identityRightsRecord.parse>;

/** A public key of an issuer (RFC 7517), as far as verifying needs it. */
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
export const identityRecord = /* @__PURE__ */ entity({
  kind: 'identity',
  key: keys.identity,
  schema: /* @__PURE__ */ z.object({
    ...rights,
    organizationId: z.string(),
    issuer: z.string(),
    claims: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
    tokenMinutes: z.int(),
    /** null: they are fetched from the issuer. */
    jwks: z.object({ keys: z.array(VerificationKey) }).nullable(),
    /** Who made it; null for one from before that was kept. */
    createdBy: z.object({ id: z.string(), email: z.string() }).nullable().default(null),
    updatedAt: z.string(),
    lastUsedAt: z.string().nullable(),
  }),
});

export type IdentityRecord = ReturnType<typeof identityRecord.parse>;
