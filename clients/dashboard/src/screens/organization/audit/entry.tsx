import type { AuditEntry } from '@holdfast/contracts/audit/list-audit-entries.ts';
import type { AuditDetails } from '@holdfast/contracts/fields/audit-action.ts';
import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { Time } from '../../../ui/time.tsx';
import { FilterLink } from './filter-link.tsx';
import { actorName, environmentOf, projectOf, tokenName } from './names.ts';

export function AuditEntryLine({ entry }: { entry: AuditEntry }) {
  const { action, revision, message, details, ip, userAgent } = entry;
  return (
    <li>
      <p class="when">
        <Time at={entry.createdAt} />
      </p>
      <div>
        <p>
          <strong class="mono">
            <FilterLink name="action" value={action}>
              {action}
            </FilterLink>
          </strong>{' '}
          <span class="quiet">
            <Target entry={entry} />
            {revision === undefined ? '' : ` at ${revision}`}
          </span>
        </p>
        <Keys keys={entry.keys ?? []} omitted={entry.keysOmitted ?? 0} />
        {message && <p class="message">“{message}”</p>}
        {details !== undefined && <p class="quiet mono">{describe(details)}</p>}
        <p class="quiet small">
          <Actor actor={entry.actor} />
          {ip && ` from ${ip}`}
          {userAgent && ` with ${userAgent}`}
        </p>
      </div>
    </li>
  );
}

function Target({ entry }: { entry: AuditEntry }) {
  const project = projectOf(entry);
  const environment = environmentOf(entry);
  const isPlace = entry.target.type === 'project' || entry.target.type === 'environment';
  return (
    <>
      {project !== undefined && (
        <FilterLink name="project" value={project.id}>
          {project.slug}
        </FilterLink>
      )}
      {project !== undefined && (environment !== undefined || !isPlace) && ' / '}
      {!isPlace && entry.target.name}
      {!isPlace && environment !== undefined && ' / '}
      {environment !== undefined && (
        <FilterLink name="environment" value={environment.id}>
          {environment.slug}
        </FilterLink>
      )}
    </>
  );
}

function Actor({ actor }: { actor: AuditEntry['actor'] }) {
  const { id, type, tokenId } = actor;
  if (id === null) return <>{actorName(actor) ?? 'the system'}</>;
  return (
    <>
      {type === 'identity' && 'the identity '}
      <FilterLink name="actor" value={id}>
        {actorName(actor)}
      </FilterLink>
      {tokenId !== undefined && (
        <>
          {' by the token '}
          <FilterLink name="tokenId" value={tokenId}>
            {tokenName(actor)}
          </FilterLink>
        </>
      )}
    </>
  );
}

const shownKeys = 8;

/** The keys in an entry. The log truncates long lists. */
function Keys({ keys, omitted }: { keys: readonly string[]; omitted: number }) {
  const [open, setOpen] = useState(false);
  if (keys.length === 0) return null;
  const more = keys.length - shownKeys + omitted;
  return (
    <p class="mono keys">
      {(open ? keys : keys.slice(0, shownKeys)).map((key, index) => (
        <Fragment key={key}>
          {index > 0 && '  '}
          <FilterLink name="key" value={key}>
            {key}
          </FilterLink>
        </Fragment>
      ))}
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
