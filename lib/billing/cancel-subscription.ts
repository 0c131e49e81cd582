import type { Log } from '../core/logger.ts';
import type { OrganizationRecord } from '../table/records/organization.ts';
import { endSubscription } from './provider.ts';

/**
 * Cancels the subscription of an organization that is being erased, because no user could cancel it afterwards. If the
 * provider refuses, the erasure continues, and the log names the subscription so that an operator can cancel it by
 * hand.
 */
export async function cancelSubscription({ id, billing }: OrganizationRecord, log: Log): Promise<void> {
  const isAlive = billing?.status === 'active' || billing?.status === 'past_due';
  if (!isAlive || billing.subscriptionId === null) return;
  try {
    await endSubscription(billing.subscriptionId);
    log.info('cancelled the subscription of an erased organization', { organizationId: id });
  } catch (error) {
    const { subscriptionId } = billing;
    log.error('the subscription of an erased organization is still active: cancel it at the provider', error, {
      organizationId: id,
      subscriptionId,
    });
  }
}
