import { listAuditEntries as contract } from '../../lib/audit/contracts.ts';
import { listAuditEntries } from '../../lib/audit/list-audit-entries.ts';
import { endpoint } from '../../lib/http/endpoint.ts';

export const handler = endpoint(contract, {
  run: async ({ access, query }) => ({
    status: 200,
    body: await listAuditEntries(access.organization.id, query),
  }),
});
