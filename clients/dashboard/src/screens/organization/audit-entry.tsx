import { useState } from 'preact/hooks';
import type { AuditEntry } from '../../../../../lib/contracts/audit/list-audit-entries.ts';
import type { AuditDetails } from '../../../../../lib/contracts/fields/audit-action.ts';
import { Time } from '../../ui/time.tsx';

export function AuditEntryLine({ entry }: { entry: AuditEntry }) {
  const { action, target, environment, revision, message, details, actor, ip, userAgent } = entry;
  return (
    <li>
      <p class="when">
        <Time at={entry.createdAt} />
      </p>
      <div>
        <p>
          <strong class="mono">{action}</strong>{' '}
          <span class="quiet">
            {[target.name, environment?.slug].filter(Boolean).join(' / ')}
            {revision === undefined ? '' : ` at ${revision}`}
          </span>
        </p>
        <Keys keys={entry.keys ?? []} omitted={entry.keysOmitted ?? 0} />
        {message && <p class="message">“{message}”</p>}
        {details !== undefined && <p class="quiet mono">{describe(details)}</p>}
        <p class="quiet small">
          {whoOf(actor)}
          {ip && ` from ${ip}`}
          {userAgent && ` with ${userAgent}`}
        </p>
      </div>
    </li>
  );
}

/** Entries of earlier versions of the service have no name of a token, only its id. */
function whoOf({ type, id, email, name, tokenId }: AuditEntry['actor']): string {
  if (type === 'identity') return `the identity ${name ?? id}`;
  if (type !== 'token' || tokenId === undefined) return email ?? name ?? 'the system';
  return `${email} by the token ${name === undefined ? tokenId : `“${name}”`}`;
}

const shownKeys = 8;

/** The keys in an entry. The log truncates long lists. */
function Keys({ keys, omitted }: { keys: readonly string[]; omitted: number }) {
  const [open, setOpen] = useState(false);
  if (keys.length === 0) return null;
  const more = keys.length - shownKeys + omitted;
  return (
    <p class="mono keys">
      {(open ? keys : keys.slice(0, shownKeys)).join('  ')}
      {more > 0 && !open && (
        <button type="button" class="link" onClick={() => setOpen(true)}>
          and {more} more
        </button>
      )}
      {open && omitted > 0 && ` and ${omitted} more`}
    </p>
  );
}

function describe(details: AuditDetails): string {
  return Object.entries(details)
    .map(([name, value]) => `${name}: ${inWords(value)}`)
    .join(', ');
}

/** Shows a changed field with its old and new value, and a promotion with its source environment and revision. */
function inWords(value: AuditDetails[string]): string {
  if (value === null) return 'none';
  if (typeof value !== 'object') return String(value);
  if ('from' in value && 'to' in value) return `${inWords(value.from ?? null)} → ${inWords(value.to ?? null)}`;
  if ('slug' in value && 'revision' in value) return `${value.slug}@${value.revision}`;
  return JSON.stringify(value);
}
