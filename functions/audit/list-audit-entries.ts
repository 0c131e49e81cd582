import { endpoint } from '#lib/api/endpoint.ts';
import { listAuditEntries as contract } from '#lib/contracts/audit/list-audit-entries.ts';
import { searchEntries } from '#lib/evidence/search-entries.ts';

export const handler = endpoint(contract, {
  run: async ({ context, query }) => ({ body: await searchEntries(context, query) }),
});
