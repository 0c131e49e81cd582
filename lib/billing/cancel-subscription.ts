import type { Log } from '../core/logger.ts';
import type { OrganizationRecord } from '../table/records/organization.ts';
import { endSubscription } from './provider.ts';
import { liveSubscriptionOf } from './subscription-update.ts';

/**
 * Cancels the subscription of an organization that is being erased, because no user could cancel it afterwards. If the
 * provider refuses, the erasure continues, and the log names the subscription so that an operator can cancel it by
 * hand.
 */
export async function cancelSubscription(organization: OrganizationRecord, log: Log): Promise<void> {
  const subscriptionId = liveSubscriptionOf(organization);
  if (subscriptionId === undefined) return;
  const { id: organizationId } = organization;
  try {
    await endSubscription(subscriptionId);
    log.info('cancelled the subscription of an erased organization', { organizationId });
  } catch (error) {
    log.error('the subscription of an erased organization is still active: cancel it at the provider', error, {
      organizationId,
      subscriptionId,
    });
  }
}
