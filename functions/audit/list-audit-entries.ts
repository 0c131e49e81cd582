import { endpoint } from '#lib/api/endpoint.ts';
import { searchEntries } from '#lib/audit/search-entries.ts';
import { listAuditEntries as contract } from '#lib/contracts/audit/entries.ts';
import { logContext } from '#lib/exposure/log-context.ts';

export const handler = endpoint(contract, {
  run: async ({ context, query }) => ({ body: await searchEntries(logContext(context), query) }),
});
