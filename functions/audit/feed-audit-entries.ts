import { endpoint } from '#lib/api/endpoint.ts';
import { feedEntries } from '#lib/audit/feed-entries.ts';
import { feedAuditEntries as contract } from '#lib/contracts/audit/entries.ts';
import { logContext } from '#lib/exposure/log-context.ts';

export const handler = endpoint(contract, {
  run: async ({ context, query }) => ({ body: await feedEntries(logContext(context), query) }),
});
