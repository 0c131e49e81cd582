import type { PlanName } from '../contracts/fields/limits.ts';
import type { BillingState, OrganizationRecord } from '../table/records/organization.ts';

/** What an event says about one subscription, in the service's terms. */
export interface SubscriptionUpdate {
  /** The provider's timestamp of the event in epoch seconds; it orders the events of one subscription. */
  created: number;
  /** null if the event names none; it then concerns the current subscription. */
  subscriptionId: string | null;
  customerId: string | null;
  /**
   * - `active`: paid for, or in a trial.
   * - `past_due`: a payment failed and the provider is still retrying; the plan stays.
   * - `suspended`: the provider stopped collecting payments, or the subscription is paused. It can resume, but the plan
   *   ends.
   * - `canceled`: ended permanently.
   * - `pending`: waiting for the first payment; nothing is granted or revoked.
   */
  state: 'active' | 'past_due' | 'suspended' | 'canceled' | 'pending';
  /** undefined if the event names none. */
  plan: PlanName | undefined;
  /** ISO 8601; undefined if the event does not say. */
  currentPeriodEnd: string | undefined;
  /** An invoice reports a payment, not the subscription's state, so it neither ends nor revives a subscription. */
  fromInvoice: boolean;
}

type Known = Pick<OrganizationRecord, 'plan' | 'planChangedAtMs' | 'billing'>;

export interface BillingChange {
  plan: PlanName;
  billing: BillingState;
}

/** The state of an organization that has never had a customer or a subscription. */
export const noBilling: BillingState = {
  customerId: null,
  subscriptionId: null,
  status: 'none',
  currentPeriodEnd: null,
  eventTimes: {},
};

/** An organization has one subscription at a time. The event times of this many are kept to recognize late events. */
const rememberedSubscriptions = 20;

/** The order of events that name no subscription. */
const unnamed = 'unnamed';

/**
 * Applies an update to an organization's plan and billing; undefined if nothing changes. Pure.
 * Older updates of the same subscription are ignored; an update with the same second is applied. An update of a
 * different subscription only counts if that one is active or the current one has ended: the end of an old subscription
 * must not revoke a plan that is being paid for. Timestamps of different subscriptions are never compared. A plan set
 * by an administrator is replaced only by later events, compared in whole seconds, the precision of the provider's
 * timestamps.
 */
export function applyUpdate(known: Known, update: SubscriptionUpdate): BillingChange | undefined {
  const before = known.billing ?? noBilling;
  const orderedBy = update.subscriptionId ?? unnamed;
  const lastTime = timeOf(before, orderedBy);
  if (lastTime !== undefined && update.created < lastTime) return undefined;
  if (update.fromInvoice && !invoiceCounts(before, update)) return undefined;

  const billing: BillingState = {
    ...before,
    customerId: before.customerId ?? update.customerId,
    eventTimes: newestTimes({ ...before.eventTimes, [orderedBy]: update.created }),
  };
  if (!concernsPresentState(before, update)) return { plan: known.plan, billing };

  const isSame = update.subscriptionId === null || before.subscriptionId === update.subscriptionId;
  const isOver = update.state === 'canceled';
  billing.subscriptionId = update.subscriptionId ?? (isAlive(before) ? before.subscriptionId : null);
  billing.customerId = update.customerId ?? before.customerId;
  billing.status = update.state === 'suspended' ? 'past_due' : (update.state as BillingState['status']);
  billing.currentPeriodEnd = isOver ? null : (update.currentPeriodEnd ?? (isSame ? before.currentPeriodEnd : null));
  const grantsNothing = isOver || update.state === 'suspended';
  const plan = grantsNothing ? 'free' : (update.plan ?? known.plan);
  const adminWasLater = update.created < Math.floor(known.planChangedAtMs / 1000);
  return { plan: adminWasLater ? known.plan : plan, billing };
}

function concernsPresentState(before: BillingState, update: SubscriptionUpdate): boolean {
  if (update.state === 'pending') return false;
  if (before.subscriptionId === null || before.subscriptionId === update.subscriptionId) return true;
  if (!isAlive(before)) return update.state !== 'canceled';
  return update.state === 'active';
}

function isAlive({ status }: BillingState): boolean {
  return status === 'active' || status === 'past_due';
}

/** The provider's id of the subscription that the organization is paying for, if any. */
export function liveSubscriptionOf({ billing = noBilling }: OrganizationRecord): string | undefined {
  return isAlive(billing) ? (billing.subscriptionId ?? undefined) : undefined;
}

/** A payment counts for the current live subscription, or for a new one that names its plan. */
function invoiceCounts(before: BillingState, update: SubscriptionUpdate): boolean {
  if (before.subscriptionId === update.subscriptionId) return before.status !== 'canceled';
  if (before.subscriptionId === null && isAlive(before)) return true;
  const isUnknown = update.subscriptionId !== null && timeOf(before, update.subscriptionId) === undefined;
  return isUnknown && update.state === 'active' && update.plan !== undefined;
}

function timeOf(billing: BillingState, subscriptionId: string): number | undefined {
  return Object.hasOwn(billing.eventTimes, subscriptionId) ? billing.eventTimes[subscriptionId] : undefined;
}

function newestTimes(eventTimes: Record<string, number>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(eventTimes)
      .sort(([, a], [, b]) => b - a)
      .slice(0, rememberedSubscriptions),
  );
}
