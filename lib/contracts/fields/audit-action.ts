import * as z from 'zod';
import { eventNames } from './events.ts';

/** How the actor authenticated; `system` if the service acted on its own. */
export const actorTypes = ['session', 'token', 'identity', 'system'] as const;

export const targetTypes = [
  'organization',
  'project',
  'environment',
  'template_key',
  'webhook',
  'member',
  'invitation',
  'token',
  'identity',
  'sign_in',
] as const;

/** Everything the audit log of an organization records: each change and each use of values. */
export const auditActions = [
  'secret.pulled',
  'secret.history_read',
  'secret.compared',
  ...eventNames,
  'secret.changed',
  'secret.restored',
  'secret.version_destroyed',
  'secret.approval_bypassed',
  'proposal.created',
  'proposal.read',
  'proposal.approved',
  'proposal.rejected',
  'proposal.withdrawn',
  'proposal.applied',
  'proposal.expired',
  'proposal.progressed',
  'project.created',
  'project.updated',
  'project.deleted',
  'project.restored',
  'project.erased',
  'project.key_rotated',
  'environment.created',
  'environment.updated',
  'environment.deleted',
  'environment.restored',
  'environment.erased',
  'environment.validated',
  'environment.repaired',
  'template_key.added',
  'template_key.updated',
  'template_key.removed',
  'webhook.created',
  'webhook.updated',
  'webhook.deleted',
  'webhook.tested',
  'webhook.redelivered',
  'member.invited',
  'member.invitation_cancelled',
  'member.joined',
  'member.role_changed',
  'member.projects_changed',
  'member.removed',
  'grant.requested',
  'grant.created',
  'grant.ended',
  'grant.refused',
  'organization.created',
  'organization.updated',
  'organization.restored',
  'organization.exported',
  'organization.imported',
  'token.created',
  'token.revoked',
  'identity.created',
  'identity.updated',
  'identity.deleted',
  'identity.token_issued',
  'identity.refused',
  'sign_in.configured',
  'sign_in.domain_verified',
  'sign_in.removed',
  'sign_in.refused',
  'billing.checkout_started',
  'billing.portal_opened',
  'billing.plan_changed',
  'organization.limits_changed',
  'organization.networks_changed',
  'organization.recovery_started',
  'organization.recovery_approved',
  'organization.recovery_completed',
  'organization.recovery_stopped',
] as const;
export const AuditAction = z
  .enum(auditActions)
  .meta({ id: 'AuditAction', description: 'The action.', example: 'secret.pulled' });
export type AuditAction = z.infer<typeof AuditAction>;

/** The actions that use values and change nothing. */
export const readingActions = [
  'secret.pulled',
  'secret.history_read',
  'secret.compared',
  'proposal.read',
  'environment.validated',
  'organization.exported',
] as const satisfies readonly AuditAction[];

const DetailValue = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** Details of the change. Never contains the value of a secret. */
export const AuditDetails = z
  .record(z.string(), z.union([DetailValue, z.array(z.string()), z.record(z.string(), DetailValue)]))
  .meta({
    description: 'What changed: `from` and `to`, limits, a pattern, a restored revision, a promoted environment.',
    example: { from: 'viewer', to: 'developer' },
  });
export type AuditDetails = z.infer<typeof AuditDetails>;
