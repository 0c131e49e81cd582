import { auditActions } from 'virtual:contracts';
import { useState } from 'preact/hooks';
import type { AuditEntry } from '../../../../../lib/contracts/audit/audit-entry.ts';
import type { AuditAction, AuditDetails } from '../../../../../lib/contracts/fields/audit-action.ts';
import { call } from '../../api.ts';
import { useLoad } from '../../load.ts';
import { navigate, pathname, searchParameters } from '../../router.ts';
import { may, whoMay } from '../../session.ts';
import { Await } from '../../ui/await.tsx';
import { Empty } from '../../ui/empty.tsx';
import type { OrganizationProps } from '../../ui/in-organization.tsx';
import { Page } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import { Select } from '../../ui/select.tsx';
import { Time } from '../../ui/time.tsx';
import '../../ui/journal.css';

const pageSize = 50;

export function Audit({ organization }: OrganizationProps) {
  const allowed = may('list-audit-entries', organization.role);
  const query = searchParameters();
  const action = auditActions.find(name => name === query.get('action'));
  const offset = Math.max(0, Number.parseInt(query.get('offset') ?? '0', 10) || 0);
  const go = (next: { action?: string | undefined; offset?: number }) => {
    const entries = Object.entries({ action: next.action ?? '', offset: next.offset ? String(next.offset) : '' });
    const search = new URLSearchParams(entries.filter(([, value]) => value !== '')).toString();
    navigate(search === '' ? pathname() : `${pathname()}?${search}`);
  };
  const page = useLoad(`${organization.id} ${action} ${offset}`, async signal =>
    allowed
      ? call('GET /v1/audit/{orgId}', {
          params: { orgId: organization.id },
          query: { limit: pageSize, offset, action: action as AuditAction | undefined },
          signal,
        })
      : undefined,
  );
  if (!allowed)
    return (
      <Page title={`Audit · ${organization.name}`} heading="Audit">
        <Empty title={whoMay('list-audit-entries').replace('do this', 'see the audit log')} />
      </Page>
    );
  return (
    <Page
      title={`Audit · ${organization.name}`}
      heading="Audit"
      lead="Every change, and every read of values. It never holds a value."
    >
      <div class="filters">
        <Select
          label="Action"
          value={action ?? ''}
          options={[['', 'All actions'], ...auditActions.map(name => [name, name] as const)]}
          onChange={value => go({ action: value })}
        />
      </div>
      <Await of={page} rows={10}>
        {found =>
          found === undefined || found.entries.length === 0 ? (
            <Empty title="No entries." />
          ) : (
            <>
              <ol class="journal">
                {found.entries.map(entry => (
                  <Entry key={entry.id} entry={entry} />
                ))}
              </ol>
              <Pager
                offset={offset}
                shown={found.entries.length}
                total={found.pagination.total}
                size={pageSize}
                names={['Newer', 'Older']}
                onGo={to => go({ action, offset: to })}
              />
            </>
          )
        }
      </Await>
    </Page>
  );
}

const shownKeys = 8;

function Entry({ entry }: { entry: AuditEntry }) {
  const [open, setOpen] = useState(false);
  const keys = entry.keys ?? [];
  const more = keys.length - shownKeys + (entry.keysOmitted ?? 0);
  return (
    <li>
      <p class="when">
        <Time at={entry.createdAt} />
      </p>
      <div>
        <p>
          <strong class="mono">{entry.action}</strong>{' '}
          <span class="quiet">
            {[entry.target.name, entry.environment?.slug].filter(Boolean).join(' / ')}
            {entry.revision === undefined ? '' : ` at ${entry.revision}`}
          </span>
        </p>
        {keys.length > 0 && (
          <p class="mono keys">
            {(open ? keys : keys.slice(0, shownKeys)).join('  ')}
            {more > 0 && !open && (
              <button type="button" class="link" onClick={() => setOpen(true)}>
                and {more} more
              </button>
            )}
            {open && (entry.keysOmitted ?? 0) > 0 && ` and ${entry.keysOmitted} more`}
          </p>
        )}
        {entry.message && <p class="message">“{entry.message}”</p>}
        {entry.details !== undefined && <p class="quiet mono">{describe(entry.details)}</p>}
        <p class="quiet small">
          {entry.actor.email ?? entry.actor.name ?? 'the system'}
          {entry.actor.type === 'token' && ' by token'}
          {entry.ip !== null && ` from ${entry.ip}`}
        </p>
      </div>
    </li>
  );
}

function describe(details: AuditDetails): string {
  return Object.entries(details)
    .map(([name, value]) => `${name}: ${inWords(value)}`)
    .join(', ');
}

/** A changed field is told as what it was and is, what was promoted as a moment of its environment. */
function inWords(value: AuditDetails[string]): string {
  if (value === null) return 'none';
  if (typeof value !== 'object') return String(value);
  if ('from' in value && 'to' in value) return `${inWords(value.from ?? null)} → ${inWords(value.to ?? null)}`;
  if ('slug' in value && 'revision' in value) return `${value.slug}@${value.revision}`;
  return JSON.stringify(value);
}
