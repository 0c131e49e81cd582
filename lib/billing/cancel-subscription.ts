import type { Log } from '../core/logger.ts';
import type { OrganizationRecord } from '../table/records/organization.ts';
import { endSubscription } from './provider.ts';

/**
 * Ends the subscription of an organization that is being erased: no one could reach it afterwards. The erasure does not
 * wait for a provider that refuses. The log then names the subscription, and an operator cancels it by hand.
 */
export async function cancelSubscription({ id, billing }: OrganizationRecord, log: Log): Promise<void> {
  const isAlive = billing?.status === 'active' || billing?.status === 'past_due';
  if (!isAlive || billing.subscriptionId === null) return;
  try {
    await endSubscription(billing.subscriptionId);
    log.info('cancelled the subscription of an erased organization', { organizationId: id });
  } catch (error) {
    const { subscriptionId } = billing;
    log.error('the subscription of an erased organization goes on: cancel it at the provider', error, {
      organizationId: id,
      subscriptionId,
    });
  }
}
