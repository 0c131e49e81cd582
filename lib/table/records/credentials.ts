import * as z from 'zod';
import { TokenAccess } from '../../contracts/fields/role.ts';
import { Bytes, ExpiresAt, entity } from '../entity.ts';
import { keys } from '../keys.ts';

/** The company's provider that a session came through, and the tokens created with the session. */
export const ViaProvider = z.object({
  organizationId: z.string(),
  orgSlug: z.string(),
  /** Of the issuer and client that it came through. Empty in older credentials, which count as another provider's. */
  clientVersion: z.string().default(''),
  /** Whether the provider reported a second factor that the organization trusts. It counts in that organization only. */
  trustedFactor: z.boolean(),
  /** Whether the account's own password or passkey was proved too. Absent: confined to the organization. */
  lifted: z.boolean().optional(),
  /** Written for the previous release, which requires it. */
  confined: z.boolean(),
});
export type ViaProvider = z.output<typeof ViaProvider>;

export const SessionProvider = ViaProvider.extend({
  /** Stands for the person at the provider (see `sign-in.ts`). */
  person: z.string(),
});
export type SessionProvider = z.output<typeof SessionProvider>;

export const sessionRecord = entity(
  'session',
  keys.session,
  {
    /** Of the session that a step-up replaced. Absent if there was none: then it follows from the secret's hash. */
    id: z.string().optional(),
    userId: z.string(),
    epoch: z.int(),
    createdAt: z.string(),
    lastUsedAt: z.string(),
    ip: z.string(),
    userAgent: z.string(),
    provedAt: z.string(),
    secondFactor: z.boolean(),
    /** The organizations whose required provider its log-in bypassed with a settled factor (see `break-glass.ts`). */
    brokeGlassIn: z.array(z.string()).optional(),
    /** The restored table in which the session began; absent in the installation's own table. */
    restoredTable: z.string().optional(),
    provider: SessionProvider.optional(),
    expiresAt: ExpiresAt,
  },
  { oldestFormat: 2, upgrades: [['provider', 'restoredTable']] },
);
export type SessionRecord = ReturnType<typeof sessionRecord.parse>;

/** A CLI token. One that is limited to an organization ends for good with the membership it was created under. */
export const tokenRecord = entity(
  'token',
  keys.token,
  {
    id: z.string(),
    userId: z.string(),
    email: z.string(),
    hash: z.string(),
    name: z.string(),
    prefix: z.string(),
    access: TokenAccess,
    organizationId: z.string().nullable(),
    projectId: z.string().nullable(),
    environmentId: z.string().nullable(),
    memberId: z.string().nullable(),
    /** Whether the session that created it used a second factor. Not stored in older tokens of identities. */
    secondFactor: z.boolean().default(false),
    provider: ViaProvider.optional(),
    createdAt: z.string(),
    lastUsedAt: z.string().nullable(),
    expiryDate: z.string().nullable(),
    expiresAt: ExpiresAt.optional(),
  },
  { upgrades: [['provider']] },
);
export type TokenRecord = ReturnType<typeof tokenRecord.parse>;

/** A dashboard-to-CLI code with the properties of its future token, which is created at the exchange. */
export const handOffRecord = entity(
  'handOff',
  keys.handoff,
  {
    userId: z.string(),
    sessionEpoch: z.int(),
    /** The session that requested the code, which ends with it. An older code names none, and is therefore rejected. */
    sessionHash: z.string().default(''),
    sessionId: z.string().optional(),
    secondFactor: z.boolean(),
    provider: ViaProvider.optional(),
    codeChallenge: z.string(),
    name: z.string(),
    access: TokenAccess,
    organizationId: z.string().nullable(),
    orgSlug: z.string().nullable(),
    memberId: z.string().nullable(),
    projectId: z.string().nullable(),
    environmentId: z.string().nullable(),
    expiresInDays: z.int().nullable(),
    expiresAt: ExpiresAt,
  },
  { upgrades: [['provider']] },
);

/** What a challenge can be used for. A challenge for another purpose is rejected. */
export const challengePurposes = ['log-in', 'passkey-log-in', 'step-up', 'new-passkey', 'provider-log-in'] as const;

/** An issued challenge. Answering removes it, so it is single-use. */
export const challengeRecord = entity(
  'challenge',
  keys.challenge,
  {
    purpose: z.enum(challengePurposes),
    /** The user who may answer; `nobody` for a log-in with only a passkey, where the answer names the user. */
    userId: z.string(),
    sessionEpoch: z.int(),
    /** For a log-in that began at a company's provider: the session that the account's own factor completes. */
    provided: z
      .object({
        clientVersion: z.string(),
        provider: SessionProvider,
        provedAt: z.string(),
        /** The person is no member yet, and joins the organization with this log-in. */
        joins: z.boolean().optional(),
        /** The rules that match, by their place in this version of the settings. Absent without rules. */
        rules: z.object({ version: z.string(), matched: z.array(z.int()) }).optional(),
        /** For a step-up: the session that the new one replaces, and when it started. */
        replaces: z.object({ id: z.string().optional(), hash: z.string(), createdAt: z.string() }).optional(),
      })
      .optional(),
    /** More precise than `expiresAt`. Absent: five minutes before that. */
    issuedAt: z.string().optional(),
    expiresAt: ExpiresAt,
  },
  { upgrades: [['provided']] },
);
export type ChallengeRecord = ReturnType<typeof challengeRecord.parse>;

/** The wrapped MAC key of sessions and tokens. One item, created with the first session or token. */
export const credentialKeyRecord = entity('credentialKey', keys.credentialKey, {
  wrapped: Bytes,
  /** The KMS key that wrapped the earlier one was lost. Code that doesn't know it rejects the credentials from before. */
  replacedAt: z.string().optional(),
});
