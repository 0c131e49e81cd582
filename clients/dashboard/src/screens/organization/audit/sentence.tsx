import type { AuditEntry } from '@holdfast/contracts/audit/entries.ts';
import type { AuditAction } from '@holdfast/contracts/fields/audit-action.ts';
import { count } from '../../../ui/count.ts';
import { FilterLink } from './filter-link.tsx';
import { actorName, environmentOf, projectOf } from './names.ts';

/** What each action says after the actor's name. */
const sentences: Readonly<Record<AuditAction, string>> = {
  'secret.pulled': 'read {keys} in {place}',
  'secret.history_read': 'read the history of {keys} in {place}',
  'secret.compared': 'compared {keys} in {place}',
  'secret.created': 'created {keys} in {place}',
  'secret.updated': 'changed {keys} in {place}',
  'secret.deleted': 'deleted {keys} in {place}',
  'secret.promoted': 'promoted {keys} to {place}',
  'secret.bulk_set': 'imported {keys} into {place}',
  'secret.bulk_delete': 'deleted {keys} in {place}',
  'secret.changed': 'changed {keys} in {place}',
  'secret.restored': 'restored {keys} in {place}',
  'secret.version_destroyed': 'destroyed versions of {keys} in {place}',
  'project.created': 'created the project {place}',
  'project.updated': 'changed the project {place}',
  'project.deleted': 'deleted the project {place}',
  'project.key_rotated': 'rotated the key of {place}',
  'environment.created': 'created the environment {place}',
  'environment.updated': 'changed the environment {place}',
  'environment.deleted': 'deleted the environment {place}',
  'environment.validated': 'validated {keys} in {place}',
  'environment.repaired': 'repaired {keys} in {place}',
  'template_key.added': 'added {target} to the template',
  'template_key.updated': 'changed {target} in the template',
  'template_key.removed': 'removed {target} from the template',
  'webhook.created': 'created the webhook {target}',
  'webhook.updated': 'changed the webhook {target}',
  'webhook.deleted': 'deleted the webhook {target}',
  'webhook.tested': 'sent a test ping to {target}',
  'webhook.redelivered': 'sent a delivery to {target} again',
  'member.invited': 'invited {target}',
  'member.invitation_cancelled': 'cancelled the invitation of {target}',
  'member.joined': 'joined the organization',
  'member.role_changed': 'changed the role of {target}',
  'member.removed': 'removed {target} from the organization',
  'organization.created': 'created the organization {target}',
  'organization.updated': 'renamed the organization to {target}',
  'organization.limits_changed': 'changed the limits of {target}',
  'token.created': 'created the token “{target}”',
  'token.revoked': 'revoked the token “{target}”',
  'identity.created': 'created the identity {target}',
  'identity.updated': 'changed the identity {target}',
  'identity.deleted': 'deleted the identity {target}',
  'identity.token_issued': 'signed in',
  'identity.refused': 'was not allowed to sign in',
  'sign_in.configured': 'configured sign-in with {target}',
  'sign_in.domain_verified': 'verified a domain for sign-in with {target}',
  'sign_in.removed': 'removed sign-in with {target}',
  'sign_in.refused': 'rejected a sign-in with {target}',
  'billing.checkout_started': 'started a checkout for {target}',
  'billing.portal_opened': 'opened the billing portal of {target}',
  'billing.plan_changed': 'changed the plan of {target}',
};

/** An entry in words, such as “ada@example.com changed 3 secrets in web-shop / production”. */
export function Sentence({ entry }: { entry: AuditEntry }) {
  const { action, actor, target, revision } = entry;
  const hasLeft = action === 'member.removed' && actor.id === target.id;
  const text = hasLeft ? 'left the organization' : sentences[action];
  const isPlaceLeftOut = !text.includes('{place}') && (projectOf(entry) ?? environmentOf(entry)) !== undefined;
  const parts = `${text}${isPlaceLeftOut ? ' in {place}' : ''}`.split(/(\{\w+\})/);
  return (
    <>
      <Actor actor={actor} />{' '}
      {parts.map(part => {
        if (part === '{keys}') return <SecretsOf key={part} entry={entry} />;
        if (part === '{place}') return <Place key={part} entry={entry} />;
        return part === '{target}' ? target.name : part;
      })}
      {revision === undefined ? '' : ` at revision ${revision}`}
    </>
  );
}

function Actor({ actor }: { actor: AuditEntry['actor'] }) {
  if (actor.id === null) return <>{actorName(actor) ?? 'The service'}</>;
  return (
    <>
      {actor.type === 'identity' && 'The identity '}
      <FilterLink name="actor" value={actor.id}>
        {actorName(actor)}
      </FilterLink>
    </>
  );
}

function SecretsOf({ entry: { keys = [], keysOmitted = 0 } }: { entry: AuditEntry }) {
  const [key] = keys;
  const total = keys.length + keysOmitted;
  if (key === undefined || total !== 1) return <>{total === 0 ? 'all secrets' : count(total, 'secret')}</>;
  return (
    <span class="mono">
      <FilterLink name="key" value={key}>
        {key}
      </FilterLink>
    </span>
  );
}

function Place({ entry }: { entry: AuditEntry }) {
  const [project, environment] = [projectOf(entry), environmentOf(entry)];
  return (
    <>
      {project !== undefined && (
        <FilterLink name="project" value={project.id}>
          {project.slug}
        </FilterLink>
      )}
      {project !== undefined && environment !== undefined && ' / '}
      {environment !== undefined && (
        <FilterLink name="environment" value={environment.id}>
          {environment.slug}
        </FilterLink>
      )}
    </>
  );
}
