import { endpoint } from '../../lib/api/endpoint.ts';
import { listAuditEntries } from '../../lib/audit/list-audit-entries.ts';
import { listAuditEntries as contract } from '../../lib/contracts/audit/list-audit-entries.ts';

export const handler = endpoint(contract, {
  run: async ({ context, query }) => ({ body: await listAuditEntries(context.organization.id, query) }),
});
