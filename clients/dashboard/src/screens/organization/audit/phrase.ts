import type { AuditEntry } from '@holdfast/contracts/audit/entries.ts';
import type { AuditAction } from '@holdfast/contracts/fields/audit-action.ts';

/**
 * What each action says after the actor's name. A part in brackets is about details of the entry, and left out without
 * them.
 */
export const sentences: Readonly<Record<AuditAction, string>> = {
  'secret.pulled': 'read {keys} in {place}',
  'secret.history_read': 'read the history of {keys} in {place}',
  'secret.compared': 'compared {keys} in {place}[ with {with}]',
  'secret.created': 'created {keys} in {place}',
  'secret.updated': 'changed {keys} in {place}',
  'secret.deleted': 'deleted {keys} in {place}',
  'secret.promoted': 'promoted {keys}[ from {from}] to {place}',
  'secret.bulk_set': 'imported {keys} into {place}',
  'secret.bulk_delete': 'deleted {keys} in {place}',
  'secret.changed': 'changed {keys} in {place}',
  'secret.restored': 'restored {keys} in {place}[ as in revision {restored}]',
  'secret.version_destroyed': 'destroyed versions[ {versions}] of {keys} in {place}',
  'secret.approval_bypassed': 'changed {keys} in {place} without approval[: {reason}]',
  'proposal.created': 'proposed to change {keys} in {place}',
  'proposal.read': 'read the values proposed for {keys} in {place}',
  'proposal.approved': 'approved a proposal[ by {author}] to change {keys} in {place}',
  'proposal.rejected': 'rejected a proposal[ by {author}] to change {keys} in {place}',
  'proposal.progressed': 'went on with the rotation of {keys} in {place}',
  'proposal.withdrawn': 'withdrew the proposal to change {keys} in {place}',
  'proposal.applied': 'applied a proposal[ by {author}] to change {keys} in {place}',
  'proposal.expired': 'closed a proposal[ by {author}] to change {keys} in {place}, which had expired',
  'project.created': 'created the project {place}',
  'project.updated': 'changed the project {place}',
  'project.deleted': 'deleted the project {place}',
  'project.restored': 'restored the deleted project {place}',
  'project.erased': 'erased the deleted project {place}',
  'project.key_rotated': 'rotated the key of {place}',
  'environment.created': 'created the environment {place}',
  'environment.updated': 'changed the environment {place}',
  'environment.deleted': 'deleted the environment {place}',
  'environment.restored': 'restored the deleted environment {place}',
  'environment.erased': 'erased the deleted environment {place}',
  'environment.validated': 'validated {keys} in {place}',
  'environment.repaired': 'repaired {keys} in {place}',
  'template_key.added': 'added {target} to the template',
  'template_key.updated': 'changed {target} in the template',
  'template_key.removed': 'removed {target} from the template',
  'webhook.created': 'created the webhook {target}',
  'webhook.updated': 'changed the webhook {target}',
  'webhook.deleted': 'deleted the webhook {target}',
  'webhook.tested': 'sent a test event to {target}',
  'webhook.redelivered': 'sent a delivery to {target} again',
  'member.invited': 'invited {target}[ as {role}]',
  'member.invitation_cancelled': 'cancelled the invitation of {target}',
  'member.joined': 'joined the organization[ as {role}][ through the {via}]',
  'member.role_changed': 'changed the role of {target}[ from {from} to {to}]',
  'member.projects_changed': 'changed the projects of {target}',
  'member.removed': 'removed {target} from the organization',
  'grant.requested': 'asked for[ {access}] access to {place}[ for {minutes} minutes]',
  'grant.created': 'gave {target}[ {access}] access to {place}[ for {minutes} minutes]',
  'grant.ended': 'ended the[ {access}] access of {target} to {place}',
  'grant.refused': 'refused {target}[ {access}] access to {place}',
  'organization.created': 'created the organization {target}',
  'organization.restored': 'restored the deleted organization',
  'organization.updated': 'renamed the organization to {target}',
  'organization.exported': 'exported {target}',
  'organization.imported': 'imported {target}',
  'organization.limits_changed': 'changed the limits of {target}',
  'organization.networks_changed': 'changed the networks from which {target} can be reached',
  'organization.recovery_started': 'started a recovery of {target}[, to make {newOwner} an owner]',
  'organization.recovery_approved': 'approved the recovery of {target}[, to make {newOwner} an owner]',
  'organization.recovery_completed': 'completed the recovery of {target}[ and made {newOwner} an owner]',
  'organization.recovery_stopped': 'stopped the recovery of {target}[ with the link mailed to {mailedTo}]',
  'token.created': 'created the token “{target}”',
  'token.revoked': 'revoked the token “{target}”',
  'identity.created': 'created the identity {target}',
  'identity.updated': 'changed the identity {target}',
  'identity.deleted': 'deleted the identity {target}',
  'identity.token_issued': 'signed in',
  'identity.refused': 'was not allowed to sign in',
  'sign_in.configured': 'configured sign-in with {target}',
  'sign_in.domain_verified': 'verified the domain[ {domain}] for sign-in with {target}',
  'sign_in.removed': 'removed sign-in with {target}',
  'sign_in.refused': 'rejected a sign-in with {target}',
  'billing.checkout_started': 'started a checkout for {target}',
  'billing.portal_opened': 'opened the billing portal of {target}',
  'billing.plan_changed': 'changed the plan of {target}[ from {from} to {to}]',
};

type Details = NonNullable<AuditEntry['details']>;

/** The sentence of an entry, and the details that it leaves unsaid. `{keys}`, `{place}` and `{target}` are links. Pure. */
export function phraseOf({ action, actor, target, details = {} }: AuditEntry): { text: string; unsaid: Details } {
  const hasLeft = action === 'member.removed' && actor.id === target.id;
  const said = new Set<string>();
  const inserted = (part: string) =>
    part.replace(/\{(\w+)\}/g, (whole, name: string) => {
      if (!Object.hasOwn(details, name)) return whole;
      said.add(name);
      return detailInWords(details[name] ?? null);
    });
  const text = (hasLeft ? 'left the organization' : sentences[action]).replace(/\[([^\]]*)\]/g, (_, part: string) => {
    const names = [...part.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    return names.every(name => Object.hasOwn(details, name)) ? inserted(part) : '';
  });
  return { text, unsaid: Object.fromEntries(Object.entries(details).filter(([name]) => !said.has(name))) };
}

/** Shows a changed field with its old and new value, and a promotion with its source environment and revision. */
export function detailInWords(value: Details[string]): string {
  if (value === null) return 'none';
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return value.join(', ');
  if ('from' in value && 'to' in value)
    return `${detailInWords(value.from ?? null)} → ${detailInWords(value.to ?? null)}`;
  if ('slug' in value && 'revision' in value) return `${value.slug}@${value.revision}`;
  return JSON.stringify(value);
}
