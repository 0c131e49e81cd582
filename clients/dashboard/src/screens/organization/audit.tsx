import { auditActions } from 'virtual:contracts';
import type { OwnOrganization } from '../../../../../lib/contracts/auth/get-current-user.ts';
import { call } from '../../api.ts';
import { useLoad } from '../../load.ts';
import { navigate, pathname, searchParameters } from '../../router.ts';
import { Await } from '../../ui/await.tsx';
import { Empty } from '../../ui/empty.tsx';
import { ForRoles } from '../../ui/for-roles.tsx';
import type { OrganizationProps } from '../../ui/in-organization.tsx';
import { Page } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import { Select } from '../../ui/select.tsx';
import { AuditEntryLine } from './audit-entry.tsx';
import '../../ui/journal.css';

const pageSize = 50;

export function Audit({ organization }: OrganizationProps) {
  return (
    <ForRoles organization={organization} operation="list-audit-entries" heading="Audit" doing="see the audit log">
      <AuditLog organization={organization} />
    </ForRoles>
  );
}

/** The filter and the page are part of the URL, so that they can be linked. */
function addressed() {
  const query = searchParameters();
  return {
    action: auditActions.find(name => name === query.get('action')),
    offset: Math.max(0, Number.parseInt(query.get('offset') ?? '0', 10) || 0),
  };
}

function go({ action = '', offset = 0 }: { action?: string | undefined; offset?: number }): void {
  const entries = [...(action === '' ? [] : [['action', action]]), ...(offset === 0 ? [] : [['offset', `${offset}`]])];
  navigate(entries.length === 0 ? pathname() : `${pathname()}?${new URLSearchParams(entries)}`);
}

function AuditLog({ organization }: { organization: OwnOrganization }) {
  const { action, offset } = addressed();
  const page = useLoad(`${organization.id} ${action} ${offset}`, signal =>
    call('GET /v1/audit/{orgId}', {
      params: { orgId: organization.id },
      query: { limit: pageSize, offset, action },
      signal,
    }),
  );
  return (
    <Page
      title={`Audit · ${organization.name}`}
      heading="Audit"
      lead="Every change, and every read of values. The log never contains a value."
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
        {({ entries, pagination }) => (
          <>
            {entries.length === 0 && <Empty title="No entries." />}
            <ol class="journal">
              {entries.map(entry => (
                <AuditEntryLine key={entry.id} entry={entry} />
              ))}
            </ol>
            <Pager
              offset={offset}
              shown={entries.length}
              total={pagination.total}
              size={pageSize}
              names={['Newer', 'Older']}
              onGo={to => go({ action, offset: to })}
            />
          </>
        )}
      </Await>
    </Page>
  );
}
