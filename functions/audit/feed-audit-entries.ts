import { endpoint } from '#lib/api/endpoint.ts';
import { feedEntries } from '#lib/audit/feed-entries.ts';
import { feedAuditEntries as contract } from '#lib/contracts/audit/entries.ts';
import { readKeyChanges } from '#lib/secrets/engine/key-versions.ts';

export const handler = endpoint(contract, {
  run: async ({ context, query }) => ({ body: await feedEntries({ ...context, readKeyChanges }, query) }),
});
