import type { Key } from '../table/entity.ts';
import { ranges } from '../table/keys.ts';
import { queryPage } from '../table/read.ts';
import { remove, type Write } from '../table/write.ts';

/** The sender keeps fewer log entries than this, and this many fit in the transaction. */
const loggedAtMost = 80;

/**
 * The writes that remove a webhook's log, for the transaction that deletes the webhook: only it leads to the entries.
 */
export async function removeLog(webhookId: string): Promise<Write[]> {
  const { items } = await queryPage({
    ...ranges.deliveries(webhookId),
    attributes: ['pk', 'sk'],
    pageSize: loggedAtMost,
  });
  return (items as unknown as Key[]).map(key => remove({ key }));
}
