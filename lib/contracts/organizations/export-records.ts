import * as z from 'zod';
import { AuditEntry } from '../audit/entries.ts';
import { AllowedNetworks } from '../fields/allowed-networks.ts';
import { AuditAction } from '../fields/audit-action.ts';
import { EventName, WebhookFormat } from '../fields/events.ts';
import { identityAccesses, identityRoles, keyTypes } from '../fields/identity-limits.ts';
import { Claims } from '../fields/identity-rules.ts';
import { LimitOverrides, PlanName } from '../fields/limits.ts';
import { ProjectRole } from '../fields/project-role.ts';
import { proposalContents } from '../fields/proposal.ts';
import { EnvironmentType, Role } from '../fields/role.ts';
import { Email, SecretKey, SecretValue, Slug, Timestamp, Uuid } from '../fields/text.ts';
import { Rotation } from '../projects/projects.ts';
import { MaxAgeDays, RenewUrl } from '../templates/templates.ts';

/*
 * The lines of an organization's export (docs/organization-export.md). Ids, slugs and keys are validated as strictly as
 * in requests, because an import builds the keys of the table from them.
 */

/** A reader rejects a file with a higher format. */
export const exportFormat = 1;

/** People and identities as they were recorded, so that responses stay the same. */
const Person = z.strictObject({ id: Uuid, email: z.string().max(254) });

/** Exactly one of them: as it is, or sealed to the key of the header as a compact JWE. */
const plainOrSealed = { value: SecretValue.optional(), sealed: z.string().optional() };

const ExportHeader = z.strictObject({
  record: z.literal('export'),
  format: z.int(),
  organization: z.strictObject({ id: Uuid, slug: Slug, name: z.string() }),
  /** The audit entries go up to this time. */
  startedAt: Timestamp,
  values: z.enum(['plain', 'sealed']),
  /** The JWK thumbprint (RFC 7638, SHA-256) of the key that values are sealed to. */
  sealedTo: z.string().optional(),
});
export type ExportHeader = z.infer<typeof ExportHeader>;

const ExportedOrganization = z.strictObject({
  record: z.literal('organization'),
  id: Uuid,
  slug: Slug,
  name: z.string(),
  createdAt: Timestamp,
  plan: PlanName,
  limitOverrides: LimitOverrides,
  retentions: z.array(z.strictObject({ days: z.int(), untilMs: z.int() })),
  requireSecondFactor: z.boolean(),
  /** Only if there are any, so that an older reader rejects what it would not enforce. */
  allowedNetworks: AllowedNetworks.optional(),
  firstRevision: z.int(),
});

const ListedRole = z.strictObject({ projectId: Uuid, slug: Slug, role: ProjectRole });

/** Only if somebody has rights in projects, so that an older reader rejects what it would not enforce. */
const rightsInProjects = {
  limited: z.boolean().optional(),
  projectRoles: z.array(ListedRole).optional(),
};

/** Never an owner's: the next sign-in after an import could make one of them. */
const CompleteRights = z.strictObject({ role: ProjectRole, limited: z.boolean(), projectRoles: z.array(ListedRole) });

const ExportedMember = z.strictObject({
  record: z.literal('member'),
  id: Uuid,
  userId: Uuid,
  email: Email,
  name: z.string(),
  role: Role,
  ...rightsInProjects,
  joinedAt: Timestamp,
  /** Only if its sign-in provider made the membership, or added to it. */
  via: z.literal('provider').optional(),
  addedByRules: z.strictObject({ given: CompleteRights, made: CompleteRights }).optional(),
});

const ExportedRemovedMember = z.strictObject({
  record: z.literal('removed-member'),
  userId: Uuid,
  removedAt: Timestamp,
  byRules: z.literal(true).optional(),
});

const ExportedInvitation = z.strictObject({
  record: z.literal('invitation'),
  id: Uuid,
  email: Email,
  role: Role,
  ...rightsInProjects,
  invitedBy: Person,
  createdAt: Timestamp,
  expiryDate: Timestamp,
});

const ExportedProject = z.strictObject({
  record: z.literal('project'),
  id: Uuid,
  slug: Slug,
  name: z.string(),
  description: z.string().nullable(),
  keyVersion: z.int().min(1),
  rotation: Rotation.nullable(),
  firstRevision: z.int(),
  createdAt: Timestamp,
});

const ExportedTemplateKey = z.strictObject({
  record: z.literal('template-key'),
  projectId: Uuid,
  key: SecretKey,
  description: z.string().optional(),
  required: z.boolean(),
  pattern: z.string().optional(),
  owner: Uuid.optional(),
  tags: z.array(Slug).optional(),
  renewUrl: RenewUrl.optional(),
  maxAgeDays: MaxAgeDays.optional(),
  expiresAt: z.record(Uuid, Timestamp).optional(),
  note: z.string().optional(),
  createdAt: Timestamp,
});

/** Its changes follow, up to `revision`. */
const ExportedEnvironment = z.strictObject({
  record: z.literal('environment'),
  id: Uuid,
  projectId: Uuid,
  project: Slug,
  slug: Slug,
  name: z.string(),
  type: EnvironmentType,
  firstRevision: z.int(),
  revision: z.int(),
  approvals: z.int().optional(),
  createdAt: Timestamp,
});

/** Its versions follow. */
const ExportedChange = z.strictObject({
  record: z.literal('change'),
  revision: z.int(),
  action: AuditAction,
  changeId: z.string(),
  createdAt: Timestamp,
  createdBy: Person.nullable(),
  message: z.string().optional(),
  from: z.strictObject({ slug: Slug, revision: z.int() }).optional(),
  restored: z.int().optional(),
  proposal: z.strictObject({ id: Uuid, holds: z.enum(proposalContents) }).optional(),
  approvedBy: z.array(Person).optional(),
});

/** One key in a change. It has no value if the change deleted the key, or if the value was destroyed later. */
const ExportedVersion = z.strictObject({
  record: z.literal('version'),
  key: SecretKey,
  version: z.int().min(1),
  ...plainOrSealed,
  deleted: z.literal(true).optional(),
  destroyed: z.literal(true).optional(),
  /** Whether the value may name other keys. */
  expand: z.literal(true).optional(),
  keyCreatedAt: Timestamp,
  createdAt: Timestamp,
  createdBy: Person,
});

const ExportedRetiredSlug = z.strictObject({
  record: z.literal('retired-slug'),
  project: Slug,
  environment: Slug.optional(),
  type: EnvironmentType.optional(),
  retiredAt: Timestamp,
});

const Place = z.strictObject({ id: Uuid, slug: Slug });

const ExportedWebhook = z.strictObject({
  record: z.literal('webhook'),
  id: Uuid,
  url: z.string(),
  events: z.array(EventName),
  format: WebhookFormat.optional(),
  project: Place.nullable(),
  environment: Place.nullable(),
  projectId: Uuid.nullable(),
  environmentId: Uuid.nullable(),
  active: z.boolean(),
  /** The signing secret. */
  ...plainOrSealed,
  createdAt: Timestamp,
  createdBy: Person.nullable(),
  updatedAt: Timestamp,
});

const ExportedIdentity = z.strictObject({
  record: z.literal('identity'),
  id: Uuid,
  name: z.string(),
  access: z.enum(identityAccesses),
  role: z.enum(identityRoles),
  projectId: Uuid.nullable(),
  environmentId: Uuid.nullable(),
  environments: z.array(z.strictObject({ id: Uuid, projectId: Uuid })).optional(),
  issuer: z.string(),
  claims: Claims,
  singleUse: z.boolean(),
  maxAssertionAgeMinutes: z.int(),
  tokenMinutes: z.int(),
  jwks: z
    .strictObject({
      keys: z.array(
        z.strictObject({
          kty: z.enum(keyTypes),
          kid: z.string().optional(),
          alg: z.string().optional(),
          crv: z.string().optional(),
          x: z.string().optional(),
          y: z.string().optional(),
          n: z.string().optional(),
          e: z.string().optional(),
        }),
      ),
    })
    .nullable(),
  createdAt: Timestamp,
  createdBy: Person.nullable(),
  /** Who last changed whom it trusts. */
  trustedBy: Person.optional(),
  updatedAt: Timestamp,
  lastUsedAt: Timestamp.nullable(),
  tokensEndedAt: Timestamp.optional(),
});

const ExportedAuditEntry = z.strictObject({
  record: z.literal('audit-entry'),
  entry: AuditEntry,
  /** When its retention ends, in epoch seconds. */
  expiresAt: z.int().optional(),
});

export const ExportRecord = z.discriminatedUnion('record', [
  ExportHeader,
  ExportedOrganization,
  ExportedMember,
  ExportedRemovedMember,
  ExportedInvitation,
  ExportedProject,
  ExportedTemplateKey,
  ExportedEnvironment,
  ExportedChange,
  ExportedVersion,
  ExportedRetiredSlug,
  ExportedWebhook,
  ExportedIdentity,
  ExportedAuditEntry,
]);
export type ExportRecord = z.infer<typeof ExportRecord>;

/** The last line of a file, which whoever writes the file adds. */
export const ExportEnd = z.strictObject({
  record: z.literal('end'),
  /** The number of lines before it. */
  lines: z.int(),
  /** SHA-256, in hexadecimal, of the lines before it with their line breaks. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
